"""A partition of points into clusters: quality, metrics, typical members, recursion (Ahn and Vetter, 3.3, 4.8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from ..analyze.run.arrays import Indices, Values
from ..errors import AutoanalyzerError
from .metric_space import ROUNDING, MetricSpace

__all__ = [
    "DISTINCT",
    "LEVEL",
    "WEAK",
    "Labels",
    "Part",
    "Partition",
    "cluster_means",
    "numbered",
    "recursively",
    "silhouette",
    "silhouettes",
    "variance_ratios",
]

Labels = Indices

# At this mean silhouette or more, Kaufman and Rousseeuw (Finding Groups in Data, 1990) see a reasonable structure;
# below ``WEAK``, they see no structure.
DISTINCT: Final = 0.5
WEAK: Final = 0.25

# Accepted rate of false alarms, when homogeneous points are reported as clustered. At this level, 97 of 100 test series
# of 100 sets each report at most 5 sets as clustered.
LEVEL: Final = 0.025

_APART: Final = 0.1  # least distance of a cluster's mean from the mean of all other points, in standard deviations
_SAMPLE: Final = 2000  # largest number of points without sampling; silhouettes need all pairwise distances

Result = TypeVar("Result")

_LEAST: Final = 4  # minimum number of points for an analysis
_DEEPEST: Final = 3


@dataclass(frozen=True)
class Partition:
    """Clusters of the points of a metric space.

    Attributes:
        labels: ``int[point]``, the number of each point's cluster; clusters are numbered from 0 in the order of their
            first points.
        silhouette: Mean over the points: 1 if clusters are far apart, 0 if there is no structure; None for one cluster,
            or one cluster per point.
        f_ratios: ``float64[metric]``, between-cluster over within-cluster variability; inf if all members of each
            cluster are equal, NaN if undefined.
        means: ``float64[cluster, metric]`` in the metrics' units.
        deviations: ``float64[cluster, metric]``, distance of the clusters' means from the mean of all points, in
            standard deviations.
        typical: ``int[cluster]``, the member closest to the mean of its cluster.
        chance: Probability that homogeneous points look as clustered; None if not compared.
    """

    labels: Labels
    silhouette: float | None
    f_ratios: Values
    means: Values
    deviations: Values
    typical: Indices
    chance: float | None = None

    @classmethod
    def of(
        cls, space: MetricSpace, labels: npt.ArrayLike, scaled: Values, *, chance: float | None = None, seed: int = 0
    ) -> Partition:
        """Evaluate a partition of a space.

        Args:
            space: The points.
            labels: ``int[point]``: the cluster of each point.
            scaled: ``float64[point, metric]``: the scaled values that were clustered.
            chance: As in ``Partition``.
            seed: Seed of the sample for the silhouette.
        """
        own = numbered(labels)
        count = int(own.max()) + 1
        rows = [np.flatnonzero(own == each) for each in range(count)]
        means = np.array([space.values[each].mean(axis=0) for each in rows])
        standard = space.scaled()
        return cls(
            own,
            silhouette(scaled, own, seed=seed),
            variance_ratios(standard, own),
            means,
            np.array([standard[each].mean(axis=0) for each in rows]),
            np.array([each[_nearest_to_mean(scaled[each])] for each in rows], dtype=np.intp),
            chance,
        )

    @property
    def count(self) -> int:
        """The number of clusters."""
        return len(self.means)

    @property
    def by_chance(self) -> bool:
        """Whether homogeneous points look as clustered in more than 2.5 of 100 cases."""
        return self.chance is not None and self.chance > LEVEL

    @cached_property
    def members(self) -> tuple[Indices, ...]:
        """Positions of the points of each cluster."""
        return tuple(np.flatnonzero(self.labels == each) for each in range(self.count))

    @cached_property
    def columns(self) -> list[int]:
        """Columns of the metrics, largest F-ratio first, metrics without an F-ratio last."""
        return [int(column) for column in np.argsort(-self.f_ratios, kind="stable")]

    @property
    def by_f_ratio(self) -> list[int]:
        """Columns of the metrics with an F-ratio, largest first."""
        return [column for column in self.columns if not np.isnan(self.f_ratios[column])]

    def by_deviation(self, cluster: int) -> list[int]:
        """Return the columns of metrics in which a cluster differs from all other points, largest difference first.

        Among equal differences, the metric with the larger F-ratio comes first. Metrics are left out if the means of
        the cluster and of the other points are within a tenth of a standard deviation.
        """
        others = len(self.labels) - len(self.members[cluster])
        away = np.abs(self.deviations[cluster]).round(12) * (len(self.labels) / others if others else 0.0)
        return sorted((column for column in self.columns if away[column] >= _APART), key=lambda column: -away[column])


def numbered(labels: npt.ArrayLike) -> Labels:
    """Number clusters from 0 in the order of their first points; ``int[point]``."""
    _, first, inverse = np.unique(np.asarray(labels), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse.ravel()]


def cluster_means(values: Values, labels: Labels) -> Values:
    """Return the mean of each cluster, ``float64[cluster, metric]``; fast for few points."""
    sizes = np.bincount(labels)
    return np.asarray((np.eye(len(sizes))[labels].T @ values) / sizes[:, None])


def variance_ratios(values: Values, labels: Labels, *, together: bool = False) -> Values:
    """Return the variability between clusters divided by the variability within them.

    Deviations are computed in two passes, because sums of squares would lose digits.

    Args:
        values: ``float64[point, metric]``.
        labels: ``int[point]``, from 0.
        together: Whether to compute one ratio for all metrics together (Calinski and Harabasz) instead of one per
            metric (the F-ratio).

    Returns:
        ``float64[metric]``, or one number if ``together``; inf if all members of each cluster are equal except for
        rounding, NaN for one cluster, or one cluster per point.
    """
    sizes = np.bincount(labels)
    if not 1 < len(sizes) < len(labels):
        return np.full(() if together else values.shape[1], np.nan)
    means = np.array([values[labels == each].mean(axis=0) for each in range(len(sizes))])
    between = sizes @ np.square(means - values.mean(axis=0))
    within = np.square(values - means[labels]).sum(axis=0)
    if together:
        between, within = between.sum(), within.sum()
    freedom = (len(labels) - len(sizes)) / (len(sizes) - 1)
    differ = within > ROUNDING**2 * (between + within)
    return np.asarray(np.divide(freedom * between, within, out=np.full(np.shape(within), np.inf), where=differ))


def silhouette(scaled: Values, labels: Labels, *, seed: int = 0) -> float | None:
    """Return the mean silhouette; for many points, estimated from a sample of each cluster, weighted by sizes.

    Args:
        scaled: ``float64[point, metric]``.
        labels: ``int[point]``, numbered from 0.
        seed: Seed of the sample.

    Returns:
        None if there is one cluster, or one cluster per point.
    """
    return silhouettes(scaled, [labels], seed=seed)[0]


def silhouettes(scaled: Values, partitions: Sequence[Labels], *, seed: int = 0) -> list[float | None]:
    """Return ``silhouette`` for several partitions of the same points; distances are computed only once."""
    if len(scaled) > _SAMPLE:
        return [_of_a_sample(scaled, each, seed) for each in partitions]
    distances = _distances(scaled)
    return [_mean_silhouette(distances, each, np.bincount(each)) for each in partitions]


def _of_a_sample(scaled: Values, labels: Labels, seed: int) -> float | None:
    sizes = np.bincount(labels)
    drawn = np.random.default_rng(seed)
    most = max(2, _SAMPLE // len(sizes))
    clusters = (np.flatnonzero(labels == each) for each in range(len(sizes)))
    rows = np.concatenate([drawn.choice(each, min(most, len(each)), replace=False) for each in clusters])
    return _mean_silhouette(_distances(scaled[rows]), labels[rows], sizes)


def _distances(points: Values) -> Values:
    from scipy.spatial.distance import cdist  # noqa: PLC0415 - takes half a second

    return np.asarray(cdist(points, points))


def _mean_silhouette(distances: Values, labels: Labels, weights: Indices) -> float | None:
    """Return the weighted mean of the clusters' silhouettes, from the points' distances, ``float64[point, point]``."""
    sizes = np.bincount(labels)
    if not 1 < len(sizes) < len(labels):
        return None
    means = np.bincount(labels, weights=_widths(distances, labels, sizes)) / sizes
    return float((means * weights).sum() / weights.sum())


def _widths(apart: Values, labels: Labels, sizes: Indices) -> Values:
    """Return each point's silhouette: the mean distance to the nearest other cluster minus that within its own.

    The difference is divided by the larger of the two distances. The result is 0 for the only point of a cluster.
    """
    distances = apart @ np.eye(len(sizes))[labels] / sizes
    own = np.arange(len(labels)), labels
    within = distances[own] * sizes[labels] / np.maximum(sizes[labels] - 1, 1)
    distances[own] = np.inf
    nearest = distances.min(axis=1)
    larger = np.maximum(within, nearest)
    counts = (sizes[labels] > 1) & (larger > 0)
    return np.asarray(np.divide(nearest - within, larger, out=np.zeros(len(labels)), where=counts))


def _nearest_to_mean(values: Values) -> int:
    return int(np.square(values - values.mean(axis=0)).sum(axis=1).argmin())


@dataclass(frozen=True)
class Part(Generic[Result]):
    """The analysis of one cluster in a recursive analysis.

    Attributes:
        path: Numbers of the clusters that contain the points, from 1, outermost first; empty for all points.
        result: The result of the analysis.
        parts: The analyses of its own clusters, if these are distinct.
        without: Number of a cluster whose analysis failed → the reason.
        ended: Why the clusters of this part are not analysed; None if they are analysed.
    """

    path: tuple[int, ...]
    result: Result
    parts: tuple[Part[Result], ...] = ()
    without: Mapping[int, str] = field(default_factory=dict)
    ended: str | None = None


def recursively(
    space: MetricSpace,
    analysis: Callable[[MetricSpace], Result],
    clusters: Callable[[MetricSpace, Result], Partition],
    path: tuple[int, ...] = (),
) -> Part[Result]:
    """Analyse a space, then each cluster of at least four points, recursively, down to three levels.

    Clusters are only analysed if their silhouette is at least ``DISTINCT``, and chance rarely produces such clusters.

    Args:
        space: The points.
        analysis: Analyses the points.
        clusters: Returns the clusters to divide the points into, from the points and their analysis.
        path: As in ``Part``; empty except in recursive calls.

    Raises:
        AutoanalyzerError: The analysis of the whole space fails.
    """
    result = analysis(space)
    if len(path) == _DEEPEST:
        return Part(path, result, ended=f"the limit is {_DEEPEST} levels")
    partition = clusters(space, result)
    if partition.silhouette is None or partition.silhouette < DISTINCT:
        found = "none" if partition.silhouette is None else f"{partition.silhouette:.2f}"
        return Part(path, result, ended=f"splitting needs a silhouette of at least {DISTINCT}, found {found}")
    if partition.by_chance:
        found = f"{100 * (partition.chance or 0):.3g}"
        ended = f"chance produces such clusters in {found} of 100 cases (the limit is {100 * LEVEL:g})"
        return Part(path, result, ended=ended)
    parts, without = [], {}
    for number, rows in enumerate(partition.members, start=1):
        if len(rows) >= _LEAST:
            try:
                parts.append(recursively(space.part(rows), analysis, clusters, (*path, number)))
            except AutoanalyzerError as error:
                without[number] = str(error)
    no_more = None if parts or without else f"no cluster has at least {_LEAST} locations"
    return Part(path, result, tuple(parts), without, no_more)
