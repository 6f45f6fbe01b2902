"""A run with its time lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ...experiment.trace import TimeLine, Trace
from ..warping import same_paths

__all__ = ["Run"]

_KEPT: Final = 1 << 30  # bytes of lines that stay in memory
_CALLS: Final = ("mpi", "io")
_WAITING: Final = ("mpi_time", "io_time", "omp_time")


@dataclass(frozen=True, eq=False)
class Run:
    """A trace, and what its call paths do.

    Attributes:
        source: The trace's name.
        trace: The trace.
        timed: Whether its clock is that of the program; False of a counting run, which is slower in all it does.
        computing: ``bool[path]``: those whose own time is for the most part not MPI, I/O or OpenMP.
        io: ``float64[path]``: seconds of I/O, if known.
    """

    source: str
    trace: Trace
    timed: bool
    computing: npt.NDArray[np.bool_]
    io: npt.NDArray[np.float64]

    @classmethod
    def of(cls, source: str, trace: Trace, experiment: Experiment | None, *, timed: bool = True) -> Run:
        """Look up in the run's profile what call paths do; without one all compute that are no calls."""
        computing = np.array([path.region.kind not in _CALLS for path in trace.call_paths], dtype=bool)
        io = np.zeros(len(trace.call_paths))
        if experiment is not None and "wall_time" in experiment:
            place = same_paths(trace.call_paths, experiment.call_paths)
            own = {
                name: np.nan_to_num(experiment.exclusive(name)).sum(axis=1)
                for name in (*_WAITING, "wall_time")
                if name in experiment
            }
            waiting = np.sum([own[name] for name in _WAITING if name in own], axis=0)
            total = own["wall_time"]
            known = place >= 0
            computing[known] = (waiting <= total / 2)[place[known]]
            io[known] = own.get("io_time", np.zeros(len(total)))[place[known]]
        return cls(source, replace(trace, read=_kept(trace.read)), timed, computing, io)

    @cached_property
    def entries(self) -> npt.NDArray[np.int64]:
        """How often each location entered each call path, and in how many samples, ``int64[2, location, path]``."""
        found = np.zeros((2, len(self.trace.locations), len(self.trace.call_paths)), dtype=np.int64)
        for number, line in enumerate(self.trace.lines()):
            entered = (line.paths >= 0) & (line.visits > 0)
            paths = line.paths[entered]
            np.add.at(found[0, number], paths, line.visits[entered])
            np.add.at(found[1, number], paths, 1)
        return found

    def below(self, path: int) -> npt.NDArray[np.bool_]:
        """Tell of each call path whether it is this one, or computing that is called there."""
        found = np.zeros(len(self.trace.call_paths), dtype=bool)
        found[path] = True
        for number, each in enumerate(self.trace.call_paths):
            if each.parent is not None and found[each.parent]:
                found[number] = self.computing[number]
        return found


def _kept(read: Callable[[int], TimeLine]) -> Callable[[int], TimeLine]:
    """Keep lines, for each region asks for all of them: the first ones, for who reads in turn finds no others."""
    lines: dict[int, TimeLine] = {}
    room = _KEPT

    def line(location: int) -> TimeLine:
        nonlocal room
        if location in lines:
            return lines[location]
        found = read(location)
        arrays = found.begin, found.end, found.values, found.first, found.paths, found.visits, found.seconds
        size = sum(each.nbytes for each in arrays)
        if size <= room:
            lines[location] = found
            room -= size
        return found

    return line
