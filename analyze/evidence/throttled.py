"""Find throttled regions (too small to measure separately) that take much of another region's exclusive time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...experiment import Experiment, Region
from ...experiment.throttling import seconds_of_an_entry
from ..run.code_regions import CodeRegion
from ..run.criteria import CRITERIA
from ..run.summary import summary

__all__ = ["Throttled", "throttled_within"]


@dataclass(frozen=True, slots=True)
class Throttled:
    """A throttled region inside another region, whose exclusive time includes the throttled region's time.

    Attributes:
        path: Call path of the throttled region.
        share: The throttled region's share of the other region's exclusive time, extrapolated from its first entries;
            at most 1.
    """

    path: int
    share: float


def throttled_within(experiment: Experiment, regions: Sequence[CodeRegion]) -> dict[int, tuple[Throttled, ...]]:
    """Map each region's position to the throttled regions that take much of its exclusive time, largest first."""
    reasons = {each.descriptor: each for each in {path.region for path in experiment.call_paths}}
    known: Mapping[Region, float] = {
        reasons[each]: seconds
        for each, reason in experiment.notes.throttled.items()
        if each in reasons and (seconds := seconds_of_an_entry(reason)) is not None
    }
    if not known:
        return {}
    paths = experiment.call_paths
    visits, times = (summary(experiment, name).sums.tolist() for name in ("visits", "wall_time"))
    position = {each.id: index for index, each in enumerate(regions) if not each.own_code}
    found: dict[int, list[Throttled]] = {}
    for path, each in enumerate(paths):
        if each.region not in known or times[path] > 0:
            continue
        around = each.parent
        while around is not None and not times[around] > 0:
            around = paths[around].parent
        if around in position and (share := visits[path] * known[each.region] / times[around]) >= CRITERIA.part:
            found.setdefault(position[around], []).append(Throttled(path, min(share, 1.0)))
    return {index: tuple(sorted(each, key=lambda each: -each.share)) for index, each in found.items()}
