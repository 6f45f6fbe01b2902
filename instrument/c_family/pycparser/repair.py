"""Rewrite the constructs at which pycparser stops, without moving lines and columns.

They are rare, and cannot be recognised without a parser. The bodies of nested functions and of blocks are left out, so
their loops have no probes.
"""

from __future__ import annotations

from typing import Final

from ...expression import expression
from ..lexer import blank, group_end

__all__ = ["repaired"]

_GOTO: Final = expression(r"\bgoto\b")
_NEAR: Final = 400  # number of characters before and after the place that are searched
# What is around the place, which is marked by \0, and the text that replaces the group. A brace stands for its block.
_RULES: Final = tuple(
    (expression(around), replacement)
    for around, replacement in (
        (r"\)\s*\0(\{)", ";"),  # int g(void) { … } → int g(void) ;
        (r"\0(?:\(\s*)?(\^)\s*(?:\w+\s*)*[)\[]", "*"),  # (^name) → (*name), Clang's pointer to a block
        (r"\0(\^[\s\w*]*(?:\([^{};]*\)\s*)?\{)", "0"),  # ^(int n) { … } → 0
        (r"[{,]\s*([A-Za-z_$][\w$]*\s*\0:)", ""),  # {a: 1} → {1}, the oldest form of {.a = 1}
        (r"[{,]\s*(\[[^\[\]]*\]\s*)\0", ""),  # {[4] 2} → {2}, the oldest form of {[4] = 2}
        (r"\b_Generic\s*\(\s*\0([^,;]+)", "0"),  # _Generic(int, …) → _Generic(0, …)
        (r"\(\s*\0((?:static|register)\b)", ""),  # (static int){1} → (int){1}
    )
)


def repaired(text: str, offset: int, *, in_body: bool) -> str | None:
    """Return a digest without the construct at which pycparser stopped; None if it is none of those known here.

    Args:
        text: The digest.
        offset: The place of the token that pycparser did not expect.
        in_body: Whether the place is in the body of a function; elsewhere, no function is left out.

    Raises:
        LexicalError: A bracket does not close.
    """
    first = max(offset - _NEAR, 0)
    around = f"{text[first:offset]}\0{text[offset : offset + _NEAR]}"
    for rule, replacement in _RULES[not in_body :]:
        if match := rule.search(around):
            start, end = (first + place - (first + place > offset) for place in match.span(1))
            if text[end - 1] == "{":
                end = group_end(text, end - 1)
            if not _GOTO.search(text, start, end):  # it could leave the block
                return text[:start] + blank(text[start:end], replacement) + text[end:]
    return None
