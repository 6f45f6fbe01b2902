"""Put guards around regions, into the preprocessed text, without moving what the compiler says about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...experiment.region import Region
from ..code_region import CodeRegion
from .preprocessed import Preprocessed

__all__ = ["insert_guards"]

_PRELUDE_FILE: Final = "<autoanalyzer>"
_SPECIAL: Final = re.compile(r'["\\?\x00-\x1f\x7f-\xff]')
_NOT_TAB: Final = re.compile(r"[^\t]")


@dataclass(frozen=True, slots=True, order=True)
class _Edit:
    offset: int
    rank: int  # at one offset: ends of regions, then function guards, then loop guards
    text: str


def insert_guards(unit: Preprocessed, regions: tuple[CodeRegion, ...], *, cxx: bool = False) -> str:
    """Give the text of a unit with a guard for each region that has no reason against it.

    ::

        int f(void) {                    int f(void) { guard
            for (…) …             →          { guard for (…) … }
            return 1;                        return 1;
        }                                }

    Each insertion is framed by line markers, the first of which calls it system text, so that no warning is
    about it; then blanks up to the column where the text was cut.

    Args:
        unit: The text.
        regions: What was found in it.
        cxx: Whether it is C++, where a guard is an object of class ``aa_guard``.
    """
    edits: list[_Edit] = []
    for number, found in enumerate(regions):
        if found.reason:
            continue
        literal = _literal(found.region)
        guard = f"aa_guard aa_here({literal});" if cxx else _guard(literal, number)
        if found.region.kind == "function":
            edits.append(_Edit(found.start, 1, guard))
        else:
            edits.append(_Edit(found.start, 2, "{ " + guard))
            edits.append(_Edit(found.end, 0, "}"))
    return _applied(unit, sorted(edits), _stub(cxx=cxx)) if edits else unit.text


def _literal(region: Region) -> str:
    descriptor = region.descriptor.encode("utf-8", "surrogateescape").decode("latin-1")
    return '"' + _SPECIAL.sub(lambda match: f"\\{ord(match.group()):03o}", descriptor) + '"'


def _guard(literal: str, number: int) -> str:
    return (
        f"__attribute__((cleanup(aa_leave), unused)) const char *const aa_guard_{number} ="
        f" (aa_enter({literal}), {literal});"
    )


def _applied(unit: Preprocessed, edits: list[_Edit], stub: str) -> str:
    start = _prelude_offset(unit)
    pieces = [unit.text[:start], _prelude(unit, start, stub)]
    for edit in edits:
        pieces.append(unit.text[start : edit.offset])
        pieces.append(_framed(unit, edit))
        start = edit.offset
    return "".join([*pieces, unit.text[start:]])


def _framed(unit: Preprocessed, edit: _Edit) -> str:
    marker = unit.marker(edit.offset)
    place = unit.place(edit.offset)
    line_start = edit.offset - place.column + 1
    return "\n".join(
        [
            "",
            marker.text(place.line, system=True),
            edit.text,
            marker.text(place.line),
            _NOT_TAB.sub(" ", unit.text[line_start : edit.offset]),
        ]
    )


def _prelude_offset(unit: Preprocessed) -> int:
    """Tell where the prelude goes: below the first markers, which name source and folder in debug information."""
    offset = 0
    for marker in unit.markers[1:]:
        if marker.offset != offset or not (offset == 0 or marker.file.endswith("//")):
            break
        offset = marker.start
    return offset


def _stub(*, cxx: bool) -> str:
    folder = Path(__file__).parents[1]
    stub = folder.joinpath("stub.h").read_text("ascii")
    return f'extern "C" {{\n{stub}}}\n{folder.joinpath("guard.h").read_text("ascii")}' if cxx else stub


def _prelude(unit: Preprocessed, offset: int, stub: str) -> str:
    """Give the stub's text between a marker that enters it and one that returns to the source."""
    source = unit.markers[1] if offset else unit.markers[0]
    back = source.text(source.line)
    return ("" if offset else f"{back}\n") + f'# 1 "{_PRELUDE_FILE}" 1 3\n{stub}{back} 2\n'
