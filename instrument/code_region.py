"""Code regions as the front ends find them: what each probe will say, where it goes, or why there is none."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import SourceError
from ..experiment.plan.mode import mode_of
from ..experiment.region import Region

__all__ = ["CodeRegion", "CodeRegions", "Instrumented"]


class CodeRegion(NamedTuple):
    """A region and its place in the text that goes to the compiler.

    Attributes:
        region: What its probe says.
        start: Offset of the place at which it is entered.
        end: Offset right after its last character.
        reason: Why it is not instrumented; empty if it is.
        is_said: Whether a build says so, as much of the program may be in it.
        yields: Whether a plan that includes the region overrules the reason.
        of_modes: The modes that it belongs to, if not just the one that its kind says; inner loops have their own.
        of_plan: ``merge`` or ``split`` if a rule of the plan has made it; then it is made whatever the modes are.
        is_often: Whether it may be entered so often that its probe is inline whatever that takes to compile.
        keeps_scope: Whether what it declares lives on behind it, so that no block may stand around it.
        is_off: Whether the reason is that none of its modes is asked for.
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
        """Whether all else of a program lies in it."""
        return self.region.kind == "program" or (self.region.kind == "function" and self.region.name == "main")


class CodeRegions(NamedTuple):
    """What was found in a source.

    Attributes:
        regions: In source order, a function before its loops, also those not to be instrumented.
        problems: What could not be looked into, each with place and reason.
        remarks: What else a build says.
        off: What was found besides, of modes that nobody has asked for.
        calls: Where functions of the source are called, each with the end of the region that is the function.
        statements: How many there are in all functions; 0 where it is not told, as in Fortran.
    """

    regions: tuple[CodeRegion, ...]
    problems: tuple[SourceError, ...] = ()
    remarks: tuple[str, ...] = ()
    off: tuple[CodeRegion, ...] = ()
    calls: tuple[tuple[int, int], ...] = ()
    statements: int = 0


class Instrumented(NamedTuple):
    """A source's text with probes, and the regions that were found in it.

    Attributes:
        text: The text.
        found: The regions.
        assembly: Lines for the assembler that the text cannot hold.
    """

    text: bytes
    found: CodeRegions
    assembly: tuple[str, ...] = ()
