"""Rewrite the constructs at which pycparser stops, without moving lines and columns.

These constructs are rare, and cannot be recognised without a parser. The bodies of nested functions and of blocks are
left out, so their loops have no probes.
"""

from __future__ import annotations

import string
from itertools import pairwise
from typing import Final, NamedTuple

from ...expression import expression
from ..lexer import blank, group_end

__all__ = ["Repair", "repaired"]

_GOTO: Final = expression(r"\bgoto\b")
_NEAR: Final = 400  # number of characters that are searched before and after the unexpected token
# Each rule has a pattern for the text around the unexpected token, which \0 precedes; the text that replaces the
# pattern's group; and a description of what is left out. A brace represents its whole block. No repeated group contains
# a repetition, because matching could then take exponential time.
_RULES: Final = tuple(
    (expression(around), replacement, left_out)
    for around, replacement, left_out in (
        (r"\)\s*\0(\{)", ";", "a nested function"),  # int g(void) { … } → int g(void) ;
        (r"\0(?:\(\s*)?(\^)[\w\s]*[)\[]", "*", ""),  # (^name) → (*name), Clang's pointer to a block
        (r"\0(\^[\s\w*]*(?:\([^{};]*\)\s*)?\{)", "0", "a block"),  # ^(int n) { … } → 0
        (r"\b_Generic\s*\(\s*\0([^,;]+)", "0", ""),  # _Generic(int, …) → _Generic(0, …)
        (r"\(\s*\0((?:static|register)\b)", "", ""),  # (static int){1} → (int){1}
    )
)
_OBSOLETE: Final = expression(r"[{,]\s*(?:[A-Za-z_$][\w$]*\s*\0:|\[[^\[\]]*\]\s*\0)")
# Matches, in an initialiser, the start of an element with its obsolete designator, or a group that is not an
# initialiser; or the end of a statement, which shows that a group in braces is not an initialiser.
_ELEMENT: Final = expression(r"[{,]\s*(?:([A-Za-z_$][\w$]*\s*:)|(\[))?|[(;]")
_DESIGNATOR_GOES_ON: Final = expression(r"\s*(?:=|\[|\.(?!\d))")
_BRACE: Final = expression(r"[{}]")
_PARENTHESIS: Final = expression(r"[()]")
_OF_DECLARATORS: Final = string.ascii_letters + string.digits + "_$*" + string.whitespace
_NO_TYPES: Final = frozenset(("*", "do", "else", "goto", "return"))


class Repair(NamedTuple):
    """A digest without the construct at which pycparser stopped, and a name for the code that was left out, if any."""

    text: str
    left_out: str = ""


def repaired(text: str, offset: int, body: int | None) -> Repair | None:
    """Return a digest without the construct at which pycparser stopped, or None if no rule matches.

    Args:
        text: The digest.
        offset: Offset of the token that pycparser did not expect.
        body: Offset of the function body around the token; None outside of functions, where no code is left out.

    Raises:
        LexicalError: A bracket does not close.
    """
    first = max(offset - _NEAR, 0)
    around = f"{text[first:offset]}\0{text[offset : offset + _NEAR]}"
    if _OBSOLETE.search(around):
        return _without_designators(text, _initialiser(text, body or 0, offset))
    for rule, replacement, left_out in _RULES:
        if match := rule.search(around):
            start, end = (first + place - (first + place > offset) for place in match.span(1))
            if left_out and body is None:
                continue
            if replacement == ";" and not _is_declared(text[body:offset].rstrip()):
                continue
            if text[end - 1] == "{":
                end = group_end(text, end - 1)
            if not _GOTO.search(text, start, end):  # a goto could leave the block
                return Repair(text[:start] + blank(text[start:end], replacement) + text[end:], left_out)
    return None


def _is_declared(text: str) -> bool:
    """Return whether a text ends with a function's type, name and parameters.

    A call that is followed by a loop's body has no type.
    """
    depth = 0
    for match in reversed(list(_PARENTHESIS.finditer(text))):
        depth += 1 if match.group() == ")" else -1
        if depth == 0:
            before = text[: match.start()]
            words = before[len(before.rstrip(_OF_DECLARATORS)) :].replace("*", " * ").split()
            return len(words) > 1 and words[-1] != "*" and words[0] not in _NO_TYPES
    return False


def _initialiser(text: str, start: int, offset: int) -> int:
    """Return the offset of the outermost initialiser around ``offset``, or ``offset`` itself if it is not in braces.

    Args:
        text: The digest.
        start: An offset before the initialiser.
        offset: An offset inside the initialiser.
    """
    opened: list[int] = []
    for match in _BRACE.finditer(text, start, offset):
        if match.group() == "{":
            opened.append(match.start())
        elif opened:
            opened.pop()
    for outer, inner in reversed(list(pairwise(opened))):
        if not text[outer:inner].rstrip().endswith(("{", ",", "]", ":")):
            return inner
    return opened[0] if opened else offset


def _without_designators(text: str, start: int) -> Repair | None:
    """Return a digest without the oldest designators in an initialiser: {a: 1} → {1}, {[4] 2} → {2}."""
    if not text.startswith("{", start):
        return None
    end = group_end(text, start)
    pieces = [text[:start]]
    kept = offset = start
    while match := _ELEMENT.search(text, offset, end):
        offset = match.end()
        first = -1
        if match.group() == ";":
            return None
        if match.group() == "(":
            offset = group_end(text, match.start())
        elif match.group(1):
            first = match.start(1)
        elif match.group(2):
            offset = group_end(text, match.start(2))
            first = -1 if _DESIGNATOR_GOES_ON.match(text, offset) else match.start(2)
        if first >= 0:
            pieces += [text[kept:first], blank(text[first:offset])]
            kept = offset
    return Repair("".join([*pieces, text[kept:]]))
