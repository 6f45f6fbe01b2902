"""A run with its time lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ...experiment.metric import COUNT_METRICS
from ...experiment.trace import TimeLine, Trace
from ..arrays import Flags, Values
from ..warping import same_paths

__all__ = ["Run"]

_KEPT: Final = 1 << 30  # bytes of lines that stay in memory


@dataclass(frozen=True, eq=False)
class Run:
    """A trace, and what its call paths do.

    Attributes:
        source: The trace's name.
        trace: The trace.
        timed: Whether its clock is that of the program; False of a counting run, which is slower in all it does.
        io: ``float64[path]``: seconds of I/O, if known.
        counts: Metric → ``float64[path]``: what was counted in all locations, in each call path and what it calls.
    """

    source: str
    trace: Trace
    timed: bool
    io: Values
    counts: Mapping[str, Values] = field(default_factory=dict)

    @classmethod
    def of(cls, source: str, trace: Trace, experiment: Experiment | None, *, timed: bool = True) -> Run:
        """Look up in the run's profile how much I/O call paths do, and what was counted in them."""
        io, counts = np.zeros(len(trace.call_paths)), {}
        if experiment is not None:
            place = same_paths(trace.call_paths, experiment.call_paths)

            def here(values: Values) -> Values:
                return np.where(place >= 0, np.nan_to_num(values).sum(axis=1)[place], 0.0)

            io = here(experiment.exclusive("io_time")) if "io_time" in experiment else io
            traced = {each.name for each in trace.metrics}
            wanted = [each.name for each in COUNT_METRICS if each.name in experiment and each.name in traced]
            counts = {name: here(experiment.inclusive(name)) for name in wanted}
        return cls(source, replace(trace, read=_kept(trace.read)), timed, io, counts)

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

    def below(self, path: int) -> Flags:
        """Tell of each call path whether it is this one, or called there."""
        found = np.zeros(len(self.trace.call_paths), dtype=bool)
        found[path] = True
        for number, each in enumerate(self.trace.call_paths):
            if each.parent is not None and found[each.parent]:
                found[number] = True
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
        size = sum(getattr(found, each.name).nbytes for each in fields(found))
        if size <= room:
            lines[location] = found
            room -= size
        return found

    return line
