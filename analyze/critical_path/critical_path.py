"""The critical path of a run, and the efficiencies of its ranks derived from it.

The path is the longest chain of work across ranks, and only less work on the path can shorten the run (Hollingsworth
1998; Böhme et al. 2012). The efficiencies are those of the POP centre: their product is the share of the run in which
ranks were busy. Load balance and serialisation are computed from CPU time outside MPI, so other load on the machine
does not affect them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...experiment import Experiment, Region
from ...experiment.delay import Delay
from ..run.arrays import Values
from ..run.busy import CLOCKS, InTeams, busy_times
from ..run.location_blocks import over_locations

__all__ = ["CriticalPath", "Efficiency", "OnPath", "find_critical_path"]

_OF_REGION = 0.01  # a rank is named if it has at least this share of a region's time on the path
_KEPT = 20  # largest number of delays kept


@dataclass(frozen=True, slots=True)
class Efficiency:
    """The share of the run in which the ranks were busy, and its factors.

    Attributes:
        load_balance: Mean busy time of the ranks, divided by the busy time of the busiest rank.
        serialisation: Busy time of the busiest rank, divided by the length of the critical path: less than 1 if ranks
            work one after another.
        transfer: Length of the path, divided by the run's time: the rest of the run is communication, or waiting for a
            core.
        parallel: The product of the three: mean busy time, divided by the run's time.
        reliable: Names of the efficiencies that other load on the machine did not affect; empty for an archive of
            another tool, in which busy time is wall time.
    """

    parallel: float
    load_balance: float
    serialisation: float
    transfer: float
    reliable: tuple[str, ...]

    @property
    def known_transfer(self) -> float:
        """The transfer efficiency; 1 if it is not reliable.

        With 1, losses that are multiplied by this value become shares of the critical path instead of the run.
        """
        return self.transfer if "transfer" in self.reliable else 1.0

    @property
    def lost_in_turn(self) -> float:
        """The share of the run (or of the path, see ``known_transfer``) in which the busiest rank waits for others."""
        return self.known_transfer * (1 - self.serialisation)


@dataclass(frozen=True, slots=True)
class OnPath:
    """A call path on the critical path.

    Attributes:
        path: Index of the call path.
        ranks: The ranks with substantial time in this call path on the critical path, longest time first.
        seconds: The call path's time on the critical path, over all ranks.
        share: This time as a share of the critical path's length.
    """

    path: int
    ranks: tuple[int, ...]
    seconds: float
    share: float


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """The critical path of a run.

    Attributes:
        length: The path's length in seconds.
        efficiency: The efficiencies; None if only the beginning of the run was recorded.
        regions: The call paths on the critical path, longest time first.
        delays: The regions in which ranks waited, each with the region that they waited for, longest wait first.
        waited: Region → exclusive seconds that ranks wait in it for others, mean over all ranks except a master.
    """

    length: float
    efficiency: Efficiency | None
    regions: tuple[OnPath, ...]
    delays: tuple[Delay, ...]
    waited: Mapping[Region, float]


def find_critical_path(
    experiment: Experiment, program_time: float, *, alone: bool, master: int | None = None
) -> CriticalPath | None:
    """Return the critical path that was recorded in a run; None if none was recorded.

    Args:
        experiment: The run.
        program_time: The run's time in seconds.
        alone: Whether each rank had a core to itself, without other ranks or programs.
        master: The rank that hands out work, which is not expected to be busy; None if there is none.
    """
    if "path_time" not in experiment or not program_time:
        return None
    blocks = [*over_locations(experiment, _sums, master, InTeams.of(experiment))]
    parts = np.sum([each for each, _, _ in blocks], axis=0)
    busy = np.concatenate([each for _, each, _ in blocks])
    processes = np.array([place.process for place in experiment.locations if place.thread == 0])
    busy = busy[processes != master]
    length = float(parts.sum())
    if length <= 0 or not busy.max():
        return None
    ranks = _ranks(experiment, parts)
    regions = [
        OnPath(int(path), ranks[path], float(parts[path]), float(parts[path]) / length)
        for path in np.argsort(-parts, kind="stable").tolist()
        if parts[path] > 0
    ]
    by_the_clock = "imported:" in experiment.metric("path_time").source
    reliable = ("load_balance", "serialisation", *(("transfer", "parallel") if alone else ()))
    efficiency = Efficiency(
        parallel=float(busy.mean() / program_time),
        load_balance=float(busy.mean() / busy.max()),
        serialisation=float(busy.max() / length),
        transfer=length / program_time,
        reliable=() if by_the_clock else reliable,
    )
    whole = length >= (1 - CLOCKS) * busy.max() and not experiment.notes.path_is_partial
    waited: Counter[Region] = Counter()
    for each, seconds in zip(
        experiment.call_paths, np.sum([each for _, _, each in blocks], axis=0).tolist(), strict=True
    ):
        waited[each.region] += seconds / len(busy)
    delays = experiment.notes.delays[:_KEPT]
    return CriticalPath(length, efficiency if whole else None, tuple(regions), delays, waited)


def _sums(part: Experiment, _: slice, master: int | None, teams: InTeams) -> tuple[Values, Values, Values]:
    """Return the time on the path, the ranks' busy times and the waiting in a block of ranks; all in seconds.

    The first and the last result are ``float64[call path]``, the second is ``float64[process]``. A master's waiting is
    left out.
    """
    first = [column for column, place in enumerate(part.locations) if place.thread == 0]
    others = [column for column, place in enumerate(part.locations) if place.process != master]
    path, busy = np.asarray(part.exclusive("path_time")), np.asarray(busy_times(part, teams)[:, first].sum(axis=0))
    waits = np.asarray(part.exclusive("wait_time")) if "wait_time" in part else np.zeros_like(path)
    return path.sum(axis=1), busy, waits[:, others].sum(axis=1)


def _ranks(experiment: Experiment, parts: Values) -> dict[int, tuple[int, ...]]:
    """Return the ranks with a substantial part of each call path's time on the critical path, largest part first."""
    named: dict[int, list[tuple[float, int]]] = {path: [] for path in np.flatnonzero(parts > 0).tolist()}
    for found in over_locations(experiment, _large_parts, (_OF_REGION * parts).tolist()):
        for path, rank, seconds in found:
            named[path].append((-seconds, rank))
    return {path: tuple(rank for _, rank in sorted(each)) for path, each in named.items()}


def _large_parts(part: Experiment, _: slice, least: list[float]) -> list[tuple[int, int, float]]:
    """Return call path, rank and seconds of each time on the critical path of at least ``least[call path]`` seconds."""
    processes, columns = np.unique([place.process for place in part.locations], return_inverse=True)
    found = []
    for path, values in enumerate(np.asarray(part.exclusive("path_time"))):
        by_rank = np.bincount(columns.ravel(), values, len(processes))
        large = np.flatnonzero((by_rank > 0) & (by_rank >= least[path]))
        found += [(path, int(processes[rank]), float(by_rank[rank])) for rank in large]
    return found
