"""The share of busy time that a region takes, and its part of the base."""

from __future__ import annotations

from ..dissimilarity.off_processor import METRIC as OFF_PROCESSOR
from ..run.arrays import Values
from ..run.code_regions import as_compared, parts_of
from .analysis import Analysis
from .finding import Finding

__all__ = ["bound_of", "inclusive", "places_of", "share_of"]


def share_of(analysis: Analysis, region: int, *, compared: bool = False) -> float:
    """Return a region's share of the busy time of all ranks, 0 to 1; of the run's time if no rank is busy.

    Args:
        analysis: The results so far.
        region: Position of the region.
        compared: Whether a region around the whole program includes the regions below it, as in comparisons of ranks.
            By default it consists only of its own code, as in comparisons of regions.
    """
    seconds, top = analysis.explanation.seconds, list(analysis.run.weighed.top)
    busy = seconds.computing + seconds.of["io_bytes"]
    whole = float(busy[top].sum())
    if whole <= 0:
        return analysis.run.weighed_costs[region].share
    return min((inclusive(analysis, busy, region) if compared else float(busy[region])) / whole, 1.0)


def places_of(analysis: Analysis, finding: Finding) -> list[int]:
    """Return the positions of the regions whose values add up to the value of a finding, over all its call paths.

    If a region calls itself, only its outermost call paths count. A region around the whole program includes the
    regions below it, unless the finding is only on its own code.
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
    """Return a finding's part of the base in seconds, the most that a fix can save; None if no rank is busy.

    Without a critical path, the busiest rank may wait for other ranks in the region. Then the result is at least the
    saving.
    """
    places, base = places_of(analysis, finding), analysis.base_in_regions
    if not (places and base.any()):
        return None
    is_known = analysis.base.is_path or not finding.gain or analysis.vectors.metric == OFF_PROCESSOR
    return max(float(base[places].sum()), 0.0 if is_known or not finding.gain else finding.gain.of_base)


def inclusive(analysis: Analysis, values: Values, region: int) -> float:
    """Return the value of a region; a region around the whole program includes the regions below it.

    Args:
        analysis: The results so far.
        values: ``float64[region]``, in which a region around the whole program has only its own code.
        region: Position of the region.
    """
    return as_compared(values, analysis.run.weighed.regions, analysis.vectors.regions, region)
