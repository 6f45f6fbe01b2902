"""Clusters by k-means, and the metrics that separate them by F-ratio (Ahn and Vetter, sections 3.3 and 4.5.2)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from ..analyze.run.arrays import Indices, Values
from ..errors import UsageError
from .chance import POINTS, Chance, against_chance
from .hierarchy import cuts
from .metric_space import MetricSpace, Scale
from .partition import Labels, Partition, cluster_means, numbered, silhouette, variance_ratios
from .single_threaded_blas import single_threaded_blas

__all__ = ["Clusters", "Criterion", "kmeans"]

Criterion = Literal["silhouette", "calinski-harabasz", "davies-bouldin"]

_MOST: Final = 10  # largest number of clusters tried
_SAMPLE: Final = 5_000  # largest number of points by which the number of clusters is chosen
_STARTS: Final = 10
_STARTS_OF_MANY: Final = 3
_STEPS: Final = 100  # limit on Lloyd's iterations; a hundred points need about ten iterations


@dataclass(frozen=True)
class Clusters:
    """The result of k-means.

    Attributes:
        space: The points.
        partition: The clusters.
        criterion: The criterion that chose the number of clusters; None if the number was given.
        scores: Number of clusters tried → value of the criterion, which may be infinite; empty if the number was given.
        chance: Comparison with homogeneous points; None if there is nothing to compare.
    """

    space: MetricSpace
    partition: Partition
    criterion: Criterion | None
    scores: dict[int, float]
    chance: Chance | None


@single_threaded_blas
def kmeans(
    space: MetricSpace,
    *,
    clusters: int | None = None,
    criterion: Criterion = "silhouette",
    scale: Scale = "standard",
    seed: int = 0,
) -> Clusters:
    """Cluster the points by k-means (Lloyd's algorithm, k-means++, 10 starts; 3 for more than 5,000 points).

    Args:
        space: The points.
        clusters: The number of clusters; if None, the criterion chooses 2 to 10 from at most 5,000 points.
        criterion: The criterion that chooses the number of clusters. The best number has the largest silhouette, the
            largest ratio of variability between clusters to variability within clusters (Calinski and Harabasz), or the
            smallest ratio of clusters' widths to their distances (Davies and Bouldin).
        scale: How metrics are scaled.
        seed: Seed of the starts, of the sample, and of the simulated points for comparison.

    Raises:
        UsageError: More clusters than distinct points are requested, or fewer than two clusters.
    """
    scaled = space.scaled(scale)
    different = len(np.unique(scaled, axis=0))
    if clusters is not None and not 2 <= clusters <= different:
        raise UsageError(f"expected 2 to {different} clusters, at most one per distinct location, found {clusters}")
    rows = _some(len(scaled), seed)
    some = scaled[rows]
    found = _tried(some, range(2, _most(some) + 1) if clusters is None else [clusters], seed)
    likewise = found if len(some) > POINTS else _nearest(some, found)
    chance = against_chance(space.values[rows], likewise, _nearest, scale=scale, seed=seed)
    scores = {} if clusters else {count: _SCORES[criterion](some, labels, seed) for count, labels in found.items()}
    count = clusters or (_best(scores, criterion, chance) if scores else 2)
    starts = _STARTS if len(scaled) <= _SAMPLE else _STARTS_OF_MANY
    labels = found[count] if len(some) == len(scaled) and count in found else _labels(scaled, count, starts, seed)
    likelihood = chance.likelihood if chance else None
    partition = Partition.of(space, labels, scaled, chance=likelihood, seed=seed)
    return Clusters(space, partition, None if clusters else criterion, scores, chance)


def _some(points: int, seed: int) -> Indices:
    """Return the positions of the points by which the number of clusters is chosen: all, or a sample of many."""
    if points <= _SAMPLE:
        return np.arange(points)
    return np.random.default_rng(seed).choice(points, _SAMPLE, replace=False)


def _most(points: Values) -> int:
    """Return the largest number of clusters to try, so that at least two points share a cluster."""
    return min(_MOST, len(np.unique(points, axis=0)), len(points) - 1)


def _tried(points: Values, counts: Collection[int], seed: int) -> dict[int, Labels]:
    found = {count: _labels(points, count, _STARTS, seed) for count in counts}
    return {count: labels for count, labels in found.items() if labels.max() + 1 == count}


def _best(scores: dict[int, float], criterion: Criterion, chance: Chance | None) -> int:
    """Choose the number of clusters by the criterion.

    The mean silhouette compares the widths of clusters with the distances to their nearest neighbours. So two clusters
    that are close together, but far from all others, score equally well separate or merged. Silhouettes that differ by
    no more than those of simulated sets are a tie, which the gap statistic decides.
    """
    best = min if criterion == "davies-bouldin" else max
    count = best(scores, key=lambda each: scores[each])
    other = chance.enough if criterion == "silhouette" and chance else None
    return other if chance and other and scores[other] >= scores[count] - chance.spreads[other] else count


def _nearest(points: Values, counts: Collection[int]) -> dict[int, Labels]:
    """Map each number of clusters to the labels of k-means, ``int[point]``, started from the clusters of Ward's tree.

    This is fast for many small sets of points.
    """
    return {count: _moved(points, labels) for count, labels in cuts(points, counts).items()}


def _moved(points: Values, labels: Labels) -> Labels:
    """Move each point to the cluster with the nearest mean (Lloyd), until no point moves or a cluster becomes empty."""
    for _ in range(_STEPS):
        means = cluster_means(points, labels)
        nearest = (np.square(means).sum(axis=1) - 2 * points @ means.T).argmin(axis=1)
        if not np.bincount(nearest, minlength=len(means)).all() or (nearest == labels).all():
            break
        labels = nearest
    return labels


def _labels(scaled: Values, count: int, starts: int, seed: int) -> Labels:
    from sklearn.cluster import KMeans  # noqa: PLC0415 - takes a second, and other analyses do not need it
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415

    with warnings.catch_warnings():
        # scikit-learn warns if there are fewer distinct points than clusters, which rounding may cause.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = KMeans(n_clusters=count, n_init=starts, random_state=seed).fit(scaled)
    return numbered(found.labels_)


def _davies_bouldin(values: Values, labels: Labels) -> float:
    """Return the Davies-Bouldin index: the mean over clusters of the largest ratio of two widths to their distance."""
    from scipy.spatial.distance import cdist  # noqa: PLC0415 - takes half a second

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
