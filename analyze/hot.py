"""Where the time goes: regions by their own time, without what stands below them."""

from __future__ import annotations

from dataclasses import dataclass

from .findings import Findings
from .selection import complete
from .summary import summary

__all__ = ["Hot", "hot_regions"]


@dataclass(frozen=True, slots=True)
class Hot:
    """A region's own time in seconds, a mean over the processes.

    Attributes:
        region: Its position among the code regions.
        own_wall_time: Of each process's first thread.
        own_mpi_time: What of that is in MPI calls; None if it was not measured.
    """

    region: int
    own_wall_time: float
    own_mpi_time: float | None


def hot_regions(findings: Findings) -> list[Hot]:
    """List the regions that have time of their own, most first."""
    experiment, everything = findings.experiment, findings.run.weighed
    wall, mpi = (
        (summary(experiment, name).first[[each.id for each in everything.regions]] / len(everything.ranks)).tolist()
        if complete(experiment, name)
        else [None] * len(everything.regions)
        for name in ("wall_time", "mpi_time")
    )
    found = [Hot(region, *times) for region, times in enumerate(zip(wall, mpi, strict=True)) if times[0] > 0]
    return sorted(found, key=lambda each: -each.own_wall_time)
