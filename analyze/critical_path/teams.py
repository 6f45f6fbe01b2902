"""Teams of threads in which the slowest thread differs between executions.

In each execution of a parallel region, all threads wait for the slowest one. If the slowest thread is always the same,
it is also busy longest in total, as a comparison of threads shows. Otherwise, all executions together take longer than
the total busy time of even the busiest thread, although the threads' total times may be equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...experiment import Experiment
from ...experiment.metric import TEAM_TIME
from ..run.arrays import Flags, Values
from ..run.busy import InTeams, busy_of_threads
from ..run.code_regions import CodeRegion, descendants, inclusive_over
from ..run.criteria import CRITERIA, SAMPLING, THRESHOLD
from ..run.selection import Selection, complete, over_ranks
from ..run.summary import is_of_all_runs

__all__ = ["Teams", "find_teams"]

_NEEDED: Final = (TEAM_TIME.name, "path_time", "omp_time", "visits")
_ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class Teams:
    """The regions in which the slowest thread differs between executions.

    Times are ``float64[region]``, inclusive seconds of work in teams; only regions in teams are compared.

    Attributes:
        on_path: Time of each region on the critical path, which contains the slowest thread of each execution.
        busiest: What ``on_path`` would be if the slowest thread were always the thread that is busiest in all
            executions together.
        mean: What ``on_path`` would be if all threads were busy for the same time in each execution.
        per_thread: Mean busy time of a thread.
        named: Named region → the parallel region at whose end the threads wait: the named region itself, or a region
            around it. The named region is the innermost region, within the function of the parallel region, that
            contains at least nine tenths of the excess of ``on_path`` over ``busiest``. Excesses that are too small, or
            may be due to sampling error, are left out, as in ``Serialisation.beyond``.
        fixed: Named regions in which each thread has its own part of the work: nearly all of the excess is in a region
            that all threads enter the same number of times, and in which they do not wait. In other regions, threads
            may take pieces on demand, so a thread that waits for a core leaves more work to the other threads.
    """

    on_path: Values
    busiest: Values
    mean: Values
    per_thread: Values
    named: Mapping[int, int]
    fixed: frozenset[int] = frozenset()

    @property
    def beyond(self) -> Values:
        """The seconds by which each region's time on the critical path exceeds ``busiest``."""
        return self.on_path - self.busiest


def find_teams(ranks: Selection) -> Teams | None:
    """Compare the slowest thread in each execution of a parallel region with the other threads.

    Args:
        ranks: All ranks, and the regions, each with the regions below it.

    Returns:
        The times of the regions; None if the slowest threads or the critical path were not recorded.
    """
    experiment, regions = ranks.experiment, ranks.regions
    if not all(complete(experiment, each) and is_of_all_runs(experiment, each) for each in _NEEDED):
        return None
    in_teams = InTeams.of(experiment).alone
    on_path, busiest, mean, busy, size, waiting, uneven = np.sum([*over_ranks(ranks, _times, in_teams)], axis=0)
    per_thread = np.divide(busy, size, out=np.zeros(len(regions)), where=size > 0)
    beyond = on_path - busiest
    chance = SAMPLING * np.sqrt(experiment.notes.samples.get("cpu_time", 0.0) * (on_path + busiest))
    least = np.maximum(THRESHOLD * on_path, CRITERIA.least_gain * float(ranks.sums("path_time")[list(ranks.top)].sum()))
    is_part = (beyond > chance) & (beyond >= least)
    within = {child for index, each in enumerate(regions) if in_teams[each.id] for child in each.children}
    teams = (index for index, each in enumerate(regions) if in_teams[each.id] and index not in within)
    places = {_innermost(experiment, regions, team, beyond): team for team in teams}
    named = {place: team for place, team in places.items() if is_part[place] and is_part[team]}
    is_own = (waiting == 0) & (uneven == 0)
    fixed = (
        place
        for place in named
        if any(is_own[each] and _is_most(beyond, each, place) for each in descendants(regions, place))
    )
    return Teams(on_path, busiest, mean, per_thread, named, frozenset(fixed))


def _is_most(beyond: Values, inner: int, place: int) -> bool:
    return bool(beyond[inner] >= (1 - THRESHOLD) * beyond[place])


def _innermost(experiment: Experiment, regions: Sequence[CodeRegion], team: int, beyond: Values) -> int:
    """Return the innermost loop that has nearly all of a parallel region's excess; if none has, the parallel region.

    Only loops in the parallel region's function are searched.
    """
    paths, place = experiment.call_paths, team
    own = paths[regions[team].id].region
    while True:
        loops = (
            child
            for child in regions[place].children
            if (here := paths[regions[child].id].region).kind in ("loop", "parallel")
            and (here.file, here.function) == (own.file, own.function)
        )
        inner = max(loops, key=lambda child: float(beyond[child]), default=None)
        if inner is None or not _is_most(beyond, inner, place):
            return place
        place = inner


def _times(selection: Selection, in_teams: Flags) -> Values:
    """Return the times of a block of ranks, summed over the ranks: ``float64[7, region]``.

    These are ``on_path``, ``busiest`` and ``mean`` as in ``Teams``, the busy time of all threads, the mean number of
    threads in an execution, their time waiting in OpenMP, and the number of ranks whose threads enter the region
    different numbers of times.

    Args:
        selection: The block.
        in_teams: ``bool[call path]``: which call paths are in teams, on any rank.
    """
    experiment, regions, starts = selection.experiment, selection.regions, selection.starts

    def by_thread(values: Values) -> Values:
        kept = np.where(in_teams[:, None], np.nan_to_num(values), 0.0)
        return inclusive_over(experiment, regions, kept)[:, selection.columns]

    busy = by_thread(busy_of_threads(experiment))
    slowest, on_path, waiting = (by_thread(experiment.exclusive(each)) for each in _NEEDED[:3])
    slowest, on_path, waiting = (np.add.reduceat(each, starts, axis=1) for each in (slowest, on_path, waiting))
    visits = np.nan_to_num(experiment.exclusive("visits"))[[each.id for each in regions]][:, selection.columns]
    entries, most = np.add.reduceat(visits, starts, axis=1), np.maximum.reduceat(visits, starts, axis=1)
    size = np.divide(entries, most, out=np.zeros_like(entries), where=most > 0)
    for index, each in enumerate(regions):  # parents come before their children
        if in_teams[each.id]:
            size[list(each.children)] = size[index]
    uneven = entries < (1 - _ROUNDING) * most * size
    total, longest = np.add.reduceat(busy, starts, axis=1), np.maximum.reduceat(busy, starts, axis=1)
    mean = np.minimum(np.divide(total, size, out=np.zeros_like(total), where=size > 0), longest)
    busiest_of_path, mean_of_path = (
        on_path * np.clip(np.divide(each, slowest, out=np.ones_like(each), where=slowest > 0), 0.0, 1.0)
        for each in (longest, mean)
    )
    parts = (on_path, busiest_of_path, mean_of_path, total, size, waiting, uneven)
    return np.array([each.sum(axis=1) for each in parts])
