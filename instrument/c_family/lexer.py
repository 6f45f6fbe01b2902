"""Analyse preprocessed C and C++ lexically: literals, comments, groups in brackets, and statements."""

from __future__ import annotations

import re
from typing import Final

from ..expression import expression
from ..syntax import UnreadError

__all__ = ["CHARACTER", "LexicalError", "blank", "branches", "condition_end", "group_end", "mask", "statement_end"]

# Each alternative begins with a literal character, so that the regex engine can skip other characters quickly.
_OPAQUE: Final = expression(
    r"""/\*[^*]*\*+(?:[^/*][^*]*\*+)*/"""
    r"""|//(?:\\\r?\n|[^\n])*"""
    r"""|"(?:\\.|[^"\\\n])*\""""
    r"""|R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)\""""
    r"""|'(?<=\d')(?<!u8')"""  # separates digits
    r"""|0[xX][0-9A-Fa-f]+(?:'[0-9A-Fa-f]+)+\w*"""
    r"""|'(?:\\.|[^'\\\n])*'"""
    r"""|\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})"""
    r"""|\#[^\n]*"""
    r"""|<%|%>|<::(?![:>])|<:|:>""",  # C++ reads '<::' as '<' and '::'
    re.DOTALL,
)
CHARACTER: Final = "00"
"""The replacement for character constants in masked text."""

# A digraph becomes a bracket in place of its last character, so that both spellings end at the same offset.
_DIGRAPHS: Final = {"<%": " {", "%>": " }", "<::": "<::", "<:": " [", ":>": " ]"}
_STANDS_FOR: Final = {'"': '""', "R": '""', "'": CHARACTER, "0": "0", "\\": "_" * len("\\U0000000f")}
_NOT_NEWLINE: Final = expression(r"[^\n]")
_BEYOND_ASCII: Final = expression(r"[^\x00-\x7f]")
_BRACKET: Final = expression(r"[()\[\]{}]")
_BRACKET_OR_END: Final = expression(r"[()\[\]{};]")
_WORD_OR_SIGN: Final = expression(r"\w+|\S")
_LABEL: Final = expression(r"[A-Za-z_$][\w$]*\s*:(?!:)")
_ATTRIBUTES: Final = expression(r"\s*\[\s*\[")
_OF_A_BRANCH: Final = expression(r"\s*(?:constexpr\b|!?\s*consteval\b)")
_BLOCK: Final = expression(r"\s*\{")
_CATCH: Final = expression(r"\s*catch\b")
_OPENING: Final = "([{"


class LexicalError(UnreadError):
    """Raised for text whose brackets or statements do not end, with the offset at which they begin."""


def blank(text: str, replacement: str = "") -> str:
    """Return ``replacement`` padded with spaces to the length of ``text``, with the same newlines."""
    rest = text[len(replacement) :]
    return replacement[: len(text)] + (_NOT_NEWLINE.sub(" ", rest) if "\n" in rest else " " * len(rest))


def mask(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a text with comments, directive lines and literals blanked, so that every bracket in it is a real one.

    Offsets, lines and columns do not change. Strings become empty, character constants become ``CHARACTER``, digraphs
    become brackets, and letters beyond ASCII become underscores.

    Returns:
        The masked text, and the offsets at which directive lines begin.
    """
    directives: list[int] = []

    def masked(match: re.Match[str]) -> str:
        found = match.group()
        if found[0] == "#":
            directives.append(match.start())
        return _DIGRAPHS.get(found) or blank(found, _STANDS_FOR.get(found[0], ""))

    result = _OPAQUE.sub(masked, text)
    return result if result.isascii() else _BEYOND_ASCII.sub("_", result), tuple(directives)


def group_end(masked: str, start: int) -> int:
    """Return the offset right after the bracket that closes the one at ``start``.

    Raises:
        LexicalError: No bracket closes it.
    """
    depth = 0
    for match in _BRACKET.finditer(masked, start):
        depth += 1 if match.group() in _OPENING else -1
        if depth == 0:
            return match.end()
    raise LexicalError(start, f"{masked[start]!r} is not closed")


def statement_end(masked: str, start: int) -> int:
    """Return the offset right after the statement that begins at ``start`` or after blanks.

    Raises:
        LexicalError: The statement does not end.
        ValueError: A bracket or colon that belongs to the statement is missing.
    """
    while match := _ATTRIBUTES.match(masked, start):
        start = group_end(masked, masked.index("[", match.start()))
    word, after = _word(masked, start)
    while word in {"case", "default"} or _LABEL.match(masked, after - len(word)):
        after = masked.index(":", after) + 1
        word, after = _word(masked, after)
    if word == "{":
        return group_end(masked, after - 1)
    if word in {"for", "while", "switch"}:
        return statement_end(masked, condition_end(masked, after))
    if word == "if":
        return branches(masked, after)[1][1]
    if word == "try" and _BLOCK.match(masked, after):
        return _handlers_end(masked, group_end(masked, masked.index("{", after)))
    if word == "do":
        _, after = _word(masked, statement_end(masked, after))
        return _semicolon_end(masked, after)
    return _semicolon_end(masked, after - len(word))


def branches(masked: str, start: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the start and end of both branches of an ``if``; a missing branch is empty.

    ``start`` is the offset after the word ``if``. Raises the same errors as ``statement_end``.
    """
    first = _branch_start(masked, start)
    end = statement_end(masked, first)
    following = _WORD_OR_SIGN.search(masked, end)
    if following and following.group() == "else":
        return (first, end), (following.end(), statement_end(masked, following.end()))
    return (first, end), (end, end)


def _branch_start(masked: str, start: int) -> int:
    """Return the offset after the condition of an ``if``, including words that C++ allows before it."""
    match = _OF_A_BRANCH.match(masked, start)
    if match and _BLOCK.match(masked, match.end()):
        return match.end()
    return condition_end(masked, match.end() if match else start)


def _handlers_end(masked: str, start: int) -> int:
    while match := _CATCH.match(masked, start):
        start = group_end(masked, masked.index("{", condition_end(masked, match.end())))
    return start


def _word(masked: str, start: int) -> tuple[str, int]:
    match = _WORD_OR_SIGN.search(masked, start)
    if match is None:
        raise LexicalError(start, "expected a statement, found the end of the file")
    return match.group(), match.end()


def condition_end(masked: str, start: int) -> int:
    """Return the offset right after the parenthesised group that begins at ``start`` or after blanks.

    Raises:
        LexicalError: No such group begins there, or it does not end.
    """
    word, after = _word(masked, start)
    if word != "(":
        raise LexicalError(start, f"expected '(', found {word!r}")
    return group_end(masked, after - 1)


def _semicolon_end(masked: str, start: int) -> int:
    offset = start
    while match := _BRACKET_OR_END.search(masked, offset):
        if match.group() == ";":
            return match.end()
        offset = group_end(masked, match.start())
    raise LexicalError(start, "expected ';' at the end of a statement")
