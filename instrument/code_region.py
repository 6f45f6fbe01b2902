"""Code regions found by front ends: each probe's descriptor, its place, or the reason why there is none."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import SourceError
from ..experiment.plan.mode import mode_of
from ..experiment.region import Region

__all__ = ["CodeRegion", "CodeRegions", "Instrumented"]


class CodeRegion(NamedTuple):
    """A region and its place in the text that is compiled.

    Attributes:
        region: The region of the probe's descriptor.
        start: Offset of the place at which it is entered.
        end: Offset right after its last character.
        reason: Why it is not instrumented; empty if it is.
        is_said: Whether a build reports this, because the region may contain much of the program.
        yields: Whether a plan that includes the region overrides the reason.
        of_modes: The modes that it belongs to, if not only that of its kind; inner loops have their own.
        of_plan: ``merge`` or ``split`` if a rule of the plan created it; then modes do not matter.
        is_often: Whether it may be entered so often that its probe is inlined, however long that takes to compile.
        keeps_scope: Whether its declarations are used behind it, so that no block may enclose it.
        is_off: Whether the reason is that none of its modes is on.
    """

    region: Region
    start: int
    end: int
    reason: str = ""
    is_said: bool = False
    yields: bool = False
    of_modes: tuple[str, ...] = ()
    of_plan: str = ""
    is_often: bool = False
    keeps_scope: bool = False
    is_off: bool = False

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes that it belongs to."""
        return self.of_modes or (mode_of(self.region.kind),)

    @property
    def is_whole_program(self) -> bool:
        """Whether the rest of the program is inside it."""
        return self.region.kind == "program" or (self.region.kind == "function" and self.region.name == "main")


class CodeRegions(NamedTuple):
    """The regions of a source.

    Attributes:
        regions: In source order, a function before its loops, including those that are not instrumented.
        problems: Text that could not be analysed, with place and reason.
        remarks: Further messages of a build.
        off: Regions found in modes that are off.
        calls: Offsets of calls of the source's functions, each with the end of the called function's region.
        statements: Number of statements in all functions; 0 if unknown, as in Fortran.
    """

    regions: tuple[CodeRegion, ...]
    problems: tuple[SourceError, ...] = ()
    remarks: tuple[str, ...] = ()
    off: tuple[CodeRegion, ...] = ()
    calls: tuple[tuple[int, int], ...] = ()
    statements: int = 0


class Instrumented(NamedTuple):
    """A source's text with probes, and its regions.

    Attributes:
        text: The text.
        found: The regions.
        assembly: Lines for the assembler that the text cannot hold.
    """

    text: bytes
    found: CodeRegions
    assembly: tuple[str, ...] = ()
