"""Whether clusters are more than chance makes of points of one kind, and how many there are more than by chance."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from ..arrays import Values
from ..metric_space import ROUNDING, Scale, scaled
from .one_kind import OneKind
from .partition import Labels, silhouette

__all__ = ["POINTS", "Chance", "Cut", "against_chance"]

# Points of a simulated set, at most. More points leave less to chance: so of more, these are a bound.
POINTS: Final = 128

_SETS: Final = 199  # of points; with those found, 200
_MOST: Final = POINTS // 4  # clusters that such a set can show
_EACH: Final = 3  # points a cluster on average, from which on its width is taken for one: two are near by chance

# Shares points, ``float64[point, metric]``, out among each of several numbers of clusters.
Cut = Callable[[Values, Collection[int]], Mapping[int, Labels]]


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
    silhouettes = [silhouette(points, own) or 0.0 for own in labels.values()]
    return np.array([silhouettes, [_log_within(points, own) for own in labels.values()]])


def _log_within(points: Values, labels: Labels) -> float:
    """Measure the mean square within clusters by that of all points; where members are equal it is rounding."""
    inside = np.eye(int(labels.max()) + 1)[labels]
    means = (inside.T @ points) / inside.sum(axis=0)[:, None]
    within = np.square(points - means[labels]).mean()
    whole = np.square(points - points.mean(axis=0)).mean()
    return float(np.log(max(within / whole, ROUNDING**2)))


def _likelihood(silhouettes: Values, logarithms: Values) -> float:
    """Say how rare the first of several sets is, by the rarer of two statistics; ``float64[set, number]`` each.

    All sets are treated alike, the first among them, so that equal ones are equally rare.
    """
    deviations = np.maximum(logarithms.std(axis=0), ROUNDING)
    gaps = (logarithms.mean(axis=0) - logarithms) / deviations
    largest = np.stack([silhouettes.max(axis=1), gaps.max(axis=1)])
    rare = (largest[:, None, :] >= largest[:, :, None] - ROUNDING).mean(axis=2).min(axis=0)
    return float((rare <= rare[0]).mean())
