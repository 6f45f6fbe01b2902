"""Rewrite the constructs at which pycparser stops, without moving lines and columns.

They are rare, and cannot be recognised without a parser. Functions in functions and blocks become calls of unknown code;
their own loops and jumps are left as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ...expression import expression
from ..lexer import blank, group_end

__all__ = ["repaired"]

_GOTO: Final = expression(r"\bgoto\b")
_POINTER_TO_BLOCK: Final = expression(r"(?:\(\s*)?(\^)\s*(?:\w+\s*)*[)\[]")
_BLOCK: Final = expression(r"\^[\s\w*]*")
_WORD: Final = expression(r"(?:static|register)\b")
_DESIGNATED: Final = expression(r"[{,]\s*([A-Za-z_$][\w$]*\s*)\Z")

Span = tuple[int, int, str]
"""The start and end of a text, and what replaces it; the rest becomes blanks."""


def repaired(text: str, offset: int, *, in_body: bool) -> str | None:
    """Return a digest without the construct at which pycparser stopped; None if it is none of those known here.

    Args:
        text: The digest.
        offset: The place of the token that pycparser did not expect.
        in_body: Whether the place is in the body of a function.

    Raises:
        LexicalError: A bracket does not close.
    """
    before = text[:offset].rstrip()
    for rule in _RULES[not in_body :]:
        if found := rule(text, before, offset):
            start, end, replacement = found
            return text[:start] + blank(text[start:end], replacement) + text[end:]
    return None


def _function_in_function(text: str, before: str, offset: int) -> Span | None:
    """``int g(void) { … }`` → ``int g(void) ;``, unless it jumps, perhaps out of itself."""
    if text[offset : offset + 1] != "{" or not before.endswith(")"):
        return None
    end = group_end(text, offset)
    return None if _GOTO.search(text, offset, end) else (offset, end, ";")


def _block(text: str, _before: str, offset: int) -> Span | None:
    """Clang's ``(^name)`` → ``(*name)``, and ``^(int n) { … }`` → ``0``."""
    if pointer := _POINTER_TO_BLOCK.match(text, offset):
        return pointer.start(1), pointer.end(1), "*"
    match = _BLOCK.match(text, offset)
    end = match.end() if match else offset
    if match and text[end : end + 1] == "(":
        end = group_end(text, end)
        end += len(text[end:]) - len(text[end:].lstrip())
    return (offset, group_end(text, end), "0") if match and text[end : end + 1] == "{" else None


def _name_in_initialiser(text: str, before: str, offset: int) -> Span | None:
    """``{a: 1}`` → ``{1}``, the oldest form of ``{.a = 1}``."""
    match = _DESIGNATED.search(before) if text[offset : offset + 1] == ":" else None
    return (match.start(1), offset + 1, "") if match else None


def _index_in_initialiser(_text: str, before: str, offset: int) -> Span | None:
    """``{[4] 2}`` → ``{2}``, the oldest form of ``{[4] = 2}``."""
    depth = place = 0
    for place in range(len(before) - 1, -1, -1) if before.endswith("]") else ():
        depth += (before[place] == "]") - (before[place] == "[")
        if depth == 0:
            break
    return (place, offset, "") if before[:place].rstrip().endswith(("{", ",")) else None


def _type_as_operand(text: str, before: str, offset: int) -> Span | None:
    """``_Generic(int, …)`` → ``_Generic(0, …)``."""
    end = text.find(",", offset) if before.endswith("(") and before[:-1].rstrip().endswith("_Generic") else -1
    return (offset, end, "0") if end >= 0 else None


def _storage_class(text: str, before: str, offset: int) -> Span | None:
    """``(static int){1}`` → ``(int){1}``."""
    match = _WORD.match(text, offset) if before.endswith("(") else None
    return (offset, match.end(), "") if match else None


# The first one is for bodies alone: elsewhere, a function that is not understood must be reported.
_RULES: Final[tuple[Callable[[str, str, int], Span | None], ...]] = (
    *(_function_in_function, _block, _name_in_initialiser),
    *(_index_in_initialiser, _type_as_operand, _storage_class),
)
