"""The procedures of a program and their regions, as found in a call forest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from ..call_path import CallPath
from ..region import Region

__all__ = ["Procedure", "Program", "Version", "is_enclosed", "place_of"]


@dataclass(eq=False)
class Procedure:
    """A procedure: its own regions, the regions inside it, and its callers and callees in the call forest.

    Attributes:
        file: The source file, as named on the compiler's command line.
        name: The procedure's name.
        own: Regions that span the whole procedure; more than one only if a tool distinguishes several.
        inner: Regions inside the procedure, sorted by kind and ordinal.
        callers: Procedures that call this one.
        below: Names of the procedures that this one calls.
    """

    file: str
    name: str
    own: list[Region] = field(default_factory=list)
    inner: list[Region] = field(default_factory=list)
    callers: set[Procedure | None] = field(default_factory=set)
    below: set[str] = field(default_factory=set)

    @property
    def lines(self) -> tuple[int, int] | None:
        """First and last line; None if unknown."""
        return next(((each.first_line, each.last_line) for each in self.own if each.first_line > 0), None)

    @property
    def length(self) -> int:
        """The number of lines; 0 if unknown."""
        return max(0, self.lines[1] - self.lines[0] + 1) if self.lines else 0

    @property
    def file_name(self) -> str:
        """The name of the procedure's file without the folder."""
        return PurePath(self.file).name

    def shown(self) -> set[tuple[str, int]]:
        """Return the kind and ordinal of each region inside the procedure."""
        return {(each.kind, each.ordinal) for each in self.inner}

    def kinds(self) -> dict[str, list[Region]]:
        """Return the enclosed regions of each kind, ordered by ordinal."""
        found: dict[str, list[Region]] = {}
        for region in self.inner:
            found.setdefault(region.kind, []).append(region)
        return found


@dataclass
class Program:
    """The procedures of a call forest.

    Attributes:
        procedures: File and name → procedure, in the order of the call paths.
        below: Region → names of the procedures that it calls directly.
    """

    procedures: dict[tuple[str, str], Procedure] = field(default_factory=dict)
    below: dict[Region, set[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, paths: Sequence[CallPath]) -> Program:
        """Return the procedures of a call forest."""
        program = cls()
        for region in dict.fromkeys(path.region for path in paths):
            procedure = program.procedures.setdefault(place_of(region), Procedure(*place_of(region)))
            (procedure.inner if is_enclosed(region) else procedure.own).append(region)
            program.below[region] = set()
        for procedure in program.procedures.values():
            procedure.own.sort(key=lambda region: (region.first_line, region.last_line))
            procedure.inner.sort(key=lambda region: (region.kind, region.ordinal, region.first_line))
        for path in paths:
            program._take_call(paths[path.parent].region if path.parent is not None else None, path.region)
        return program

    def procedure(self, region: Region) -> Procedure:
        """Return the procedure of a region; the region is the procedure itself or inside it."""
        return self.procedures[place_of(region)]

    def _take_call(self, caller: Region | None, callee: Region) -> None:
        called = self.procedure(callee)
        calling = self.procedure(caller) if caller else None
        if called is calling:
            return
        called.callers.add(calling)
        if caller and calling:
            self.below[caller].add(called.name)
            calling.below.add(called.name)


@dataclass(frozen=True)
class Version:
    """A version of a program that is part of a union of several versions.

    Attributes:
        program: The version's procedures.
        names: Region of the version → region of the union.
    """

    program: Program
    names: Mapping[Region, Region]


def place_of(region: Region) -> tuple[str, str]:
    """Return the file and the name of a region's procedure; the region is the procedure itself or inside it."""
    return region.file, region.function or region.name


def is_enclosed(region: Region) -> bool:
    """Return whether a region is inside a procedure, rather than the procedure itself."""
    return region.function not in ("", region.name)
