"""Test whether points are more clustered than homogeneous points, and find how many clusters are not due to chance."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from ..analyze.run.arrays import Values
from .metric_space import ROUNDING, Scale, scaled
from .partition import Labels, cluster_means, silhouettes

__all__ = ["POINTS", "Chance", "Cut", "OneKind", "against_chance"]

_POWERS: Final = (
    0.0,
    0.25,
    0.5,
    0.75,
    1.0,
)  # exponents; 0 is the logarithm, 1 leaves values unchanged
_LARGEST: Final = float(np.finfo(np.float64).max)

# Largest number of points in a simulated set. Chance affects larger sets less, so this size gives an upper bound.
POINTS: Final = 128

_SETS: Final = 199  # number of simulated sets; with the real set, there are 200
_MOST: Final = POINTS // 4  # largest number of clusters to compare
# Least mean number of points per cluster. With fewer, a cluster's width is meaningless, because two points may be close
# by chance.
_EACH: Final = 3

# Assigns points, ``float64[point, metric]``, to clusters, for each requested number of clusters.
Cut = Callable[[Values, Collection[int]], Mapping[int, Labels]]


@dataclass(frozen=True)
class OneKind:
    """A distribution of points without clusters: normal after power transforms, with the correlations of given points.

    Normal points have no clusters. The drawn sets are the given points rotated at random about their mean (rotation
    test: O. Langsrud, Statistics and Computing 15, 2005), so each set has the same mean and covariance. If the given
    points are normal, with any correlations, they are one such set. So a test at 5 % is wrong in 5 % of cases, even
    with few points. Simulation with an estimated covariance (SigClust: Y. Liu, D. Hayes, A. Nobel and J. Marron, JASA
    103, 2008) achieves this only with many points. Permuting each metric, or drawing uniform points, would break
    correlations: one factor common to all metrics would then look like clusters.

    Times and counts are often skewed, and the tail of a skewed metric looks like a cluster. So each positive metric is
    transformed by the power, from the logarithm to the metric itself, that makes it closest to normal (G. Box and D.
    Cox, Journal of the Royal Statistical Society B 26, 1964), and the drawn points are transformed back. No power
    merges two clusters.

    Attributes:
        exponents: ``int[metric]``, powers of 2 that keep squares of huge and tiny values in range.
        sizes: ``float64[metric]``, geometric means; 1 for a metric that is not positive.
        powers: ``float64[metric]``, exponents of the transform.
        centre: ``float64[metric]``, means of the transformed values.
        axes: ``float64[axis, metric]``, principal axes of the transformed values; their squares add up to the
            variances.
    """

    exponents: Values
    sizes: Values
    powers: Values
    centre: Values
    axes: Values

    @classmethod
    def like(cls, values: Values) -> OneKind:
        """Fit the distribution to points, ``float64[point, metric]``."""
        _, exponents = np.frexp(np.abs(values).max(axis=0))
        relative = np.ldexp(values, -exponents)
        positive = relative.min(axis=0) > 0
        sizes = np.exp(np.log(np.where(positive, relative, 1.0)).mean(axis=0))
        powers = np.array(
            [
                _most_normal(column / size) if above else 1.0
                for column, size, above in zip(relative.T, sizes, positive, strict=True)
            ]
        )
        raised = np.stack([_raised(*each) for each in zip((relative / sizes).T, powers, strict=True)], axis=1)
        centre = raised.mean(axis=0)
        _, lengths, directions = np.linalg.svd((raised - centre) / np.sqrt(len(raised)), full_matrices=False)
        there = lengths > lengths.max() * np.finfo(np.float64).eps * len(raised)
        return cls(exponents, sizes, powers, centre, lengths[there, None] * directions[there])

    def draw(self, drawn: np.random.Generator, count: int) -> Values:
        """Draw a set of ``count`` homogeneous points, ``float64[point, metric]``."""
        frame = drawn.standard_normal((count, len(self.axes)))
        if count > len(self.axes):
            frame, upper = np.linalg.qr(frame - frame.mean(axis=0))
            frame *= np.sqrt(count) * np.sign(np.diag(upper))
        raised = self.centre + frame @ self.axes
        with np.errstate(over="ignore"):  # extreme powers overflow and are replaced by the largest number
            columns = [_lowered(*each) for each in zip(raised.T, self.powers, strict=True)]
            points = np.ldexp(np.stack(columns, axis=1) * self.sizes, self.exponents)
        return np.clip(points, -_LARGEST, _LARGEST)


def _raised(column: Values, power: float) -> Values:
    return np.asarray(np.log(column) if power == 0 else column if power == 1 else (column**power - 1) / power)


def _lowered(column: Values, power: float) -> Values:
    if power in (0, 1):
        return np.exp(column) if power == 0 else column
    return np.asarray(np.maximum(power * column + 1, 0.0) ** (1 / power))


def _most_normal(column: Values) -> float:
    """Return the power that makes a column closest to normal.

    The column must have a geometric mean of 1. Then the power with the largest likelihood has the smallest variance.
    """
    return min(reversed(_POWERS), key=lambda power: float(_raised(column, power).var()))


@dataclass(frozen=True)
class Chance:
    """Statistics of homogeneous points, for comparison with the clusters found.

    Attributes:
        likelihood: Probability that homogeneous points look as clustered as the given points, at least 0.005.
        spreads: Number of clusters → standard deviation of the silhouettes of homogeneous points.
        gaps: Number of clusters → logarithm of a ratio: the variance within clusters of homogeneous points, divided by
            that of the given points.
        errors: Number of clusters → standard error of this logarithm.
    """

    likelihood: float
    spreads: dict[int, float]
    gaps: dict[int, float]
    errors: dict[int, float]

    @property
    def enough(self) -> int | None:
        """The smallest number of clusters that one more cluster does not improve; None if there is none.

        One more cluster counts as an improvement only if it widens the gap by more than the gap's standard error.
        """
        counts = sorted(self.gaps)
        return next(
            (one for one, more in pairwise(counts) if self.gaps[one] >= self.gaps[more] - self.errors[more]), None
        )


def against_chance(
    values: Values, labels: Mapping[int, Labels], cut: Cut, *, scale: Scale = "standard", seed: int = 0
) -> Chance | None:
    """Compare clusters with those of 199 simulated sets of homogeneous points (``OneKind``).

    Two statistics are used, each the maximum over the numbers of clusters. The mean silhouette detects a single
    outlier. The gap statistic in standard deviations (R. Tibshirani, G. Walther and T. Hastie, Journal of the Royal
    Statistical Society B 63, 2001), for clusters of at least three points on average, detects clusters in only some of
    the metrics. The statistic that is rarer among all 200 sets decides (P. Westfall and S. Young,
    Resampling-Based Multiple Testing, 1993).

    Args:
        values: ``float64[point, metric]``, not scaled.
        labels: Number of clusters → the cluster of each point.
        cut: Clusters simulated points by the same method.
        scale: How metrics were scaled.
        seed: Seed of the simulation.

    Returns:
        None if there is nothing to compare: one cluster, one cluster per point, or more than 32 clusters.
    """
    counts = [count for count, own in labels.items() if 1 < int(own.max()) + 1 == count < min(len(own), _MOST + 1)]
    if not counts:
        return None
    drawn = np.random.default_rng(seed)
    kind = OneKind.like(values)
    sets = [_statistics(scaled(values, scale), {count: labels[count] for count in counts})]
    for _ in range(_SETS):
        points = scaled(kind.draw(drawn, min(len(values), POINTS)), scale)
        sets.append(_statistics(points, cut(points, counts)))
    table = np.array(sets)
    gaps = table[1:, 1].mean(axis=0) - table[0, 1]
    deviations = table[1:].std(axis=0)
    errors = deviations[1] * np.sqrt(1 + 1 / _SETS)

    def by_count(column: Values) -> dict[int, float]:
        return dict(zip(counts, column.tolist(), strict=True))

    wide = [place for place, count in enumerate(counts) if count <= max(len(values) // _EACH, counts[0])]
    return Chance(
        _likelihood(table[:, 0], table[:, 1, wide]), by_count(deviations[0]), by_count(gaps), by_count(errors)
    )


def _statistics(points: Values, labels: Mapping[int, Labels]) -> Values:
    """Return the two statistics of clusters for each number of clusters, ``float64[statistic, number]``.

    The first statistic is the mean silhouette. The second is the logarithm of the mean square within clusters.
    """
    partitions = [*labels.values()]
    whole = np.square(points - points.mean(axis=0)).mean()
    within = np.array([_within(points, own) for own in partitions]) / whole
    widths = [width or 0.0 for width in silhouettes(points, partitions)]
    # If all members of each cluster are equal, only rounding errors are left.
    return np.array([widths, np.log(np.maximum(within, ROUNDING**2))])


def _within(points: Values, labels: Labels) -> float:
    """Return the mean squared deviation of all values from the means of their clusters."""
    return float(np.square(points - cluster_means(points, labels)[labels]).mean())


def _likelihood(silhouettes: Values, logarithms: Values) -> float:
    """Return the share of sets that look at least as clustered as the first set.

    Of the two statistics, ``float64[set, number]`` each, the rarer one counts. The first set is treated like all
    others, so equal sets are equally rare.
    """
    deviations = np.maximum(logarithms.std(axis=0), ROUNDING)
    gaps = (logarithms.mean(axis=0) - logarithms) / deviations
    largest = np.stack([silhouettes.max(axis=1), gaps.max(axis=1)])
    rare = (largest[:, None, :] >= largest[:, :, None] - ROUNDING).mean(axis=2).min(axis=0)
    return float((rare <= rare[0]).mean())
