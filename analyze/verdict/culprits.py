"""The hot spots that the verdict names."""

from __future__ import annotations

from statistics import median

from ..disparity.classes import NEGLIGIBLE
from ..disparity.disparity import Disparity
from ..run.criteria import CRITERIA, THRESHOLD
from ..run.preparation import Prepared
from .parts import Parts

__all__ = ["culprits_by_weight"]


def culprits_by_weight(run: Prepared, found: Disparity, parts: Parts) -> tuple[int, ...]:
    """Return the positions of the hot spots that the verdict names, largest first.

    Severity classes separate even nearly equal values. So a region is named only if its cause has a remedy, if it takes
    a tenth of the run, or if it takes twice the median time of the innermost regions.
    """
    costs, apart = run.weighed_costs, CRITERIA.outweighs * _common(run, found)
    named = [
        culprit
        for culprit in found.culprits
        if costs[culprit].share >= THRESHOLD or found.values[culprit] >= apart or parts.remedies(culprit)
    ]
    return tuple(sorted(named, key=lambda culprit: -found.values[culprit]))


def _common(run: Prepared, found: Disparity) -> float:
    """Return the median value of the innermost regions that are not negligible; 0 if there is none."""
    values = found.values
    least = NEGLIGIBLE * max(values)
    weigh = [value > 0 and value >= least for value in values]
    regions = run.weighed.regions
    innermost = [
        values[index]
        for index, region in enumerate(regions)
        if weigh[index] and not any(weigh[child] for child in region.children)
    ]
    return median(innermost) if innermost else 0.0
