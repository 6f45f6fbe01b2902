"""Which metrics are dimensions of clusters: those in which locations differ so that it matters.

Scaled by its standard deviation (paper 003, section 4.5), a metric in which all locations are alike but for a
thousandth weighs as much as one of which some have three times as much, and clusters are made of its noise.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ..metric_space import MetricSpace
from .materiality import matters

__all__ = ["dimensions"]


def dimensions(space: MetricSpace, *, fewest: int = 1) -> MetricSpace:
    """Leave out metrics that would part locations by what does not matter; all of them matter if none does.

    Those that include waiting for a turn on a processor say more of the scheduler than of the program: they are left
    out, too, as long as others are there.

    Args:
        space: The points.
        fewest: How many metrics must be left, or else none is left out.
    """
    others = _without(space, space.waiting, "includes waiting for a turn", fewest)
    wide = {others.metrics[column] for column in matters(others, others.values.min(axis=0), others.values.max(axis=0))}
    return _without(others, {*others.metrics} - wide, "no difference that matters", fewest)


def _without(space: MetricSpace, names: Collection[str], why: str, fewest: int) -> MetricSpace:
    kept = [name for name in space.metrics if name not in names]
    if len(kept) < fewest:
        return space
    left = {name: why for name in space.metrics if name in names}
    return replace(space.along(kept), dropped={**left, **space.dropped})
