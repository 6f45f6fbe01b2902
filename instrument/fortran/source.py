"""Read a Fortran source, find its regions, and insert probes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ...errors import SourceError
from ..choice import Choice
from ..code_region import CodeRegion, CodeRegions, Instrumented
from ..expression import expression
from ..line_markers import MarkedText
from ..unprobed import assembly
from .declarations import declared_names
from .directives import names_on_device
from .form import Form
from .includes import BYTE_ORDER_MARK, expand
from .insert import Names, insert_probes
from .interfaces import complete
from .jumps import leave_alone
from .lines import Directive, Statement, UnterminatedError, read_lines
from .meaning import meaning_of
from .regions import SAID_REASONS, ProcedureRegion, code_region, find_regions
from .tiny import referenced
from .units import Procedure, StructureError, find_procedures

__all__ = ["SourceUnit"]

_PROBE_NAMES: Final = expression(r"\baa_(?:enter|exit|resync)\b", re.I)
_IO: Final = expression(r"(?:write|read|print|inquire)[(*\d]")
_COARRAY: Final = expression(
    r"codimension\[|\w\[|\)\[(?=[*:\w])|^sync(?:all|memory)(?:$|\()|^sync(?:images|team)\(|^event(?:post|wait)\("
    r"|^(?:form|change)team\("
)


class SourceUnit:
    """A parsed Fortran source with its regions.

    Args:
        raw: The source, or its preprocessed text with line markers.
        source: Name of the file on the compiler's command line.
        form: The form of the source.
        include_directories: Folders to search for included files, in order; missing files are left to the compiler.
        choice: The requested regions.
        modules: Files of the modules to which submodules in the source may belong.

    Raises:
        SourceError: The text cannot be read, or has a construct that cannot have probes.
    """

    def __init__(
        self,
        raw: bytes,
        source: str,
        form: Form,
        include_directories: Sequence[str],
        choice: Choice,
        *,
        modules: Sequence[Path],
    ) -> None:
        name = os.fsencode(source).decode("latin-1")
        text = raw.decode("latin-1").removeprefix(BYTE_ORDER_MARK)
        text = text if text.endswith("\n") else f"{text}\n"
        text = expand(text, name, include_directories, form=form)
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
        complete(procedures, self.statements, modules)
        on_device = self._on_device(procedures, form)
        self.regions: list[ProcedureRegion] = find_regions(procedures, self.text, form, on_device, choice)
        self.form = form
        self.choice = choice
        self.decided = self._decided()

    def instrumented(self) -> Instrumented:
        """Return the source with probes, and its regions.

        Raises:
            SourceError: The source uses both ACHAR and CHAR as its own names, so that probes can use neither.
        """
        text = insert_probes(self.text, self.form, self.regions, self._names())
        found = self.found()
        return Instrumented(text.encode("latin-1"), found, tuple(assembly(found)))

    def _names(self) -> Names:
        """Return the names that inserted lines may use."""
        declares = any(each.code.startswith("implicitnone(") and "external" in each.code for each in self.statements)
        free = [name for name in ("achar", "char") if not self._takes(name)]
        if not free:
            raise self._error(self.statements[0], "the source redefines both ACHAR and CHAR")
        return Names(free[0], declares)

    def _takes(self, name: str) -> bool:
        """Return whether the source uses the name of an intrinsic for something else."""
        word = re.compile(rf"\b{name}\b", re.I)
        if any(word.search(each.procedure.header.text) for each in self.regions):
            return True
        mentioned = (each.code for each in self.statements if word.search(each.text))
        return any(
            code.startswith(("use", "external", "procedure")) or name in dict(declared_names(code))
            for code in mentioned
        )

    def _on_device(self, procedures: list[Procedure], form: Form) -> frozenset[str]:
        """Return the names, in lower case, of procedures that directives move to an accelerator as a whole."""
        names: set[str] = set()
        for directive in self.lines.items:
            if isinstance(directive, Directive):
                names |= names_on_device(directive, form) or frozenset()
        for procedure in procedures:
            directives = (each for step in procedure.steps for each in step.directives)
            if any(names_on_device(each, form) == frozenset() for each in directives):
                names.add(procedure.meaning.name.lower())
        return frozenset(names)

    def found(self) -> CodeRegions:
        """Return the regions in the form that all front ends share."""
        return self.choice.shown(self.decided)

    def _decided(self) -> CodeRegions:
        """Return the regions with the decision about each; a region that a jump can leave unrecorded gets a reason."""
        candidates = tuple(each for found in self.regions for each in self._candidates(found))
        decided = self.choice.decided(CodeRegions(candidates, calls=tuple(self._calls())))
        regions = iter(decided.regions)
        result: list[CodeRegion] = []
        for found in self.regions:
            whole = next(regions)
            inner = [next(regions) for _ in found.spans]
            found.region, found.reason = whole.region, whole.reason
            for span, region in zip(found.spans, inner, strict=True):
                span.region, span.reason = region.region, region.reason
            leave_alone(found)
            result.append(whole)
            result += (region._replace(reason=span.reason) for span, region in zip(found.spans, inner, strict=True))
        return decided._replace(regions=tuple(result))

    def _candidates(self, found: ProcedureRegion) -> Iterator[CodeRegion]:
        procedure = found.procedure
        ends = procedure.steps[-1].statement
        said = found.reason in SAID_REASONS
        yields = not found.forbidden
        yield CodeRegion(found.region, procedure.header.start, ends.start, found.reason, said, yields)
        yield from (code_region(procedure, each) for each in found.spans)

    def _calls(self) -> Iterator[tuple[int, int]]:
        """Yield the calls of procedures without probes: the offset of the call, and the end of the called procedure."""
        without = [each.procedure for each in self.regions if each.reason]
        ends = {each.meaning.name.lower(): each.steps[-1].statement.start for each in without}
        for step in (step for each in self.regions if ends for step in each.procedure.steps if step.is_executable):
            for name in ends.keys() & referenced(step.statement.code):
                yield step.statement.start, ends[name]

    def _refuse(self, statement: Statement) -> None:
        """Raise a SourceError for a statement with a coarray, or with a name that is reserved for probes."""
        code = statement.code
        if code.startswith("if(") and (meaning := meaning_of(statement)).action:
            code = "".join(statement.text[meaning.action_at :].lower().split())
        if _COARRAY.search(code) and not (_IO.match(code) and ")[" in code):
            raise self._error(statement, "coarrays are not supported")
        if _PROBE_NAMES.search(statement.text):
            raise self._error(statement, "this name is reserved for probes")

    def _error(self, statement: Statement, message: str) -> SourceError:
        return _error(self.text, statement.start, message)


def _markers(text: str) -> tuple[int, ...]:
    return tuple(match.start() for match in re.finditer(r"^#", text, re.M))


def _error(text: MarkedText, offset: int, message: str) -> SourceError:
    place = text.place(offset)
    return SourceError(os.fsdecode(place.file.encode("latin-1")), place.line, place.column, message)
