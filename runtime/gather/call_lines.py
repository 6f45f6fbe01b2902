"""Find the lines on which a program's functions are called, if its sources are available and unchanged."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from ...digests import text_of
from ...experiment import CallPath, Region
from ...experiment.compiled import Compiled
from ...experiment.region import CALL_KINDS

__all__ = ["with_call_lines"]

_LARGEST: Final = 4 << 20  # bytes; larger sources are usually generated, and their lines are of no use
_FORTRAN: Final = re.compile(r"\.(f|for|ftn|fpp|f\d\d)$", re.I)
_FIXED_FORM: Final = re.compile(r"\.(f|for|ftn|f77)$", re.I)
_TEMPLATE: Final = re.compile(r"<[^<>]*>")
_NAME: Final = re.compile(r"[^\W\d]\w*")
# Text that contains no calls: comments, strings, and code that is never compiled.
_NO_C: Final = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n]){1,4}'""", re.S)
_NO_FORTRAN: Final = re.compile(r"""'[^'\n]*'|"[^"\n]*"|![^\n]*""")
_NO_FIXED_FORM: Final = re.compile(r"""^[cC*][^\n]*|'[^'\n]*'|"[^"\n]*"|![^\n]*""", re.M)
_NEVER_COMPILED: Final = re.compile(r"^[ \t]*#[ \t]*if[ \t]+0\b.*?^[ \t]*#[ \t]*(?:else|elif|endif)\b", re.S | re.M)
_NO_NEWLINE: Final = re.compile(r"[^\n]")


class _Caller(NamedTuple):
    """A calling region, and the lines of inner regions such as loops, to which the calls on these lines belong."""

    region: Region
    parts: frozenset[tuple[int, int]]


def with_call_lines(
    call_paths: Sequence[CallPath], compiled: Iterable[Compiled], unprobed: Mapping[str, str]
) -> tuple[CallPath, ...]:
    """Return the call paths, with call sites for functions that are called by name on exactly one line of their caller.

    Args:
        call_paths: A program's call paths, parents before children.
        compiled: The files that the program was built from; those that cannot be read or have changed are ignored.
        unprobed: Descriptor of a region → the functions without probes that it calls; these may contain the call.
    """
    sources = _Sources(compiled, unprobed)
    parts: dict[int, set[tuple[int, int]]] = {}
    for path in call_paths:
        if path.parent is not None and _is_part(path.region, call_paths[path.parent].region):
            parts.setdefault(path.parent, set()).add((path.region.first_line, path.region.last_line))
    return tuple(
        path
        if path.parent is None or path.called_at is not None
        else replace(path, line=_line(sources, _caller(call_paths, path.parent, parts), path.region))
        for path in call_paths
    )


def _caller(call_paths: Sequence[CallPath], parent: int, parts: Mapping[int, Collection[tuple[int, int]]]) -> _Caller:
    return _Caller(call_paths[parent].region, frozenset(parts.get(parent, ())))


def _is_part(region: Region, above: Region) -> bool:
    """Return whether a region, for example a loop, is part of another region's function."""
    return (region.file, region.function) == (above.file, above.function) and region.kind not in CALL_KINDS


def _line(sources: _Sources, caller: _Caller, called: Region) -> int | None:
    if called.kind in CALL_KINDS or _is_part(called, caller.region) or not caller.region.first_line > 0:
        return None
    name = _last(called.function)
    lines = sources.lines_of_calls(caller, name) if _NAME.fullmatch(name) else ()
    return lines[0] if len(lines) == 1 else None


def _last(function: str) -> str:
    """Return the unqualified name of a function, without template arguments."""
    return _TEMPLATE.sub("", function).partition("(")[0].rpartition("::")[2]


class _Sources:
    """The sources of a program that are readable and unchanged since the build."""

    def __init__(self, compiled: Iterable[Compiled], unprobed: Mapping[str, str]) -> None:
        self._unprobed = unprobed
        self._units: dict[str, list[Compiled]] = {}
        for unit in compiled:
            for name in unit.files:
                self._units.setdefault(name, []).append(unit)
        self._texts: dict[tuple[str, str], str] = {}
        self._code: dict[_Caller, str] = {}
        self._lines: dict[tuple[_Caller, str], Sequence[int]] = {}

    def lines_of_calls(self, caller: _Caller, name: str) -> Sequence[int]:
        """Return the lines of a region, outside inner regions, on which a function of this name is called."""
        key = caller, name
        if key not in self._lines:
            code, pattern = self._code_of(caller), _call(caller.region.file, name)
            others = self._unprobed.get(caller.region.descriptor, "").split("\n")
            places = (found.start(1) for found in pattern.finditer(code) if name not in map(_last, others))
            self._lines[key] = sorted({caller.region.first_line + code.count("\n", 0, place) for place in places})
        return self._lines[key]

    def _code_of(self, caller: _Caller) -> str:
        """Return the text of a region with comments, strings and inner regions blanked."""
        if caller not in self._code:
            region = caller.region
            lines = self._text_of(region).split("\n")[region.first_line - 1 : region.last_line]
            no_code = _NO_C if not _FORTRAN.search(region.file) else _NO_FORTRAN
            no_code = _NO_FIXED_FORM if _FIXED_FORM.search(region.file) else no_code
            lines = _NEVER_COMPILED.sub(_blank, no_code.sub(_blank, "\n".join(lines))).split("\n")
            for first, last in caller.parts:
                for line in range(max(first - region.first_line, 0), min(last - region.first_line + 1, len(lines))):
                    lines[line] = ""
            self._code[caller] = "\n".join(lines)
        return self._code[caller]

    def _text_of(self, region: Region) -> str:
        """Return the text of a region's file; empty if it cannot be read or differs from what was compiled."""
        key = region.file, region.text
        if key not in self._texts:
            self._texts[key] = next(filter(None, map(self._read, self._places(*key))), "")
        return self._texts[key]

    def _places(self, name: str, text: str) -> Iterable[tuple[Path, str]]:
        """Yield possible paths of a file, each with the digest of the text that was compiled."""
        for unit in self._units.get(name, ()):
            yield Path(unit.folder, name), text or unit.files[name]

    @staticmethod
    def _read(place: tuple[Path, str]) -> str:
        path, text = place
        with suppress(OSError, ValueError):
            if text and path.stat().st_size <= _LARGEST and text_of(str(path)) == text:
                return path.read_bytes().decode("latin-1")
        return ""


def _blank(found: re.Match[str]) -> str:
    return _NO_NEWLINE.sub(" ", found[0])


def _call(file: str, name: str) -> re.Pattern[str]:
    """Return the pattern of a function's calls; the name is the first group."""
    if _FORTRAN.search(file):
        return re.compile(rf"(?:\bcall\s+|(?<!subroutine )(?<!function )(?=\w+\s*\())\b({name})\b", re.I)
    return re.compile(rf"\b({name})\s*(?:<[^;(){{}}]*>)?\s*\(")
