"""The time of each region on the critical path, and how much of it is due to ranks that work at different times.

The length of the path is the sum of its parts. So if a region's work were balanced and done by all ranks at the same
time, the saving would be the region's time on the path minus the ranks' mean busy time in the region. If the path is
longer than the work of even the busiest rank, imbalance alone does not explain its length. Then either ranks work one
after another, each with the result of the previous one, or the late rank differs between synchronisations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...experiment import Region
from ..run.arrays import Flags, Values
from ..run.busy import CLOCKS, InTeams, busy_times
from ..run.code_regions import CodeRegion
from ..run.criteria import CRITERIA, SAMPLING, THRESHOLD
from ..run.selection import Selection, complete, over_ranks
from .delays import Delays
from .visits_on_path import time_of_extra_visits

__all__ = ["Serialisation", "find_serialisation"]


@dataclass(frozen=True)
class Serialisation:
    """The regions' contributions to the critical path; ``float64[region]`` each, inclusive seconds.

    Attributes:
        on_path: Time of each region on the path.
        mean: Mean busy time of the ranks in each region.
        busiest: Busy time in each region of the rank that is busiest in all regions together.
        beyond: Seconds by which a region's time on the path exceeds the busy time of the rank that is busiest in it.
            This is 0 if it is below a tenth of the time on the path, because ranks are never equally fast all the time.
            It is also 0 if it is too small to be worth a fix, if sampling error alone may cause it, and for regions
            that are not named (see ``find_serialisation``).
        passes_on: ``bool[region]``: whether ranks pass results from one to the next: messages end a part of the waiting
            for this region, and the path has visits by several ranks in each step. If ranks do not pass on results,
            and the region is not ``in_doubt``, the late rank differs between synchronisations.
        in_doubt: ``bool[region]``: whether messages end a part of the waiting, but the visits on the path do not show
            whether ranks pass results on or the late rank differs between synchronisations.
        delays: The regions in which ranks waited, each with the region that they waited for.
    """

    on_path: Values
    mean: Values
    busiest: Values
    beyond: Values
    passes_on: Flags
    in_doubt: Flags
    delays: Delays

    @property
    def saved(self) -> Values:
        """The estimated saving if all ranks did equal work in a region at the same time: ``float64[region]``."""
        return np.maximum(self.on_path - self.mean, 0.0)

    @property
    def chained(self) -> Values:
        """``saved`` for regions that are named because their ranks work in sequence; 0 for all others."""
        return np.where(self.beyond > 0, self.saved, 0.0)

    def handed_on(self, region: int) -> float:
        """Return the seconds that ranks wait in a region for messages from ranks that work in it, over all ranks."""
        delays = self.delays
        return float((delays.by_messages * delays.late[region] * delays.waiting[region]).sum())

    def because_of(self, region: int) -> Region | None:
        """Return the region in which ranks wait longest for work in the given region; None if there is none."""
        delays = self.delays
        seconds = delays.by_messages * delays.late[region] if self._by_messages[region] else delays.because_of(region)
        return self._longest(seconds, 0)

    def awaited_in(self, region: int) -> Region | None:
        """Return the region that ranks in the given region wait for longest; None if they do not wait."""
        return self._longest(self.delays.in_region(region), 1)

    @property
    def _by_messages(self) -> Flags:
        return self.passes_on | self.in_doubt

    def _longest(self, seconds: Values, which: int) -> Region | None:
        return self.delays.pairs[int(seconds.argmax())][which] if seconds.any() else None


def find_serialisation(ranks: Selection) -> Serialisation | None:
    """Compare the critical path with the ranks' busy time in each region.

    If each rank waits for results of the previous rank, the innermost region in which ranks both wait and work is
    named. If there is no such region, or if the late rank differs between synchronisations, the innermost region in
    which ranks are busy is named.

    Args:
        ranks: All ranks, and the regions.

    Returns:
        The contributions; None if the path is unknown, or was not recorded for the whole run.
    """
    experiment = ranks.experiment
    needed = ("path_time", "delay_time", "wait_time", "cpu_time")
    if experiment.notes.path_is_partial or not all(complete(experiment, each) for each in needed):
        return None
    blocks, top = [*over_ranks(ranks, _busy, InTeams.of(experiment))], list(ranks.top)
    longest = np.max([most for most, _, _ in blocks], axis=0)
    mean = np.sum([total for _, total, _ in blocks], axis=0) / len(ranks.ranks)
    busiest = max((each for _, _, each in blocks), key=lambda each: float(each[top].sum()))
    on_path = ranks.sums("path_time")
    whole = max(float(on_path[top].sum()), 0.0)
    if whole <= 0 or whole < (1 - CLOCKS) * float(mean[top].sum()):
        return None
    delays = Delays.of(experiment, ranks.regions)
    beyond = on_path - longest
    chance = SAMPLING * np.sqrt(experiment.notes.samples.get("cpu_time", 0.0) * np.maximum(on_path + longest, 0.0))
    is_part = (beyond > chance) & (beyond >= THRESHOLD * on_path) & (beyond >= CRITERIA.least_gain * whole)
    beyond = np.where(is_part, beyond, 0.0)
    late = delays.late @ delays.seconds if len(delays.seconds) else np.zeros(len(beyond))
    by_messages = delays.late @ delays.by_messages if len(delays.seconds) else np.zeros(len(beyond))
    passes_on = (by_messages > 0) & (by_messages >= CRITERIA.part * late)
    in_doubt = np.zeros(len(beyond), dtype=bool)
    if extra := time_of_extra_visits(ranks):
        least, most = (each >= THRESHOLD * on_path for each in extra)  # whether these visits alone would suffice
        passes_on, in_doubt = passes_on & least, passes_on & most & ~least
    found = Serialisation(on_path, mean, busiest, beyond, passes_on, in_doubt, delays)
    waits_there = np.array([found.handed_on(index) for index in range(len(beyond))]) >= CRITERIA.part * by_messages
    named = _named(ranks.regions, beyond > 0, passes_on | in_doubt, waits_there)
    return replace(found, beyond=np.where(named, beyond, 0.0))


def _busy(selection: Selection, teams: InTeams) -> tuple[Values, Values, Values]:
    """Return busy times in a block of ranks, ``float64[region]`` each.

    These are the largest time of any rank, the sum over the ranks, and the time of the rank that is busiest in all
    regions together.
    """
    values = selection.by_rank(busy_times(selection.experiment, teams))
    return values.max(axis=1), values.sum(axis=1), values[:, values[list(selection.top)].sum(axis=0).argmax()]


def _named(regions: Sequence[CodeRegion], in_turn: Flags, passes_on: Flags, waits_there: Flags) -> Flags:
    """Return which regions to name: ``bool[region]``.

    Args:
        regions: The regions.
        in_turn: For each region, whether ranks work one after another, or the late rank differs between
            synchronisations. The innermost of these regions are named.
        passes_on: Whether ranks pass on results in each region.
        waits_there: Whether ranks also wait for these results in the same region. A region in which they do not wait is
            skipped if it is inside a region in which they do.
    """
    found, around = in_turn.copy(), np.zeros(len(regions), dtype=bool)
    for index, region in enumerate(regions):  # call paths come after their parents
        found[index] &= not (passes_on[index] and not waits_there[index] and around[index])
        has_both = in_turn[index] and passes_on[index] and waits_there[index]
        around[list(region.children)] = around[index] or has_both
    below = np.zeros(len(regions), dtype=bool)
    for index in reversed(range(len(regions))):
        below[index] = any(found[child] or below[child] for child in regions[index].children)
    return found & ~below
