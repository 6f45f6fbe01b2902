"""Code regions as the front ends find them: what each probe will say, where it goes, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import SourceError
from ..experiment.region import Region

__all__ = ["CodeRegion", "CodeRegions", "Instrumented"]


@dataclass(frozen=True, slots=True)
class CodeRegion:
    """A region and its place in the text that goes to the compiler.

    Attributes:
        region: What its probe says.
        start: Offset of the place at which it is entered.
        end: Offset right after its last character.
        reason: Why it is not instrumented; empty if it is.
        is_said: Whether a build says so, as much of the program may be in it.
    """

    region: Region
    start: int
    end: int
    reason: str = ""
    is_said: bool = False


@dataclass(frozen=True, slots=True)
class CodeRegions:
    """What was found in a source.

    Attributes:
        regions: In source order, a function before its loops, also those not to be instrumented.
        problems: What could not be looked into, each with place and reason.
    """

    regions: tuple[CodeRegion, ...]
    problems: tuple[SourceError, ...] = ()


@dataclass(frozen=True, slots=True)
class Instrumented:
    """A source's text with probes, and the regions that were found in it."""

    text: bytes
    found: CodeRegions
