"""Shares of busy time."""

from __future__ import annotations

from ..run.arrays import Values
from ..run.code_regions import as_compared
from .analysis import Analysis

__all__ = ["inclusive", "share_of"]


def share_of(analysis: Analysis, region: int, *, compared: bool = False) -> float:
    """Return a region's share of all ranks' busy time, computing and file I/O; of the run's where nobody is busy.

    Args:
        analysis: What was found.
        region: Its position among the regions.
        compared: Whether it is meant as it is compared, or else as it is weighed; see ``inclusive``.
    """
    seconds, top = analysis.explanation.seconds, list(analysis.run.weighed.top)
    busy = seconds.computing + seconds.of["io_bytes"]
    whole = float(busy[top].sum())
    if whole <= 0:
        return analysis.run.weighed_costs[region].share
    return min((inclusive(analysis, busy, region) if compared else float(busy[region])) / whole, 1.0)


def inclusive(analysis: Analysis, values: Values, region: int) -> float:
    """Return the value of a region as it is compared; see ``as_compared``."""
    return as_compared(values, analysis.run.weighed.regions, analysis.vectors.regions, region)
