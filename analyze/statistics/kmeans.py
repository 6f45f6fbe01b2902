"""Clusters by k-means, and which metrics make them: F-ratios (paper 003, sections 3.3 and 4.5.2)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from scipy.spatial.distance import cdist

from ...errors import UsageError
from ..metric_space import MetricSpace, Scale, Values
from ..one_thread import one_thread
from .partition import Labels, Partition, numbered, silhouette, variance_ratios

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
        scores: Number of clusters tried → the criterion's value, which may be infinite; empty if it was given.
    """

    space: MetricSpace
    partition: Partition
    criterion: Criterion | None
    scores: dict[int, float]


@one_thread
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
        raise UsageError(f"expected 2 to {different} clusters, at most one per distinct location, found {clusters}")
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
    found = {count: _labels(some, count, _STARTS, seed) for count in range(2, most + 1)}
    return {count: score(some, labels, seed) for count, labels in found.items() if labels.max() + 1 == count}


def _labels(scaled: Values, count: int, starts: int, seed: int) -> Labels:
    from sklearn.cluster import KMeans  # noqa: PLC0415 - takes a second, and other analyses do without
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # points whose distances are roundings make fewer clusters
        found = KMeans(n_clusters=count, n_init=starts, random_state=seed).fit(scaled)
    return numbered(found.labels_)


def _davies_bouldin(values: Values, labels: Labels) -> float:
    """Give the mean over the clusters of the largest ratio of two widths to the distance between their means."""
    own = [values[labels == each] for each in range(int(labels.max()) + 1)]
    means = np.array([each.mean(axis=0) for each in own])
    widths = np.array([np.linalg.norm(each - mean, axis=1).mean() for each, mean in zip(own, means, strict=True)])
    apart = cdist(means, means)
    apart[apart == 0] = np.inf
    return float(((widths[:, None] + widths) / apart).max(axis=1).mean())


_SCORES: Final[dict[Criterion, Callable[[Values, Labels, int], float]]] = {
    "silhouette": lambda values, labels, seed: silhouette(values, labels, seed=seed) or 0.0,
    "calinski-harabasz": lambda values, labels, _: float(variance_ratios(values, labels, together=True)),
    "davies-bouldin": lambda values, labels, _: _davies_bouldin(values, labels),
}
