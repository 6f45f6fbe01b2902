"""The cost of imbalance: the time for which other ranks idle while the slowest one is still busy in a region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..dissimilarity.rank_vectors import RankVectors
from ..run.compute_time import Computing
from ..run.overhead import TIMES
from .analysis import Analysis

__all__ = ["Loss", "losses"]

_ROUNDING: Final = 1e-12  # share of the longest time: the rounding error of a sum of equal times


@dataclass(frozen=True, slots=True)
class Loss:
    """The cost of imbalance in one region's own time, without the regions below it; times in seconds.

    Attributes:
        region: Position among the code regions.
        loss: (``longest`` - ``mean``) times the number of ranks, or of threads if these are compared.
        longest: The time of the slowest rank.
        mean: The mean over the ranks of one program; for threads, the mean over the threads that work in the region.
        factor: ``longest`` divided by ``mean``; None if the mean is 0.
        slowest: The slowest rank, or thread as ``rank.thread``.
    """

    region: int
    loss: float
    longest: float
    mean: float
    factor: float | None
    slowest: int | str


def losses(findings: Analysis) -> list[Loss]:
    """Return the cost of imbalance in each region and program in which ranks differ, the highest first.

    Excluded ranks do not count. The times are the compared ones: without the overhead of probes, and distributed over
    ranks like their counts.
    """
    vectors = findings.vectors
    if vectors.metric not in TIMES:
        metric = "compute_time" if Computing.is_measured(findings.experiment) else "wall_time"
        vectors = RankVectors.selected(findings.differences.selection, metric=metric)
    threads, columns_of_all = vectors.selection.threads, vectors.selection.columns
    own_time = threads.own[:, columns_of_all] if threads else None  # other columns hold another thread's time
    found = []
    for region, each in enumerate(vectors.regions):
        below = vectors.values[list(each.children)].sum(axis=0)
        for group in vectors.groups:
            columns = group if own_time is None else group[own_time[each.id, group]]
            if not len(columns):
                continue
            inclusive = vectors.values[region][columns]
            own = inclusive - below[columns]
            slowest, mean = int(own.argmax()), float(own.mean())
            loss = float(own[slowest]) - mean
            if loss > _ROUNDING * float(inclusive.max()):
                factor = float(own[slowest]) / mean if mean > 0 else None
                label = vectors.labels[columns[slowest]]
                found.append(Loss(region, loss * len(columns), float(own[slowest]), mean, factor, label))
    return sorted(found, key=lambda each: -each.loss)
