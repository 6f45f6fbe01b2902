"""The cores that the verdict names, in its order: those that part the ranks, and those that weigh."""

from __future__ import annotations

from statistics import median

from ..disparity.causes import DisparityCauses
from ..disparity.classes import NEGLIGIBLE
from ..disparity.disparity import Disparity
from ..dissimilarity.differences import Differences
from ..run.criteria import CRITERIA, THRESHOLD
from ..run.preparation import Prepared
from .explanation import Explanation

__all__ = ["cores_by_difference", "cores_by_weight"]


def cores_by_difference(differences: Differences, explanation: Explanation) -> tuple[int, ...]:
    """List the cores that part the ranks, real imbalance first, widest difference first."""
    values, same_work = differences.performance.values, explanation.of_ranks.same_work
    cores = differences.dissimilarity.cccr
    return tuple(sorted(cores, key=lambda core: (core in same_work, values[core].min() - values[core].max())))


def cores_by_weight(run: Prepared, found: Disparity, causes: DisparityCauses) -> tuple[int, ...]:
    """List the cores that weigh, and of which there is something to say, the heaviest first.

    Classes tell any values apart, as the larger of two that are nearly alike: a core is worth a word if it has a cause,
    takes a tenth of the run, or twice what is common among regions that contain no others of weight.
    """
    costs, apart = run.weighed_costs, CRITERIA.outweighs * _common(run, found)
    named = [
        core
        for core in found.cccr
        if costs[core].share >= THRESHOLD or found.values[core] >= apart or _has_cause(causes, core)
    ]
    return tuple(sorted(named, key=lambda core: -found.values[core]))


def _common(run: Prepared, found: Disparity) -> float:
    """Give the median weight of the regions that are not negligible and contain no such region; 0 if none weighs."""
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


def _has_cause(causes: DisparityCauses, core: int) -> bool:
    return bool(causes.causes.get(core) or causes.also.get(core)) or core in causes.waiting
