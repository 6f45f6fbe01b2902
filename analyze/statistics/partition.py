"""Points shared out among clusters: how well, by which metrics, and what each cluster is like (paper 003, 3.3)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
from sklearn.feature_selection import f_classif
from sklearn.metrics import silhouette_samples

from ..metric_space import MetricSpace, Values

__all__ = ["DISTINCT", "WEAK", "Partition", "numbered", "silhouette"]

Labels = npt.NDArray[np.intp]

# Mean silhouettes from which Kaufman and Rousseeuw (Finding Groups in Data, 1990) speak of a reasonable structure, and
# below which of none.
DISTINCT: Final = 0.5
WEAK: Final = 0.25

_SAMPLE: Final = 2000  # points of which silhouettes are computed: distances of all to all


@dataclass(frozen=True)
class Partition:
    """Clusters of the points of a metric space.

    Attributes:
        labels: ``int[point]``, the number of its cluster; clusters are numbered from 0 by their first points.
        silhouette: Mean over the points: 1 is far apart, 0 is no structure; None of one cluster, or one a point.
        f_ratios: ``float64[metric]``, between-cluster over within-cluster variability; inf where the members of all
            clusters are equal, NaN where there is none.
        means: ``float64[cluster, metric]`` in the metrics' units.
        typical: ``int[cluster]``, the member that is nearest to the mean of its cluster.
    """

    labels: Labels
    silhouette: float | None
    f_ratios: Values
    means: Values
    typical: npt.NDArray[np.intp]

    @classmethod
    def of(cls, space: MetricSpace, labels: npt.ArrayLike, scaled: Values, *, seed: int = 0) -> Partition:
        """Judge a partition of a space; ``scaled`` are the values by which it was made."""
        own = numbered(labels)
        count = int(own.max()) + 1
        rows = [np.flatnonzero(own == each) for each in range(count)]
        means = np.array([space.values[each].mean(axis=0) for each in rows])
        typical = np.array([each[_nearest_to_mean(scaled[each])] for each in rows], dtype=np.intp)
        return cls(own, silhouette(scaled, own, seed=seed), _f_ratios(space, own), means, typical)

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return len(self.means)

    @cached_property
    def members(self) -> tuple[npt.NDArray[np.intp], ...]:
        """Positions of the points of each cluster."""
        return tuple(np.flatnonzero(self.labels == each) for each in range(self.count))

    @cached_property
    def by_f_ratio(self) -> list[int]:
        """Columns of the metrics, the largest F-ratio first; without those that have none."""
        order = np.argsort(-np.nan_to_num(self.f_ratios, nan=-1.0), kind="stable")
        return [int(column) for column in order if not np.isnan(self.f_ratios[column])]


def numbered(labels: npt.ArrayLike) -> Labels:
    """Number clusters from 0 in the order of their first points."""
    _, first, inverse = np.unique(np.asarray(labels), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse.ravel()]


def silhouette(scaled: Values, labels: Labels, *, seed: int = 0) -> float | None:
    """Give the mean silhouette; of many points that of a sample of each cluster, weighted by the clusters' sizes."""
    sizes = np.bincount(labels)
    if not 1 < len(sizes) < len(labels):
        return None
    rows = np.arange(len(labels))
    if len(rows) > _SAMPLE:
        drawn = np.random.default_rng(seed)
        most = max(2, _SAMPLE // len(sizes))
        clusters = (np.flatnonzero(labels == each) for each in range(len(sizes)))
        rows = np.concatenate([drawn.choice(each, min(most, len(each)), replace=False) for each in clusters])
    taken = labels[rows]
    widths = silhouette_samples(scaled[rows], taken)
    means = np.bincount(taken, weights=widths) / np.bincount(taken)
    return float(np.average(means, weights=sizes))


def _nearest_to_mean(values: Values) -> int:
    return int(np.square(values - values.mean(axis=0)).sum(axis=1).argmin())


def _f_ratios(space: MetricSpace, labels: Labels) -> Values:
    count = int(labels.max()) + 1
    if not 1 < count < len(labels):
        return np.full(len(space.metrics), np.nan)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of metrics that are constant within the clusters: those are infinite
        found = np.asarray(f_classif(space.scaled(), labels)[0], dtype=np.float64)
    within = np.array(
        [space.values[labels == each].max(0) - space.values[labels == each].min(0) for each in range(count)]
    )
    return np.where((within == 0).all(axis=0), np.inf, found)
