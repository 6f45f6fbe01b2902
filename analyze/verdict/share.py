"""Shares of busy time, and of the base."""

from __future__ import annotations

from ..run.arrays import Values
from ..run.code_regions import as_compared, parts_of
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
    """Return the positions of the regions whose values add up to a finding's, over all its call paths.

    These are its call paths, without those below others of them. Of a region around the whole program, whose own code
    alone is weighed, they include its parts, unless the finding is of that code.
    """
    weighed, compared, ancestors = analysis.run.weighed, analysis.vectors.regions, analysis.experiment.ancestors
    if finding.region is None:
        return list(weighed.top)
    paths = {finding.region.id, *finding.others}
    found = [
        index for index, each in enumerate(weighed.regions) if each.id in paths and paths.isdisjoint(ancestors(each.id))
    ]
    if finding.region.own_code:
        return found
    return [part for each in found for part in parts_of(weighed.regions, compared, each)]


def bound_of(analysis: Analysis, finding: Finding) -> float | None:
    """Return the most that the base can shrink without a finding's region; None if nobody is busy."""
    places, base = places_of(analysis, finding), analysis.base_in_regions
    return float(base[places].sum()) if places and base.any() else None


def inclusive(analysis: Analysis, values: Values, region: int) -> float:
    """Return the value of a region as it is compared; see ``as_compared``."""
    return as_compared(values, analysis.run.weighed.regions, analysis.vectors.regions, region)
