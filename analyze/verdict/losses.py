"""The cost of imbalance: the time that other ranks could have used while the slowest was in a region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..dissimilarity.rank_vectors import RankVectors
from ..run.compute_time import Computing
from ..run.overhead import TIMES
from .analysis import Analysis

__all__ = ["Loss", "losses"]

_ROUNDING: Final = 1e-12  # of the longest time: the rounding error of a sum of equal times


@dataclass(frozen=True, slots=True)
class Loss:
    """What the imbalance of a region's own time costs, in seconds.

    Attributes:
        region: Its position among the code regions.
        loss: (longest - mean) x ranks, or threads where these are compared: those that ``mean`` is over.
        longest: Of the slowest rank.
        mean: Over the ranks of one program; of threads over those whose own time it is, which are the first ones of
            the ranks where these alone work.
        factor: ``longest`` over ``mean``, no seconds; None where the mean is none.
        slowest: That rank, or thread.
    """

    region: int
    loss: float
    longest: float
    mean: float
    factor: float | None
    slowest: int | str


def losses(findings: Analysis) -> list[Loss]:
    """Return the regions in which ranks differ, for each program, most costly first; excluded ranks do not count.

    Times are those that are compared: without what probes took, and as the ranks' work shares them out.
    """
    vectors = findings.vectors
    if vectors.metric not in TIMES:
        metric = "compute_time" if Computing.is_measured(findings.experiment) else "wall_time"
        vectors = RankVectors.selected(findings.differences.selection, metric=metric)
    threads, columns_of_all = vectors.selection.threads, vectors.selection.columns
    own_time = threads.own[:, columns_of_all] if threads else None  # else they have that of another thread
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
