"""What a finding is worth: the time that a perfect fix would save at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .findings import Findings
from .overhead import TIMES

__all__ = ["Worth", "makespan", "worth_of_balance", "worth_of_weight"]

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Worth:
    """What a perfect fix saves at most.

    Attributes:
        seconds: Of the run.
        share: Of the program's time.
    """

    seconds: float
    share: float

    @classmethod
    def of(cls, seconds: float, program_time: float) -> Worth | None:
        """Give it; no more than all of the run; None where there is nothing to save."""
        saved = min(max(seconds, 0.0), program_time)
        return cls(saved, saved / program_time) if saved > 0 else None


def worth_of_balance(findings: Findings, regions: Sequence[int]) -> Worth | None:
    """Give what it would save if all ranks computed equally long in some regions; None of what is no time.

    That is what the slowest rank has more than the mean. Where there are fewer processors than ranks, these take
    turns, and the others' time is not all lost: see ``makespan``. Ranks of different programs have nothing to share.

    Args:
        findings: What was found.
        regions: Positions among the regions that were compared; none is below another.
    """
    performance, notes = findings.performance, findings.experiment.notes
    if performance.metric not in TIMES:
        return None
    times = performance.values[list(regions)].sum(axis=0)
    ranks = len(times)
    saved = 0.0
    for group in performance.groups:
        processors = (notes.processors or ranks) * len(group) / ranks
        own = times[group]
        saved = max(saved, makespan(own, processors) - makespan(np.full(len(own), own.mean()), processors))
    return Worth.of(saved, findings.run.program_time)


def worth_of_weight(findings: Findings, core: int) -> Worth | None:
    """Give the time of the causes that were found for a region's weight; None where none was.

    Of file I/O that is the time in its calls, of volume and many small calls that in MPI, of what is counted the
    region's time outside of both.

    Args:
        findings: What was found.
        core: Position among the regions that were weighed.
    """
    cost, causes = findings.run.weighed_costs[core], findings.explanation.of_regions
    wall, mpi, files = (each or 0.0 for each in (cost.wall_time, cost.mpi_time, cost.io_time))
    named = {each.attribute for each in causes.causes.get(core, ())}
    saved = 0.0
    if "io_bytes" in named:
        saved += files
    if "mpi_bytes" in named or core in causes.waiting or core in causes.small_calls:
        saved += mpi
    if named - {"io_bytes", "mpi_bytes"}:
        saved += wall - mpi - files
    return Worth.of(saved, findings.run.program_time)


def makespan(times: Values, processors: float) -> float:
    """Give how long work takes on processors that are shared out fairly, no rank having more than one.

    Args:
        times: ``float64[rank]``: what each rank has to compute.
        processors: As many as there are; more than there are ranks make nothing faster.
    """
    ordered = np.sort(times)
    steps = np.diff(ordered, prepend=0.0)
    at_work = np.arange(len(ordered), 0, -1)
    return float((steps * np.maximum(at_work / processors, 1.0)).sum())
