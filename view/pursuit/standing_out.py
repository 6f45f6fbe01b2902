"""Describe the locations that stand out in a metric, with numbers."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...analyze.run.outliers import FAR, spread
from ...multivariate.metric_space import MetricSpace
from ...timelines.pursuit import Pursuit
from ..metric_space import names, value
from ..units import ranks

__all__ = ["parted", "standing_out"]

_BESIDE: Final = 0.25  # minimum distance at which a location stands out, as a share of the largest distance
_MOST: Final = 0.25  # maximum share of the locations that counts as "a few"


def standing_out(space: MetricSpace, metric: str) -> str | None:
    """Return a phrase about the few locations whose values of a metric stand out; None if there are none."""
    values = space.along([metric]).values[:, 0]
    relative = values / np.abs(values).max()  # scaled, because differences of huge values could overflow
    away = np.abs(relative - np.median(relative))
    far = np.flatnonzero(away > max(FAR * float(spread(relative)), _BESIDE * float(away.max())))
    if not 0 < len(far) <= _MOST * len(values):
        return None
    labels = [space.labels[row] for row in far.tolist()]
    low, high = float(values[far].min()), float(values[far].max())
    what = value(space, metric, low)
    if len(far) > 1 and value(space, metric, high) != what:
        what = f"{what} to {value(space, metric, high)}"
    middle = value(space, metric, float(np.median(values)))
    if what == middle:  # the values differ only after the third digit
        return None
    who = names(labels) if any(point.sample for point in space.points) else ranks(labels)
    return f"{metric}: {who} with {what} (median {middle})"


def parted(found: Pursuit) -> str | None:
    """Return a phrase about the smaller of two camps of locations, and how they differ; None if there are no camps."""
    camps = found.camps
    if camps is None or not camps.worth or not (camps.alone or found.seen is found.space):
        return None
    space, metric = found.space, camps.metric
    labels = set(camps.smaller)
    inside = np.array([label in labels for label in space.labels])
    values = space.along([metric]).values[:, 0]
    size = np.abs(values).max()
    own, others = (float((values[rows] / size).mean() * size) for rows in (inside, ~inside))
    who = names(camps.smaller) if any(point.sample for point in space.points) else ranks(camps.smaller)
    mean, rest = (value(space, metric, each) for each in (own, others))
    return f"{metric}: {who} with a mean of {mean} (mean of the others: {rest})"
