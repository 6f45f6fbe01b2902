"""Shares of busy time, and of the base."""

from __future__ import annotations

from ..run.arrays import Values
from ..run.code_regions import as_compared
from .analysis import Analysis
from .finding import Finding

__all__ = ["bound_of", "inclusive", "places_of", "share_of"]


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


def places_of(analysis: Analysis, finding: Finding) -> list[int]:
    """Return the positions of a finding's call paths among the regions, without those below others of them."""
    regions, ancestors = analysis.run.weighed.regions, analysis.experiment.ancestors
    if finding.region is None:
        return list(analysis.run.weighed.top)
    paths = {finding.region.id, *finding.others}
    return [index for index, each in enumerate(regions) if each.id in paths and paths.isdisjoint(ancestors(each.id))]


def bound_of(analysis: Analysis, finding: Finding) -> float | None:
    """Return the seconds of the base in a finding's region: its removal saves no more; None if nobody is busy."""
    places, base = places_of(analysis, finding), analysis.base_in_regions
    return float(base[places].sum()) if places and base.any() else None


def inclusive(analysis: Analysis, values: Values, region: int) -> float:
    """Return the value of a region as it is compared; see ``as_compared``."""
    return as_compared(values, analysis.run.weighed.regions, analysis.vectors.regions, region)
