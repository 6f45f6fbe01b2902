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
    """Return the hot spots with something to report, largest first.

    Classes separate any values, even two that are nearly equal. So a culprit is reported only if it has a remedy, takes
    a tenth of the run, or twice the usual time of regions that contain no other large ones.
    """
    costs, apart = run.weighed_costs, CRITERIA.outweighs * _common(run, found)
    named = [
        culprit
        for culprit in found.culprits
        if costs[culprit].share >= THRESHOLD or found.values[culprit] >= apart or parts.remedies(culprit)
    ]
    return tuple(sorted(named, key=lambda culprit: -found.values[culprit]))


def _common(run: Prepared, found: Disparity) -> float:
    """Return the median weight of regions that are not negligible and contain no such region; 0 if there is none."""
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
