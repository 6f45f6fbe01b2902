"""What imbalance costs: the time that others could have had while the slowest rank was in a region."""

from __future__ import annotations

from dataclasses import dataclass

from .compute_time import compared_values
from .findings import Findings
from .selection import complete

__all__ = ["Loss", "losses"]

_TIMES = ("compute_time", "cpu_time", "wall_time")


@dataclass(frozen=True, slots=True)
class Loss:
    """What the imbalance of a region's own time costs, in seconds.

    Attributes:
        region: Its position among the code regions.
        loss: (longest - mean) x ranks, or threads where these are compared.
        longest: Of the slowest rank.
        mean: Over the ranks of one program.
        slowest: That rank, or thread.
    """

    region: int
    loss: float
    longest: float
    mean: float
    slowest: int | str


def losses(findings: Findings) -> list[Loss]:
    """List the regions in which ranks differ, for each program, the most costly first; excluded ranks do not count."""
    performance, selection = findings.performance, findings.differences.selection
    has_compute = all(complete(findings.experiment, name) for name in ("cpu_time", "mpi_cpu_time"))
    metric = performance.metric if performance.metric in _TIMES else "compute_time" if has_compute else "wall_time"
    own, found = selection.own_by_rank(compared_values(findings.experiment, metric)), []
    for region, times in enumerate(own):
        for columns in performance.groups:
            longest, mean = float(times[columns].max()), float(times[columns].mean())
            if longest > mean:
                slowest = selection.labels[columns[int(times[columns].argmax())]]
                found.append(Loss(region, (longest - mean) * len(columns), longest, mean, slowest))
    return sorted(found, key=lambda each: -each.loss)
