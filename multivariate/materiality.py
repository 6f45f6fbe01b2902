"""Decide which differences matter, and in which metrics, by the same rule as for differences between ranks.

Clustering scales the metrics (Ahn and Vetter, section 4.5), so a noise-free difference of 0.1 % separates clusters as
clearly as a factor of three. Significance (section 3.3) does not show whether a difference is large. So this module
chooses the metrics to cluster by and the metrics that describe clusters.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

import numpy as np

from ..analyze.run.arrays import Flags, Values
from ..analyze.run.criteria import CRITERIA, THRESHOLD
from .metric_space import MetricSpace
from .partition import LEVEL, Partition

__all__ = ["RULE", "dimensions", "matters", "separating", "telling"]

RULE: Final = (
    f"{100 * THRESHOLD:.0f} % of the larger value; for times, also {1000 * CRITERIA.resolution:.0f} ms and"
    f" {100 * CRITERIA.least_gain:.0f} % of the longest time of any location in the analysed code;"
    f" for other metrics, also {100 * CRITERIA.least_gain:.0f} % of the largest value of any location in the program"
)

_MOST: Final = 0.5  # more than this share of the other points is a majority


def matters(space: MetricSpace, one: Values, other: Values) -> list[int]:
    """Return the columns in which two sets of values, ``float64[metric]`` each, differ materially.

    Values must differ by more than a tenth of the larger value, which is the radius of a cluster in Algorithm 1 of Liu
    et al. 2011. Times must also differ by 1 % of a location's time and by more than the resolution of clocks and
    schedulers. Other measured metrics must also differ by 1 % of the largest total of any location; for bytes, the
    total of all kinds of bytes.

    Returns:
        Times first, largest difference in seconds first; then all other metrics, largest relative difference first.
    """
    times = _times(space)
    order = np.lexsort((-np.where(times, np.abs(one - other), _relative(one, other)), ~times))
    wide = _wide(space, one, other)
    return [int(column) for column in order if wide[column]]


def _times(space: MetricSpace) -> Flags:
    return np.array([space.units.get(name) == "sec" for name in space.metrics])


def _relative(one: Values, other: Values) -> Values:
    larger = np.maximum(np.abs(one), np.abs(other))
    return np.asarray(np.abs(one - other) / np.maximum(larger, np.finfo(np.float64).tiny))


def _wide(space: MetricSpace, one: Values, other: Values) -> Flags:
    """Return whether each difference matters; values are ``float64[…, metric]``."""
    of_whole = [CRITERIA.least_gain * space.wholes.get(name, 0.0) for name in space.metrics]
    least = np.where(_times(space), max(CRITERIA.least_gain * space.time, CRITERIA.resolution), of_whole)
    return np.asarray((_relative(one, other) > THRESHOLD) & (np.abs(one - other) > least))


def telling(space: MetricSpace, partition: Partition, cluster: int) -> list[int]:
    """Return the columns that characterise a cluster, most important first.

    A metric does not characterise a cluster if most other points have similar values. If all locations are nearly
    equal, small differences also count, most distinct first.
    """
    distinct = partition.by_deviation(cluster)
    if partition.count == 1:
        return distinct
    others = np.delete(space.values, partition.members[cluster], axis=0).mean(axis=0)
    means, own = np.delete(partition.means, cluster, axis=0), partition.means[cluster]
    sizes = np.delete(np.bincount(partition.labels), cluster)
    unlike = sizes @ _wide(space, own, means) >= _MOST * sizes.sum()
    found = _chosen(space, partition, distinct, own, others)
    return found if found is distinct else [column for column in found if unlike[column]]


def separating(space: MetricSpace, partition: Partition) -> list[int]:
    """Return the columns that separate the clusters, sorted by importance or, if nearly equal, by F-ratio."""
    return _chosen(space, partition, partition.by_f_ratio, partition.means.min(axis=0), partition.means.max(axis=0))


def _chosen(space: MetricSpace, partition: Partition, distinct: list[int], one: Values, other: Values) -> list[int]:
    """Select the distinct columns that differ materially and beyond chance, or all columns if nothing is material."""
    if not matters(space, space.values.min(axis=0), space.values.max(axis=0)):
        return distinct
    sure = ~(partition.f_ratios < _critical(partition))
    return [column for column in matters(space, one, other) if column in distinct and sure[column]]


def _critical(partition: Partition) -> float:
    """Return the F-ratio that a metric unrelated to the clusters exceeds in 2.5 of 100 cases."""
    points, clusters = len(partition.labels), partition.count
    if not 1 < clusters < points:
        return 0.0
    from scipy.special import fdtri  # noqa: PLC0415 - takes a tenth of a second

    return float(fdtri(clusters - 1, points - clusters, 1 - LEVEL))


def dimensions(space: MetricSpace, *, fewest: int = 1) -> MetricSpace:
    """Return the space without metrics whose differences are immaterial; unchanged if no difference is material.

    Metrics that include waiting for a core describe the scheduler more than the program. They are also left out, as
    long as other metrics remain.

    Args:
        space: The points.
        fewest: The minimum number of metrics to keep; if fewer would remain, none is left out.
    """
    others = _without(space, space.waiting, "includes waiting for a core", fewest)
    wide = {others.metrics[column] for column in matters(others, others.values.min(axis=0), others.values.max(axis=0))}
    return _without(others, {*others.metrics} - wide, "no difference that matters", fewest)


def _without(space: MetricSpace, names: Collection[str], why: str, fewest: int) -> MetricSpace:
    kept = [name for name in space.metrics if name not in names]
    if len(kept) < fewest:
        return space
    left = {name: why for name in space.metrics if name in names}
    return replace(space.along(kept), dropped={**left, **space.dropped})
