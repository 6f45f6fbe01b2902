"""Find the file and line of each part of a text from its line markers, ``# 12 "file.c"``."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final, NamedTuple

from .expression import expression

__all__ = ["MarkedText", "Marker", "Place", "quoted_name", "with_plain_markers"]

_MARKER: Final = expression(r'#[ \t]*(?:line[ \t]+)?(\d+)[ \t]*"((?:\\.|[^"\\\n])*)"([ \d]*)$', re.M)
# LLVM's Fortran preprocessor writes ``#line "./file.f90" 12``; it omits the name if the name has not changed.
_REVERSED: Final = expression(rb'^#line(?:[ \t]+"(?:\./)?([^"\n]*)")?[ \t]+(\d+)$', re.M)
_ESCAPE: Final = expression(r"\\([0-7]{1,3}|.)", re.DOTALL)


class Marker(NamedTuple):
    """A line marker, which declares that the text at ``start`` is line ``line`` of ``file``.

    Attributes:
        offset: Offset of the marker itself.
        start: Offset of the line after the marker.
        line: Number of that line in the file.
        file: Name of the file, with one character per byte (Latin-1).
        quoted: The name as it is written in the marker, without the quotes.
        flags: The digits after the name.
    """

    offset: int
    start: int
    line: int
    file: str
    quoted: str
    flags: frozenset[str]

    def text(self, line: int, *, system: bool = False) -> str:
        """Return the text of a marker for a line of the same file, without flags for entering or leaving the file.

        With ``system``, the marker flags the text as a system header.
        """
        flags = sorted((self.flags - {"1", "2"}) | ({"3"} if system else set()))
        return " ".join([f'# {line} "{self.quoted}"', *flags])


class Place(NamedTuple):
    """A position in a file; lines and columns count from 1."""

    file: str
    line: int
    column: int


class MarkedText:
    """A text and its line markers.

    Args:
        text: One character per byte (Latin-1), so that columns are bytes.
        source: The file that the text before the first marker belongs to.
        directives: Offsets of the lines that begin with ``#``, in order.
    """

    def __init__(self, text: str, source: str, directives: Iterable[int]) -> None:
        self.text = text
        self.markers = tuple(_markers(text, source, directives))
        self._starts = [marker.start for marker in self.markers]

    def marker(self, offset: int) -> Marker:
        """Return the marker that applies at an offset."""
        return self.markers[max(bisect_right(self._starts, offset) - 1, 0)]

    def place(self, offset: int) -> Place:
        """Return the file, line and column of an offset."""
        marker = self.marker(offset)
        line_start = self.text.rfind("\n", 0, offset) + 1
        lines_since = bisect_left(self._newlines, offset) - bisect_left(self._newlines, marker.start)
        return Place(marker.file, marker.line + lines_since, offset - line_start + 1)

    @cached_property
    def _newlines(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.text)]


def quoted_name(file: str) -> str:
    """Return a file's name with the escapes that a line marker needs, without quotes."""
    return file.replace("\\", "\\\\").replace('"', '\\"')


def with_plain_markers(text: bytes) -> bytes:
    """Return a text from LLVM's Fortran preprocessor with line markers in the usual notation."""
    name = b""

    def plain(match: re.Match[bytes]) -> bytes:
        nonlocal name
        name = match[1] or name
        return b'# %b "%b"' % (match[2], name)

    return _REVERSED.sub(plain, text)


def _markers(text: str, source: str, directives: Iterable[int]) -> Iterator[Marker]:
    yield Marker(0, 0, 1, source, quoted_name(source), frozenset())
    for offset in directives:
        if match := _MARKER.match(text, offset):
            start = min(match.end() + 1, len(text))
            name = match.group(2)
            flags = frozenset(match.group(3).split())
            yield Marker(offset, start, int(match.group(1)), _ESCAPE.sub(_unescaped, name), name, flags)


def _unescaped(match: re.Match[str]) -> str:
    escaped = match.group(1)
    return chr(int(escaped, 8) & 0xFF) if escaped.isdigit() else escaped
