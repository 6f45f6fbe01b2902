"""Code regions found by front ends: the descriptor and position of each probe, or the reason why there is none."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import SourceError
from ..experiment.plan.mode import mode_of
from ..experiment.region import Region

__all__ = ["CodeRegion", "CodeRegions", "Instrumented"]


class CodeRegion(NamedTuple):
    """A region and its position in the text that is compiled.

    Attributes:
        region: The region in the probe's descriptor.
        start: Offset at which the region is entered.
        end: Offset right after the region's last character.
        reason: Why the region is not instrumented; empty if it is.
        is_said: Whether a build reports the reason, because the region may contain much of the program.
        yields: Whether a plan that includes the region overrides the reason.
        of_modes: The modes that the region belongs to; empty for the mode of its kind.
        of_plan: ``merge`` or ``split`` if a rule of the plan created the region; then modes do not matter.
        is_often: Whether the region may be entered so often that its probe is inlined in spite of the compile time.
        keeps_scope: Whether declarations in the region are visible after it, so that no block may enclose it.
        is_off: Whether the reason is that none of the region's modes is on.
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
        """The modes that the region belongs to."""
        return self.of_modes or (mode_of(self.region.kind),)

    @property
    def is_whole_program(self) -> bool:
        """Whether the region contains all other regions: the main program."""
        return self.region.kind == "program" or (self.region.kind == "function" and self.region.name == "main")


class CodeRegions(NamedTuple):
    """The regions of a source.

    Attributes:
        regions: All regions in source order, a function before its loops, including those that are not instrumented.
        problems: Text that could not be analysed, with its location and the reason.
        remarks: Further messages for the build.
        off: Regions whose modes are off.
        calls: Calls of functions in the source: the offset of the call, and the end of the called function's region.
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
        text: The text with probes.
        found: The regions.
        assembly: Lines for the assembler that the text cannot contain.
    """

    text: bytes
    found: CodeRegions
    assembly: tuple[str, ...] = ()
