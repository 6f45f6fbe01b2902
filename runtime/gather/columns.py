"""The values of the threads whose shards one process has read, by call path, a metric at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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

__all__ = ["MACHINE", "Columns", "Placing", "Timing"]

MACHINE: Final = "machine"
_ALIKE: Final = 0.01  # of the visits that are timed; what threads lack besides takes less than that of their time
_CELLS: Final = 1 << 20  # values that are put in their places at a time

_Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Placing:
    """Where what one process has read belongs.

    Attributes:
        processes: Of each of its shards the number in the experiment; -1 if it is left out.
        columns: Of each the column of its first thread.
        shapes: Of each the number of its shape.
        placed: By that number.
        paths: How many call paths there are.
        throttled: Whether any process has throttled a region.
        again: Whether any timed one again.
    """

    processes: list[int]
    columns: list[int]
    shapes: list[int]
    placed: dict[int, Placed]
    paths: int
    throttled: bool
    again: bool


@dataclass(frozen=True)
class Timing:
    """How much of the time of each call path is known.

    Attributes:
        throttled: Where a thread lacks the time of a visit.
        again: Where one timed it again in the end.
        still: Where one did not.
        least: The fewest visits without a time, of all threads that were there.
        most: The most of any.
        timed: The fewest with one, of those that were there.
    """

    throttled: npt.NDArray[np.bool_]
    again: npt.NDArray[np.bool_]
    still: npt.NDArray[np.bool_]
    least: npt.NDArray[np.float64]
    most: npt.NDArray[np.float64]
    timed: npt.NDArray[np.float64]

    @classmethod
    def none(cls, paths: int) -> Timing:
        """Give that of no thread."""
        throttled, again, still = (np.zeros(paths, dtype=bool) for _ in range(3))
        return cls(throttled, again, still, np.full(paths, np.inf), np.zeros(paths), np.full(paths, np.inf))

    def joined(self, other: Timing) -> Timing:
        """Put that of other threads to it."""
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
        """Where a time is missing: unless it is taken again wherever it was not, after about as many visits."""
        alike = np.where(self.again, self.most - self.least, 0) <= _ALIKE * np.where(self.again, self.timed, 0)
        return np.asarray(self.throttled & ~(self.again & ~self.still & alike))


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    place: int  # among all
    location: Location
    root: int
    program_time: float


class Columns:
    """The columns of this process, in the order that they have among all.

    Attributes:
        locations: The threads.
        places: The column of each, ``intp[location]``.
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
        self._groups: dict[tuple[int, int], list[tuple[int, int]]] = {}  # by shape and thread: shard and column
        for column, (_, number, thread) in enumerate(found):
            if own.kept[number]:
                self._groups.setdefault((placing.shapes[number], thread), []).append((number, column))

    def timing(self) -> Timing:
        """Tell how much of the time of each call path is known in these threads."""
        paths, again = self._placing.paths, self._placing.again
        found = Timing.none(paths)
        for (shape, thread), members in self._groups.items() if self._placing.throttled else ():
            places = self._placing.placed[shape].trees[thread]
            for part in _parts(members, max(len(places), paths)):
                numbers = [self._own.kept[shard][thread] for shard, _ in part]
                untimed = self._placed_values(numbers, places, [UNTIMED_VISITS.name])
                found.throttled[:] |= (untimed > 0).any(axis=0)
                if again:
                    visits = self._placed_values(numbers, places, ["visits"])
                    there = visits > 0
                    found.least[:] = np.minimum(found.least, np.where(there, untimed, np.inf).min(axis=0))
                    found.timed[:] = np.minimum(found.timed, np.where(there, visits - untimed, np.inf).min(axis=0))
                    found.most[:] = np.maximum(found.most, untimed.max(axis=0))
                for shard, _ in part if again else ():
                    tree = self._own.told.heads[shard].shard.threads[thread]
                    found.again[places[list(tree.timed_again)]] = True
                    found.still[places[[node for node in tree.throttled if node not in tree.timed_again]]] = True
        return found

    def values(self, fields: Sequence[str], moved: _Places) -> Severity:
        """Add up fields of nodes, ``float64[call path, location]``.

        Args:
            fields: Their names.
            moved: The place of each call path among those that are wanted.
        """
        paths = int(moved.max()) + 1
        found = np.zeros((len(self._columns), paths))
        for (shape, thread), members in self._groups.items():
            places = moved[self._placing.placed[shape].trees[thread]]
            numbers = [self._own.kept[shard][thread] for shard, _ in members]
            there = [name for name in fields if self._own.values.has(numbers, name)]
            for part in _parts(members, max(len(places), paths)) if there else ():
                numbers = [self._own.kept[shard][thread] for shard, _ in part]
                found[[column for _, column in part]] = self._placed_values(numbers, places, there, paths)
        return np.ascontiguousarray(found.T)

    def program_time(self, moved: _Places) -> Severity:
        """Give the time between the return of MPI_Init and the call of MPI_Finalize, at the program's root."""
        found = np.zeros((int(moved.max()) + 1, len(self._columns)))
        for number, column in enumerate(self._columns):
            found[moved[column.root], number] = column.program_time
        return found

    def nodes(self, moved: _Places) -> Iterator[tuple[tuple[int, int], _Places]]:
        """Give for each process and thread the call path of each node."""
        for (shape, thread), members in self._groups.items():
            places = moved[self._placing.placed[shape].trees[thread]]
            for _, column in members:
                location = self._columns[column].location
                yield (location.process, location.thread), places

    def _placed_values(
        self, numbers: Sequence[int], places: _Places, fields: Iterable[str], paths: int = 0
    ) -> npt.NDArray[np.float64]:
        """Add up fields of threads with the same tree, ``float64[thread, call path]``."""
        paths = paths or self._placing.paths
        values = sum(self._own.values.values(numbers, len(places), name) for name in fields)
        into = (places + paths * np.arange(len(numbers))[:, None]).ravel()
        return np.bincount(into, np.ravel(values), paths * len(numbers)).reshape(len(numbers), paths)


def _of(head: Head, process: int, number: int, placing: Placing) -> Iterator[tuple[_Column, int]]:
    """Give the columns of a process: those of the threads that recorded, and of the first one in any case."""
    root = placing.placed[placing.shapes[number]].root
    first = placing.columns[number]
    for place, thread in enumerate(head.columns):
        location = Location(MACHINE, head.shard.host, process, thread)
        yield _Column(first + place, location, root, 0.0 if thread else head.program_time), thread


def _parts(members: Sequence[tuple[int, int]], width: int) -> Iterator[Sequence[tuple[int, int]]]:
    size = max(1, _CELLS // max(1, width))
    return (members[start : start + size] for start in range(0, len(members), size))
