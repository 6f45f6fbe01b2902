"""Represent preprocessed text, with the file and line of each part."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Final, NamedTuple

from ..expression import expression
from ..line_markers import MarkedText, Marker
from .lexer import mask

__all__ = ["Pragma", "Preprocessed", "readable"]

_PRAGMA: Final = expression(r"#[ \t]*pragma\b[ \t]*([^\n]*)")
_PREPROCESSOR_OWN: Final = ("<built-in>", "<command-line>", "<command line>", "<stdin>")


class Pragma(NamedTuple):
    """A ``#pragma`` line: the offsets at which it begins and ends, and the text after ``#pragma``."""

    start: int
    end: int
    text: str


def readable(latin: str) -> str:
    """Return a name as UTF-8, from text with one character per byte (Latin-1)."""
    return latin.encode("latin-1").decode("utf-8", "surrogateescape")


class Preprocessed(MarkedText):
    """A translation unit after preprocessing, with its line markers.

    Args:
        text: The preprocessor's output, one character per byte (Latin-1), so that columns are bytes.
        source: The file that was preprocessed, which is never system text.
        system_directories: The compiler's own header folders, each with a trailing slash.
    """

    def __init__(self, text: str, source: str, system_directories: tuple[str, ...] = ()) -> None:
        self.masked, directives = mask(text)
        super().__init__(text, source, directives)
        self.pragmas = tuple(_pragmas(text, directives))
        self._system_files = _system_files(self.markers, source, system_directories)

    def runs(self) -> Iterator[tuple[int, int, bool]]:
        """Yield alternating runs of user and system text: start, end, whether the run is system text."""
        start, system = 0, False
        for marker in self.markers:
            if (kind := marker.file in self._system_files) != system:
                yield start, marker.offset, system
                start, system = marker.offset, kind
        yield start, len(self.text), system

    def is_system(self, offset: int) -> bool:
        """Return whether the text at an offset is system text."""
        # The first run is user text, and user and system text alternate.
        return bisect_right(self._starts_of_runs, offset) % 2 == 0

    @cached_property
    def _starts_of_runs(self) -> list[int]:
        return [start for start, _, _ in self.runs()]


def _pragmas(text: str, directives: tuple[int, ...]) -> Iterator[Pragma]:
    for offset in directives:
        if match := _PRAGMA.match(text, offset):
            yield Pragma(offset, match.end(), match.group(1))


def _system_files(markers: tuple[Marker, ...], source: str, directories: tuple[str, ...]) -> frozenset[str]:
    """Return the names of system files, recognised by the marker that enters them, or by their folder.

    The flag for system text in other markers is ignored, because it is also set if a user's function contains a macro
    from a system header.
    """
    entered = {marker.file for marker in markers if {"1", "3"} <= marker.flags}
    below = {marker.file for marker in markers if directories and marker.file.startswith(directories)}
    return frozenset((entered | below | set(_PREPROCESSOR_OWN)) - {source})
