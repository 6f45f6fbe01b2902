"""Functions without probes whose time is that of the regions that call them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..experiment import Experiment, Region
from .code_regions import CodeRegion
from .criteria import CRITERIA
from .summary import summary

__all__ = ["unprobed_callees"]


def unprobed_callees(experiment: Experiment, regions: Sequence[CodeRegion]) -> dict[int, tuple[str, ...]]:
    """Name the functions without probes that regions call, by position, where a region's own time is critical."""
    callees = {Region.from_descriptor(each): names.split("\n") for each, names in experiment.notes.unprobed.items()}
    if not callees:
        return {}
    times = summary(experiment, "wall_time").sums.tolist()
    own: Counter[Region] = Counter()
    for path, time in zip(experiment.call_paths, times, strict=True):
        own[path.region] += time
    weighing = {each for each in callees if own[each] >= CRITERIA.least_weight * sum(times)}
    found = ((index, experiment.call_paths[each.id].region) for index, each in enumerate(regions))
    return {index: tuple(callees[region]) for index, region in found if region in weighing}
