"""Evaluate preprocessor conditions with libclang, for a file in any language if its compiler options are known."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from ctypes import POINTER, Structure, byref, c_char_p, c_uint, c_void_p
from dataclasses import dataclass
from os import fsencode
from pathlib import Path
from typing import Any, Final

from ..instrument.c_family.clang.library import UnsavedFile, lib
from .conditions import defined_in, resolved
from .options import Options

__all__ = ["decided"]

# Macros for which libclang has its own values, in C and C++.
_OF_PARSER: Final = ("__clang", "__llvm", "__GNUC_MINOR", "__GNUC_PATCH")

_DIRECTIVE: Final = re.compile(rb"[ \t]*#[ \t]*(?:(?:el)?if(?:n?def)?|else|endif|define|undef|include(?:_next)?)\b")
_CONTINUED: Final = re.compile(rb"\\[ \t]*\r?\n?\Z")
_FLAGS: Final = 0x01 | 0x02 | 0x200  # DetailedPreprocessingRecord, Incomplete and KeepGoing, as in Index.h
_QUIET: Final = ("-w", "-Wno-everything", "-ferror-limit=0", "-Xclang", "-disable-pragma-debug-crash")
_ERROR: Final = 3
_NOT_FOUND: Final = re.compile(r"'([^']*)' file not found")


class _Ranges(Structure):
    _fields_ = (("count", c_uint), ("ranges", POINTER(lib.clang_getCursorExtent.restype)))


lib.clang_getFile.argtypes, lib.clang_getFile.restype = [c_void_p, c_char_p], c_void_p
lib.clang_getSkippedRanges.argtypes, lib.clang_getSkippedRanges.restype = [c_void_p, c_void_p], POINTER(_Ranges)
lib.clang_disposeSourceRangeList.argtypes, lib.clang_disposeSourceRangeList.restype = [POINTER(_Ranges)], None


@dataclass(frozen=True)
class Skipped:
    """The parts of a file that a preprocessor skips.

    Attributes:
        lines: Numbers of the lines in inactive arms.
        wrong: Numbers of the directives that the preprocessor could not evaluate.
        missing: Headers that were not found.
    """

    lines: frozenset[int]
    wrong: frozenset[int]
    missing: frozenset[str]


def decided(
    text: bytes, path: Path, options: Options, words: Sequence[str | bytes], unread: Collection[str] = ()
) -> bytes:
    """Return a source after resolving the conditions that its options decide; line numbers stay the same.

    Args:
        text: The file's content.
        path: The source's path.
        options: The options with which the source was compiled.
        words: The macros and include directories from these options, for a C parser.
        unread: Headers that may be missing, because they define no macros that conditions test.
    """
    found = _skipped(text, path, words)
    is_fortran = options.language == "fortran"
    told = defined_in(text, [name for name in options.macros if name not in options.contested])

    def is_known(name: str) -> bool:
        if name in told:
            return True
        if found.missing.difference(unread) or name in options.contested:
            return False
        if is_fortran:
            return options.is_complete or not name.startswith("_")
        return not name.startswith(_OF_PARSER)

    return resolved(text, found.lines, found.wrong, is_known)


def _skipped(text: bytes, path: Path, words: Sequence[str | bytes]) -> Skipped:
    """Return the lines of a file that a preprocessor skips.

    Args:
        text: The file's content, in any language; only directives matter.
        path: The file's path.
        words: The options.
    """
    given = [each if isinstance(each, bytes) else fsencode(each) for each in (*_QUIET, *words)]
    name, directives = fsencode(path), _directives(text)
    file = UnsavedFile(name, directives, len(directives))
    index = lib.clang_createIndex(0, 0)
    arguments = (c_char_p * len(given))(*given)
    unit = lib.clang_parseTranslationUnit(index, name, arguments, len(given), byref(file), 1, _FLAGS)
    try:
        if not unit:
            return Skipped(frozenset(), frozenset(range(1, text.count(b"\n") + 2)), frozenset())
        own = lib.clang_getFile(unit, name)
        problems = [*_problems(unit, own)]
        missing = (match[1] for _, said in problems if (match := _NOT_FOUND.search(said)))
        wrong = (line for line, said in problems if line and not _NOT_FOUND.search(said))
        return Skipped(frozenset(_lines(unit, own)), frozenset(wrong), frozenset(missing))
    finally:
        lib.clang_disposeTranslationUnit(unit)
        lib.clang_disposeIndex(index)


def _directives(text: bytes) -> bytes:
    """Return a source in which all lines are blank except those that affect macros and conditions."""
    kept, goes_on = [], False
    for line in text.splitlines(keepends=True):
        goes_on = bool(goes_on or _DIRECTIVE.match(line))
        kept.append(line if goes_on else b"\n")
        goes_on = goes_on and bool(_CONTINUED.search(line))
    return b"".join(kept)


def _lines(unit: Any, own: int) -> Iterator[int]:
    """Yield the lines of all inactive arms, without the directives around them."""
    found = lib.clang_getSkippedRanges(unit, own)
    try:
        for each in found.contents.ranges[: found.contents.count]:
            first = _line(lib.clang_getRangeStart(each), own)
            yield from range(first + 1, _line(lib.clang_getRangeEnd(each), own))
    finally:
        lib.clang_disposeSourceRangeList(found)


def _problems(unit: Any, own: int) -> Iterator[tuple[int, str]]:
    """Yield the line (0 for other files) and the message of each error."""
    for number in range(lib.clang_getNumDiagnostics(unit)):
        problem = lib.clang_getDiagnostic(unit, number)
        if lib.clang_getDiagnosticSeverity(problem) >= _ERROR:
            yield _line(lib.clang_getDiagnosticLocation(problem), own), str(lib.clang_getDiagnosticSpelling(problem))
        lib.clang_disposeDiagnostic(problem)


def _line(location: Any, own: int) -> int:
    file, line = c_void_p(), c_uint()
    lib.clang_getInstantiationLocation(location, byref(file), byref(line), None, None)
    return line.value if file.value == own else 0
