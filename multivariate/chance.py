"""Whether clusters are more than chance makes of points of one kind, and how many there are more than by chance."""

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

_POWERS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)  # from the logarithm to the value itself
_LARGEST: Final = float(np.finfo(np.float64).max)

# Points of a simulated set, at most. More points leave less to chance: so of more, these are a bound.
POINTS: Final = 128

_SETS: Final = 199  # of points; with those found, 200
_MOST: Final = POINTS // 4  # clusters that such a set can show
_EACH: Final = 3  # points a cluster on average, from which on its width is taken for one: two are near by chance

# Shares points, ``float64[point, metric]``, out among each of several numbers of clusters.
Cut = Callable[[Values, Collection[int]], Mapping[int, Labels]]


@dataclass(frozen=True)
class OneKind:
    """Points of one kind: normal, once a power is taken of each metric, with the correlations of given points.

    Normal points have no clusters. Those drawn are the given ones turned at random about their mean (rotation test: O.
    Langsrud, Statistics and Computing 15, 2005): each set has the same mean and covariance. If the given points are
    normal, whatever their correlations, they are one such set, so that a test at 5 % is wrong in 5 % of cases, however
    few points there are. Simulation with an estimated covariance (SigClust: Y. Liu, D. Hayes, A. Nobel and J. Marron,
    JASA 103, 2008) reaches this only with many. Permuting each metric would part metrics that vary together, and
    uniform points would, too: of both, one factor common to all metrics looks like clusters.

    Times and counts are often skewed, and the tail of a skewed metric looks like a cluster. So a power of each positive
    metric is taken, from the logarithm to the metric itself, that makes it most nearly normal (G. Box and D. Cox,
    Journal of the Royal Statistical Society B 26, 1964), and undone in what is drawn. No power makes one heap of two.

    Attributes:
        exponents: ``int[metric]``, powers of 2 that keep squares of huge and tiny values numbers.
        sizes: ``float64[metric]``, geometric means; 1 of a metric that is not positive.
        powers: ``float64[metric]``.
        centre: ``float64[metric]``, of the powers.
        axes: ``float64[axis, metric]``, whose squares are the variances of the powers.
    """

    exponents: Values
    sizes: Values
    powers: Values
    centre: Values
    axes: Values

    @classmethod
    def like(cls, values: Values) -> OneKind:
        """Describe points, ``float64[point, metric]``."""
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
        """Draw points, ``float64[point, metric]``."""
        frame = drawn.standard_normal((count, len(self.axes)))
        if count > len(self.axes):
            frame, upper = np.linalg.qr(frame - frame.mean(axis=0))
            frame *= np.sqrt(count) * np.sign(np.diag(upper))
        raised = self.centre + frame @ self.axes
        with np.errstate(over="ignore"):  # of a metric over hundreds of orders of magnitude: then the largest number
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
    """Give the power of largest likelihood; of a column with geometric mean 1 its variance tells."""
    return min(reversed(_POWERS), key=lambda power: float(_raised(column, power).var()))


@dataclass(frozen=True)
class Chance:
    """What points of one kind look like.

    Attributes:
        likelihood: How often they look as clustered as those found, 0.005 at least.
        spreads: Number of clusters → standard deviation of their silhouettes.
        gaps: Number of clusters → logarithm of how many times more points of one kind vary within clusters.
        errors: Number of clusters → standard error of this logarithm.
    """

    likelihood: float
    spreads: dict[int, float]
    gaps: dict[int, float]
    errors: dict[int, float]

    @property
    def enough(self) -> int | None:
        """The first number of clusters beyond which one more widens the gap by no more than its error, if any."""
        counts = sorted(self.gaps)
        return next(
            (one for one, more in pairwise(counts) if self.gaps[one] >= self.gaps[more] - self.errors[more]), None
        )


def against_chance(
    values: Values, labels: Mapping[int, Labels], cut: Cut, *, scale: Scale = "standard", seed: int = 0
) -> Chance | None:
    """Compare clusters with those of 199 simulated sets of points of one kind (``OneKind``).

    Clusters are told by two statistics, each the largest over the numbers of clusters: the mean silhouette, which a
    single odd point raises; and the gap statistic in standard deviations (R. Tibshirani, G. Walther and T. Hastie,
    Journal of the Royal Statistical Society B 63, 2001), of clusters of three points on average or more, which tells
    clusters in some of the metrics only. The likelihood is that of the rarer of the two, over all 200 sets (P. Westfall
    and S. Young, Resampling-Based Multiple Testing, 1993).

    Args:
        values: ``float64[point, metric]``, not scaled.
        labels: Number of clusters → the clusters found, of all these points.
        cut: Makes clusters of simulated points, as those found were made.
        scale: How metrics were made comparable.
        seed: Of the simulation.

    Returns:
        None if there is nothing to compare: one cluster, one a point, or more than 32.
    """
    counts = [count for count, own in labels.items() if 1 < int(own.max()) + 1 == count < min(len(own), _MOST + 1)]
    if not counts:
        return None
    drawn = np.random.default_rng(seed)
    kind = OneKind.like(values)
    sets = [_told(scaled(values, scale), {count: labels[count] for count in counts})]
    for _ in range(_SETS):
        points = scaled(kind.draw(drawn, min(len(values), POINTS)), scale)
        sets.append(_told(points, cut(points, counts)))
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


def _told(points: Values, labels: Mapping[int, Labels]) -> Values:
    """Give silhouettes, and logarithms of the mean square within clusters; ``float64[statistic, number]``."""
    partitions = [*labels.values()]
    whole = np.square(points - points.mean(axis=0)).mean()
    within = np.array([_within(points, own) for own in partitions]) / whole
    widths = [width or 0.0 for width in silhouettes(points, partitions)]
    return np.array([widths, np.log(np.maximum(within, ROUNDING**2))])  # where members are equal it is rounding


def _within(points: Values, labels: Labels) -> float:
    """Return the mean square within clusters."""
    return float(np.square(points - cluster_means(points, labels)[labels]).mean())


def _likelihood(silhouettes: Values, logarithms: Values) -> float:
    """Say how rare the first of several sets is, by the rarer of two statistics; ``float64[set, number]`` each.

    All sets are treated alike, the first among them, so that equal ones are equally rare.
    """
    deviations = np.maximum(logarithms.std(axis=0), ROUNDING)
    gaps = (logarithms.mean(axis=0) - logarithms) / deviations
    largest = np.stack([silhouettes.max(axis=1), gaps.max(axis=1)])
    rare = (largest[:, None, :] >= largest[:, :, None] - ROUNDING).mean(axis=2).min(axis=0)
    return float((rare <= rare[0]).mean())
