"""A Fortran source in, the same source with probes out."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final

from ...errors import SourceError
from ..code_region import CodeRegion, CodeRegions, Instrumented
from ..line_markers import MarkedText
from .form import Form
from .includes import expand
from .insert import Names, insert_probes
from .lines import Statement, UnterminatedError, read_lines
from .regions import SAID_REASONS, ProcedureRegion, find_regions
from .units import StructureError, find_procedures

__all__ = ["code_regions", "instrument_text"]

_PROBE_NAMES: Final = re.compile(r"\baa_(?:enter|exit|resync)\b", re.I)
_CHAR: Final = re.compile(r"\bchar\b(?!\s*\()", re.I)
_IO: Final = re.compile(r"(?:write|read|print|inquire)[(*\d]")
_COARRAY: Final = re.compile(
    r"\bcodimension\b|\w\[|\)\[(?=[*:\w])|^sync(?:all|images|memory|team)|^(?:event|formteam|changeteam)"
)


def instrument_text(text: bytes, source: str, form: Form, include_directories: Sequence[str] = ()) -> Instrumented:
    """Instrument a Fortran source.

    Args:
        text: The source, or what the preprocessor wrote of it, line markers included.
        source: The file's name, as the compiler was given it.
        form: How its lines are laid out.
        include_directories: Where INCLUDE lines look, in order; a file that is found nowhere is the compiler's matter.

    Raises:
        SourceError: The text cannot be read, or holds what no probe can be put into.
    """
    unit = _Unit(text, source, form, include_directories)
    return Instrumented(insert_probes(unit.text, form, unit.regions, unit.names()).encode("latin-1"), unit.found())


def code_regions(text: bytes, source: str, form: Form, include_directories: Sequence[str] = ()) -> CodeRegions:
    """Find the regions of a Fortran source; arguments and errors as for ``instrument_text``."""
    return _Unit(text, source, form, include_directories).found()


class _Unit:
    """A source, read."""

    def __init__(self, raw: bytes, source: str, form: Form, include_directories: Sequence[str]) -> None:
        name = os.fsencode(source).decode("latin-1")
        text = raw.decode("latin-1")
        text = expand(text if text.endswith("\n") else f"{text}\n", name, include_directories)
        try:
            self.lines = read_lines(text, form)
        except UnterminatedError as error:
            raise _error(MarkedText(text, name, _markers(text)), error.offset, str(error)) from None
        self.text = MarkedText(text, name, self.lines.markers)
        self.statements = [item for item in self.lines.items if isinstance(item, Statement)]
        for statement in self.statements:
            self._refuse(statement)
        try:
            procedures = find_procedures(self.lines.items)
        except StructureError as error:
            raise self._error(error.statement, str(error)) from None
        self.regions: list[ProcedureRegion] = find_regions(procedures, self.text, form)

    def names(self) -> Names:
        """Tell what the probes' lines may use."""
        declares = any(each.code.startswith("implicitnone(") and "external" in each.code for each in self.statements)
        taken = any(_CHAR.search(each.text) for each in self.statements)
        return Names("achar" if taken else "char", declares)

    def found(self) -> CodeRegions:
        """Give the regions as all front ends do."""
        regions: list[CodeRegion] = []
        for found in self.regions:
            procedure = found.procedure
            ends = procedure.steps[-1].statement
            said = found.reason in SAID_REASONS
            regions.append(CodeRegion(found.region, procedure.header.start, ends.start, found.reason, said))
            for loop in found.loops:
                first, last = (procedure.steps[place].statement for place in (loop.loop.first, loop.loop.last))
                regions.append(CodeRegion(loop.region, first.start, last.end, loop.reason))
        submodules = [each for each in self.statements if each.code.startswith("submodule(")]
        return CodeRegions(
            tuple(regions), tuple(self._error(each, "a submodule is not instrumented") for each in submodules)
        )

    def _refuse(self, statement: Statement) -> None:
        """Refuse what no probe can be put into, or what has not been tried."""
        code = statement.code
        if _COARRAY.search(code) and not _IO.match(code):
            raise self._error(statement, "a coarray")
        if _PROBE_NAMES.search(statement.text):
            raise self._error(statement, "a name that the probes have")

    def _error(self, statement: Statement, message: str) -> SourceError:
        return _error(self.text, statement.start, message)


def _markers(text: str) -> tuple[int, ...]:
    return tuple(match.start() for match in re.finditer(r"^#", text, re.M))


def _error(text: MarkedText, offset: int, message: str) -> SourceError:
    place = text.place(offset)
    return SourceError(os.fsdecode(place.file.encode("latin-1")), place.line, place.column, message)
