"""Preprocessed text: which line of which file each part of it comes from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from .lexer import mask

__all__ = ["Marker", "Place", "Pragma", "Preprocessed"]

_MARKER: Final = re.compile(r'#[ \t]*(?:line[ \t]+)?(\d+)[ \t]*"((?:\\.|[^"\\\n])*)"([ \d]*)$', re.M)
_PRAGMA: Final = re.compile(r"#[ \t]*pragma\b[ \t]*([^\n]*)")
_ESCAPE: Final = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_PREPROCESSOR_OWN: Final = ("<built-in>", "<command-line>", "<command line>", "<stdin>")


@dataclass(frozen=True, slots=True)
class Marker:
    """A line marker: the text from ``start`` on is line ``line`` and following of ``file``.

    Attributes:
        offset: Where the marker itself begins.
        start: Where the line after it begins.
        line: Number of that line in the file.
        file: The file's name, bytes as Latin-1.
        quoted: The name as the marker spells it, without the quotes.
        flags: The digits after the name.
    """

    offset: int
    start: int
    line: int
    file: str
    quoted: str
    flags: frozenset[str]

    def text(self, line: int, *, system: bool = False) -> str:
        """Spell a marker for another line of the same file, which neither enters nor leaves it."""
        flags = sorted((self.flags - {"1", "2"}) | ({"3"} if system else set()))
        return " ".join([f'# {line} "{self.quoted}"', *flags])


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file as the user knows it; line and column count from 1."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Pragma:
    """A ``#pragma`` line: where it begins and ends, and what follows the word."""

    start: int
    end: int
    text: str


class Preprocessed:
    """A translation unit after preprocessing, with its line markers.

    Args:
        text: What the preprocessor wrote, each byte a character (Latin-1), so that columns are bytes.
        source: The file that was preprocessed, which is never system text.
        system_directories: Where the compiler has its own headers, each with a closing slash.
    """

    def __init__(self, text: str, source: str, system_directories: tuple[str, ...] = ()) -> None:
        self.text = text
        self.masked, directives = mask(text)
        self.markers = tuple(_markers(text, source, directives))
        self.pragmas = tuple(_pragmas(text, directives))
        self._starts = [marker.start for marker in self.markers]
        self._system_files = _system_files(self.markers, source, system_directories)

    def marker(self, offset: int) -> Marker:
        """Give the marker in force at an offset."""
        return self.markers[max(bisect_right(self._starts, offset) - 1, 0)]

    def place(self, offset: int) -> Place:
        """Give file, line and column of an offset."""
        marker = self.marker(offset)
        line_start = self.text.rfind("\n", 0, offset) + 1
        line = marker.line + self.text.count("\n", marker.start, offset)
        return Place(marker.file, line, offset - line_start + 1)

    def runs(self) -> Iterator[tuple[int, int, bool]]:
        """Cut the whole text into the longest runs of one kind: start, end, whether it is system text."""
        start, system = 0, False
        for marker in self.markers:
            if (kind := marker.file in self._system_files) != system:
                yield start, marker.offset, system
                start, system = marker.offset, kind
        yield start, len(self.text), system


def _markers(text: str, source: str, directives: tuple[int, ...]) -> Iterator[Marker]:
    quoted = source.replace("\\", "\\\\").replace('"', '\\"')
    yield Marker(0, 0, 1, source, quoted, frozenset())
    for offset in directives:
        if match := _MARKER.match(text, offset):
            start = min(match.end() + 1, len(text))
            name = match.group(2)
            flags = frozenset(match.group(3).split())
            yield Marker(offset, start, int(match.group(1)), _ESCAPE.sub(_unescaped, name), name, flags)


def _pragmas(text: str, directives: tuple[int, ...]) -> Iterator[Pragma]:
    for offset in directives:
        if match := _PRAGMA.match(text, offset):
            yield Pragma(offset, match.end(), match.group(1))


def _unescaped(match: re.Match[str]) -> str:
    escaped = match.group(1)
    return chr(int(escaped, 8) & 0xFF) if escaped.isdigit() else escaped


def _system_files(markers: tuple[Marker, ...], source: str, directories: tuple[str, ...]) -> frozenset[str]:
    """Tell system files by the marker that enters them, or by their directory.

    The flag for system text at other places says little: a macro of a system header that is used in a user's
    function is marked so too.
    """
    entered = {marker.file for marker in markers if {"1", "3"} <= marker.flags}
    below = {marker.file for marker in markers if directories and marker.file.startswith(directories)}
    return frozenset((entered | below | set(_PREPROCESSOR_OWN)) - {source})
