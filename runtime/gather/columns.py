"""The values of the threads whose shards one process has read, as columns of metrics by call path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Location
from ...experiment.metric import UNTIMED_VISITS
from ...experiment.severities import Severity
from .forest import Placed
from .head import Head
from .own_shards import OwnShards
from .shard_layout import SYSTEM_VALUES

__all__ = ["MACHINE", "Columns", "Placing", "Timing"]

MACHINE: Final = "machine"
_ALIKE: Final = 0.01  # threads' untimed visits that differ by at most this fraction of the timed visits count as equal
_CELLS: Final = 1 << 20  # number of values that are copied at a time

_Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Placing:
    """The positions in the experiment of the data of one gathering process.

    Attributes:
        processes: Shard → the process's number in the experiment; -1 if it is left out.
        columns: Shard → the column of its first thread.
        shapes: Shard → the number of its shape.
        placed: Number of a shape → the call paths of its nodes.
        paths: The number of call paths.
        throttled: Whether any process has throttled a region.
        again: Whether any process has later timed a throttled region again.
        path: Shard → its nodes' parts of the critical path, ``ON_PATH[node]``; empty if the path is unknown.
    """

    processes: list[int]
    columns: list[int]
    shapes: list[int]
    placed: dict[int, Placed]
    paths: int
    throttled: bool
    again: bool
    path: list[npt.NDArray[np.void]]


@dataclass(frozen=True)
class Timing:
    """How many visits of each call path were timed, over several threads; all arrays are ``[call path]``.

    Attributes:
        throttled: Whether some thread has a visit whose time is unknown.
        again: Whether some thread throttled the call path, and timed it again at the end.
        still: Whether the call path was throttled until the end in some thread.
        least: The smallest number of untimed visits, over the threads that entered the call path.
        most: The largest number of untimed visits of any thread.
        timed: The smallest number of timed visits, over the threads that entered the call path.
    """

    throttled: npt.NDArray[np.bool_]
    again: npt.NDArray[np.bool_]
    still: npt.NDArray[np.bool_]
    least: npt.NDArray[np.float64]
    most: npt.NDArray[np.float64]
    timed: npt.NDArray[np.float64]

    @classmethod
    def none(cls, paths: int) -> Timing:
        """Return the value for no threads, the neutral element of ``joined``."""
        throttled, again, still = (np.zeros(paths, dtype=bool) for _ in range(3))
        return cls(throttled, again, still, np.full(paths, np.inf), np.zeros(paths), np.full(paths, np.inf))

    def joined(self, other: Timing) -> Timing:
        """Return these values combined with the values for other threads."""
        return Timing(
            self.throttled | other.throttled,
            self.again | other.again,
            self.still | other.still,
            np.minimum(self.least, other.least),
            np.maximum(self.most, other.most),
            np.minimum(self.timed, other.timed),
        )

    @property
    def lost(self) -> npt.NDArray[np.bool_]:
        """Whether the time of each call path is unknown, ``bool[call path]``.

        The time is known if all visits were timed, or if all threads timed the call path again after about the same
        number of untimed visits.
        """
        alike = np.where(self.again, self.most - self.least, 0) <= _ALIKE * np.where(self.again, self.timed, 0)
        return np.asarray(self.throttled & ~(self.again & ~self.still & alike))


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Threads with the same tree.

    Attributes:
        nodes: Node → call path.
        shards: Thread → shard.
        thread: The index of these threads within their processes.
        kept: Thread → index of its values in the store.
        columns: Thread → column in this process.
        fields: The fields of nodes that are not zero everywhere.
    """

    nodes: _Places
    shards: list[int]
    thread: int
    kept: list[int]
    columns: list[int]
    fields: set[str]

    def parts(self, paths: int) -> Iterator[slice]:
        """Yield slices of the threads that are so small that copies of their values need little memory."""
        size = max(1, _CELLS // max(len(self.nodes), paths))
        return (slice(start, start + size) for start in range(0, len(self.kept), size))


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    place: int  # the column in the whole experiment
    location: Location
    root: int
    program_time: float
    system: tuple[int, ...]  # the system's data about the process, for its first thread; empty for others


class Columns:
    """The columns of the threads whose shards this gathering process has read, in the experiment's order.

    Attributes:
        locations: The threads.
        places: The column of each thread in the whole experiment, ``intp[location]``.
    """

    def __init__(self, own: OwnShards, placing: Placing) -> None:
        self._own = own
        self._placing = placing
        found: list[tuple[_Column, int, int]] = []
        for number, (head, process) in enumerate(zip(own.told.heads, placing.processes, strict=True)):
            if process >= 0:
                found += ((column, number, thread) for column, thread in _of(head, process, number, placing))
        found.sort(key=lambda each: each[0].place)
        self._columns = [column for column, _, _ in found]
        self.locations = [column.location for column in self._columns]
        self.places = np.array([column.place for column in self._columns], dtype=np.intp)
        members: dict[tuple[int, int], list[tuple[int, int]]] = {}  # by shape and thread: shard and column
        for column, (_, number, thread) in enumerate(found):
            if own.kept[number]:
                members.setdefault((placing.shapes[number], thread), []).append((number, column))
        self._groups = [self._group(*kind, listed) for kind, listed in members.items()]

    def _group(self, shape: int, thread: int, members: Sequence[tuple[int, int]]) -> _Group:
        shards, columns = ([*each] for each in zip(*members, strict=True))
        kept = [self._own.kept[shard][thread] for shard in shards]
        places = self._placing.placed[shape].trees[thread]
        return _Group(places, shards, thread, kept, columns, self._own.values.fields(kept))

    def timing(self) -> Timing:
        """Return how many visits of each call path were timed in these threads."""
        found = Timing.none(self._placing.paths)
        for group in self._groups if self._placing.throttled else ():
            for part in group.parts(self._placing.paths):
                self._time(found, group, part)
        return found

    def _time(self, found: Timing, group: _Group, part: slice) -> None:
        untimed = self._placed_values(group, part, group.nodes, [UNTIMED_VISITS.name], self._placing.paths)
        found.throttled[:] |= (untimed > 0).any(axis=0)
        if not self._placing.again:
            return
        visits = self._placed_values(group, part, group.nodes, ["visits"], self._placing.paths)
        there = visits > 0
        found.least[:] = np.minimum(found.least, np.where(there, untimed, np.inf).min(axis=0))
        found.timed[:] = np.minimum(found.timed, np.where(there, visits - untimed, np.inf).min(axis=0))
        found.most[:] = np.maximum(found.most, untimed.max(axis=0))
        for shard in group.shards[part]:
            tree = self._own.told.heads[shard].shard.threads[group.thread]
            found.again[group.nodes[list(tree.timed_again)]] = True
            found.still[group.nodes[[node for node in tree.throttled if node not in tree.timed_again]]] = True

    def values(self, fields: Sequence[str], moved: _Places) -> Severity:
        """Return the sums of some fields of nodes, ``float64[call path, location]``.

        Args:
            fields: The fields' names.
            moved: The new index of each call path.
        """
        paths = int(moved.max()) + 1
        found = np.zeros((paths, len(self._columns)))
        for group in self._groups:
            there = [name for name in fields if name in group.fields]
            for part in group.parts(paths) if there else ():
                values = self._placed_values(group, part, moved[group.nodes], there, paths)
                found[:, group.columns[part]] = values.T
        return found

    def on_path(self, field: str, moved: _Places) -> Severity:
        """Return the sums of a field of ``ON_PATH`` (the nodes' parts of the critical path).

        The sums are over nodes: ``float64[call path, location]``.
        """
        found = np.zeros((int(moved.max()) + 1, len(self._columns)))
        for group in self._groups if self._placing.path else ():
            for shard, column in zip(group.shards, group.columns, strict=True):
                values = self._placing.path[shard]
                own = values[values["thread"] == group.thread]
                np.add.at(found[:, column], moved[group.nodes[own["node"]]], own[field])
        return found

    def program_time(self, moved: _Places) -> Severity:
        """Return the seconds from the return of MPI_Init to the call of MPI_Finalize, assigned to the program's root.

        The result is ``float64[call path, location]``.
        """
        return self._at_roots(moved, [column.program_time for column in self._columns])

    def of_processes(self, fields: Sequence[str], moved: _Places, *, by_path: str | None = None) -> Severity:
        """Return sums of ``SYSTEM_VALUES``, assigned to the processes' roots: ``float64[call path, location]``.

        Args:
            fields: The fields' names.
            moved: The new index of each call path.
            by_path: A field of nodes that holds a part of the values. This part stays on the nodes' call paths, and
                only the rest is assigned to the root.
        """
        places = [SYSTEM_VALUES.index(name) for name in fields]
        totals = [sum(column.system[place] for place in places) if column.system else 0 for column in self._columns]
        if by_path is None:
            return self._at_roots(moved, totals)
        found = self.values([by_path], moved)
        known: dict[int, float] = {}
        for column, part in zip(self._columns, found.sum(axis=0).tolist(), strict=True):
            known[column.location.process] = known.get(column.location.process, 0.0) + part
        rest = [total - known[column.location.process] for column, total in zip(self._columns, totals, strict=True)]
        return found + self._at_roots(moved, [max(each, 0.0) for each in rest])

    def _at_roots(self, moved: _Places, values: Sequence[float]) -> Severity:
        found = np.zeros((int(moved.max()) + 1, len(self._columns)))
        for number, (column, value) in enumerate(zip(self._columns, values, strict=True)):
            found[moved[column.root], number] = value
        return found

    def nodes(self, moved: _Places) -> Iterator[tuple[tuple[int, int], _Places]]:
        """Yield process and thread of each column, and the call path of each of its nodes, ``intp[node]``.

        Args:
            moved: The new index of each call path.
        """
        for group in self._groups:
            places = moved[group.nodes]
            for column in group.columns:
                location = self._columns[column].location
                yield (location.process, location.thread), places

    def _placed_values(
        self, group: _Group, part: slice, places: _Places, fields: Sequence[str], paths: int
    ) -> npt.NDArray[np.float64]:
        """Return the sums of fields for some threads of a group, ``float64[thread, call path]``."""
        numbers = group.kept[part]
        values = self._own.values.values(numbers, len(places), fields[0])
        for name in fields[1:]:
            values += self._own.values.values(numbers, len(places), name)
        into = (places + paths * np.arange(len(numbers))[:, None]).ravel()
        found = np.bincount(into, values.ravel(), paths * len(numbers)).astype(np.float64, copy=False)
        return found.reshape(len(numbers), paths)


def _of(head: Head, process: int, number: int, placing: Placing) -> Iterator[tuple[_Column, int]]:
    """Yield a process's columns: one per thread that recorded something, and always one for the first thread."""
    root = placing.placed[placing.shapes[number]].root
    first = placing.columns[number]
    for place, thread in enumerate(head.columns):
        location = Location(MACHINE, head.shard.host, process, thread)
        time, system = (0.0, ()) if thread else (head.program_time, head.shard.system)
        yield _Column(first + place, location, root, time, system), thread
