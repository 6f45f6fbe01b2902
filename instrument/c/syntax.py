"""From digest to syntax tree, by pycparser; a function body that it cannot read is left out."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from pycparser.c_parser import CParser, ParseError

from .lexer import blank
from .sanitise import PRELUDE, outer_braces

__all__ = ["DigestError", "Tree", "Unread", "parse"]

_PLACE: Final = re.compile(r".*?:(\d+):(\d+): (.*)", re.DOTALL)
_BLANK_END: Final = re.compile(r" +(?=\n)")  # much of a digest is blank, and pycparser steps over it slowly
_DEEP: Final = 100_000  # frames; pycparser descends recursively, else-if chains of thousands exist
_MOST_UNREAD: Final = 30  # each costs a new pass over the file


class DigestError(ValueError):
    """Report text outside function bodies that the parser cannot read."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Unread:
    """A function body that could not be read: its place, and why."""

    body: int
    offset: int
    message: str


class Tree:
    """The syntax tree of a digest; coordinates are asked for as offsets into the digest."""

    def __init__(self, root: Any, text: str, unread: tuple[Unread, ...]) -> None:
        self.root = root
        self.text = text
        self.unread = unread
        self._line_starts = _line_starts(text)

    def offset(self, node: Any) -> int:
        """Give the offset where a node's first (of a declaration: the name's) token begins."""
        return int(self._line_starts[node.coord.line - 2] + node.coord.column - 1)


def parse(text: str) -> Tree:
    """Parse a digest.

    Raises:
        DigestError: The text outside of function bodies is not C as pycparser knows it.
    """
    unread: list[Unread] = []
    while True:
        try:
            with _deep_recursion():
                return Tree(CParser().parse(f"{PRELUDE}\n{_BLANK_END.sub('', text)}", ""), text, tuple(unread))
        except ParseError as error:
            offset, message = _error_place(text, str(error))
            body = _body_around(text, offset)
            if body is None or not text[body[0] + 1 : body[1] - 1].strip() or len(unread) == _MOST_UNREAD:
                raise DigestError(offset, message) from None
            unread.append(Unread(body[0], offset, message))
            text = text[: body[0] + 1] + blank(text[body[0] + 1 : body[1] - 1]) + text[body[1] - 1 :]


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _error_place(text: str, error: str) -> tuple[int, str]:
    match = _PLACE.fullmatch(error)
    if match is None:
        return len(text), error
    line, column, message = match.groups()
    return min(_line_starts(text)[max(int(line) - 2, 0)] + int(column) - 1, len(text)), message


def _body_around(text: str, offset: int) -> tuple[int, int] | None:
    """Find the function body that holds an offset; an aggregate's or an initialiser's braces are none."""
    for start, end in outer_braces(text):
        if start <= offset < end:
            return (start, end) if text[:start].rstrip().endswith((")", ";")) else None
    return None


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
