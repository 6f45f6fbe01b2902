"""Clusters by k-means, and which metrics make them: F-ratios (paper 003, sections 3.3 and 4.5.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score
from threadpoolctl import threadpool_limits

from ...errors import UsageError
from ..metric_space import MetricSpace, Scale, Values
from .partition import Labels, Partition, silhouette

__all__ = ["CRITERIA", "Clusters", "Criterion", "kmeans"]

Criterion = Literal["silhouette", "calinski-harabasz", "davies-bouldin"]

CRITERIA: Final[tuple[Criterion, ...]] = ("silhouette", "calinski-harabasz", "davies-bouldin")

_MOST: Final = 10  # clusters that are tried
_SAMPLE: Final = 5_000  # points by which k is chosen
_STARTS: Final = 10
_STARTS_OF_MANY: Final = 3


@dataclass(frozen=True)
class Clusters:
    """What k-means found.

    Attributes:
        space: The points.
        partition: The clusters.
        criterion: What chose their number; None if it was given.
        scores: Number of clusters tried → the criterion's value; empty if it was given.
    """

    space: MetricSpace
    partition: Partition
    criterion: Criterion | None
    scores: dict[int, float]


def kmeans(
    space: MetricSpace,
    *,
    clusters: int | None = None,
    criterion: Criterion = "silhouette",
    scale: Scale = "standard",
    seed: int = 0,
) -> Clusters:
    """Part the points so that they are near to the means of their clusters (Lloyd, k-means++, 10 starts).

    Args:
        space: The points.
        clusters: How many; if None, 2 to 10, by the criterion, of 5,000 points at most.
        criterion: The silhouette and Calinski's and Harabasz's ratio of between-cluster to within-cluster variability
            should be large, Davies's and Bouldin's ratio of widths to distances small.
        scale: How metrics are made comparable.
        seed: Of the starts, and of the sample.

    Raises:
        UsageError: More clusters than different points are wanted, or less than two.
    """
    scaled = space.scaled(scale)
    different = len(np.unique(scaled, axis=0))
    if clusters is not None and not 2 <= clusters <= different:
        raise UsageError(f"-k {clusters}: clusters from 2 to {different} wanted, as many as there are different points")
    scores = {} if clusters else _scores(scaled, criterion, seed)
    best = min if criterion == "davies-bouldin" else max
    count = clusters or (best(scores, key=lambda each: scores[each]) if scores else 2)
    starts = _STARTS if len(scaled) <= _SAMPLE else _STARTS_OF_MANY
    labels = _labels(scaled, count, starts, seed)
    return Clusters(space, Partition.of(space, labels, scaled, seed=seed), None if clusters else criterion, scores)


def _scores(scaled: Values, criterion: Criterion, seed: int) -> dict[int, float]:
    """Try numbers of clusters that leave two points at least together."""
    some = scaled
    if len(scaled) > _SAMPLE:
        some = scaled[np.random.default_rng(seed).choice(len(scaled), _SAMPLE, replace=False)]
    most = min(_MOST, len(np.unique(some, axis=0)), len(some) - 1)
    score = _SCORES[criterion]
    return {count: score(some, _labels(some, count, _STARTS, seed), seed) for count in range(2, most + 1)}


def _labels(scaled: Values, count: int, starts: int, seed: int) -> Labels:
    with threadpool_limits(1):  # others would be waited for longer than they work
        found = KMeans(n_clusters=count, n_init=starts, random_state=seed).fit(scaled)
    return np.asarray(found.labels_, dtype=np.intp)


_SCORES: Final[dict[Criterion, Callable[[Values, Labels, int], float]]] = {
    "silhouette": lambda values, labels, seed: silhouette(values, labels, seed=seed) or 0.0,
    "calinski-harabasz": lambda values, labels, _: float(calinski_harabasz_score(values, labels)),
    "davies-bouldin": lambda values, labels, _: float(davies_bouldin_score(values, labels)),
}
