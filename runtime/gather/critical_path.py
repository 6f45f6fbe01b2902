"""Assemble the critical path of a run from the records of its ranks.

Each rank records three things: the sections of the path that ended on it, until all ranks met for the last time; its
chain of work since then; and what it waited for. The entries refer to nodes of any rank, so process 0, which has the
records of all ranks, collects the path and distributes it to the ranks. The path consists of the totals of all ranks,
and of the longest of the last chains, which continues backwards through segments that other ranks recorded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from . import shard_layout as layout

__all__ = ["ON_PATH", "PATH_FIELDS", "CriticalPath", "PathRecords", "WaitedFor", "said_of_path"]

_VALUES: Final = ("path", "delay", "wait", "team")
_DELAYS: Final = ("delay", "message_delay")

ON_PATH: Final = np.dtype([("thread", "i4"), ("node", "i4"), *((name, "f8") for name in (*_VALUES, "visits"))])
"""Values per node, in seconds or instructions: the work on the critical path; the waiting that the node caused; the
node's own waiting; the work of each team's slowest thread, if the node did this work. The last value is the number of
visits on the critical path."""

PATH_FIELDS: Final = {
    "path_time": "path",
    "path_instructions": "path",
    "delay_time": "delay",
    "wait_time": "wait",
    "team_time": "team",
    "path_visits": "visits",
}
"""Metric → the field of ``ON_PATH`` with its values."""

_LEFT_OUT: Final = {
    "locks": "one-sided communication with locks (MPI_Win_lock)",
    "partitioned": "partitioned messages (MPI_Psend_init)",
    "strangers": "communication with processes of another MPI_COMM_WORLD (MPI_Comm_spawn)",
}

_NOBODY: Final = 0xFFFFFFFF
_NANOSECOND: Final = 1e-9
_NOTHING: Final = np.zeros(0, ON_PATH)


@dataclass(frozen=True, slots=True, eq=False)
class PathRecords:
    """A process's records of the critical path.

    Attributes:
        state: One of ``shard_layout.PATH_STATES``.
        counted: Whether work is in instructions rather than nanoseconds.
        messages: The number of messages that the probe library sent in addition to the program's.
        seconds: The time that the probe library's messages took.
        lost: The number of entries for which there was no memory.
        left_out: Operations of the program that the path does not follow, as named in ``shard_layout.PATH_LEFT_OUT``.
        records: ``PATH_LAYOUT[record]``.
        offsets: The offsets of all nodes in the shard, in units of ``ALIGNMENT`` bytes, sorted.
        places: Node → thread, and index in that thread.
    """

    state: str
    counted: bool
    messages: int
    seconds: float
    lost: int
    left_out: frozenset[str]
    records: npt.NDArray[np.void]
    offsets: npt.NDArray[np.int64]
    places: npt.NDArray[np.int32]

    @property
    def is_partial(self) -> bool:
        """Whether recording ended before the run, because it took too long."""
        return self.state == "too_dear"

    def of_kind(self, kind: str) -> npt.NDArray[np.void]:
        """Return the records of a kind, ``PATH_LAYOUT[record]``."""
        found: npt.NDArray[np.void] = self.records[self.records["kind"] == layout.PATH_KINDS.index(kind)]
        return found

    def entries(self, kind: str) -> npt.NDArray[np.void]:
        """Return the entries of all records of a kind, ``PATH_ENTRY[entry]``."""
        return entries_of(self.of_kind(kind))

    def place(self, offsets: npt.NDArray[np.uint32]) -> npt.NDArray[np.int32]:
        """Return thread and index of nodes by their offsets, ``int32[offset, 2]``; -1 for offsets without a node."""
        found = np.searchsorted(self.offsets, offsets)
        known = (found < len(self.offsets)) & (self.offsets[np.minimum(found, len(self.offsets) - 1)] == offsets)
        return np.where(known[:, None], self.places[np.where(known, found, 0)], np.int32(-1))


def entries_of(records: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """Return the entries of records, concatenated, ``PATH_ENTRY[entry]``."""
    used = np.arange(layout.PATH_ENTRIES) < records["count"][:, None]
    found: npt.NDArray[np.void] = records["entries"][used]
    return found


@dataclass(frozen=True, slots=True)
class WaitedFor:
    """The waiting of one node for another node.

    Attributes:
        waiting: Process, thread and node that waits.
        late: Process, thread and node for which it waits.
        amount: Seconds, or instructions.
        by_message: Whether a message, rather than a collective, ended the waiting.
    """

    waiting: tuple[int, int, int]
    late: tuple[int, int, int]
    amount: float
    by_message: bool


class CriticalPath:
    """The path of the processes that share an MPI_COMM_WORLD.

    Attributes:
        state: The least certain of the processes' states, one of ``shard_layout.PATH_STATES``.
        counted: Whether the path's lengths are in instructions.
        has_teams: Whether the path includes teams of threads, and was recorded to its end.
        unknown: The part of the path's length, in seconds or instructions, that belongs to no known node.
    """

    def __init__(self, processes: Mapping[int, PathRecords]) -> None:
        self._processes = processes
        self._delays = {process: _delays_of(each) for process, each in processes.items()}
        states = [layout.PATH_STATES.index(each.state) for each in processes.values()]
        self.state = layout.PATH_STATES[_least(states)]
        self.counted = any(each.counted for each in processes.values())
        is_whole = self.state in ("known", "missed")
        self.has_teams = is_whole and any(len(each.of_kind("team")) for each in processes.values())
        self.unknown = 0.0
        self._scale = 1.0 if self.counted else _NANOSECOND
        self._found: dict[int, npt.NDArray[np.void]] = {}
        if self.state not in ("not_asked", "alone", "sessions"):
            self._add_up()

    @property
    def is_known(self) -> bool:
        """Whether the path is known, for the whole run or its beginning."""
        return bool(self._found)

    def of(self, process: int) -> npt.NDArray[np.void]:
        """Return the parts of the path that belong to a process's nodes, ``ON_PATH[node]``."""
        return self._found.get(process, _NOTHING)

    def waits(self) -> Iterator[WaitedFor]:
        """Yield the waits: which node waited for which other node, and for how long."""
        for process, records in self._processes.items():
            entries, ended = self._delays[process]
            waiting = records.place(entries["what"]).tolist()
            for entry, (thread, node), by_message in zip(entries, waiting, ended, strict=True):
                late = self._processes.get(int(entry["rank"]))
                if thread >= 0 and late is not None:
                    (there, which) = late.place(entry["node"][None])[0].tolist()
                    amount = float(entry["work"]) * self._scale
                    if there >= 0:
                        found = (process, thread, node), (int(entry["rank"]), there, which)
                        yield WaitedFor(*found, amount, by_message)

    def _add_up(self) -> None:
        on_path = [*(each.entries("total") for each in self._processes.values()), *self._last_chain()]
        segments = {
            (process, int(record["number"])): record
            for process, each in self._processes.items()
            for record in each.of_kind("segment")
        }
        ends = [(int(entry["rank"]), int(entry["what"])) for part in on_path for entry in part if _goes_on(entry)]
        for end in ends:
            on_path.extend(_backwards(end, segments))
        entries = np.concatenate(on_path)
        delays = np.concatenate([each for each, _ in self._delays.values()])
        for process, records in self._processes.items():
            path, late = (each[each["rank"] == process] for each in (entries, delays))
            own, _ = self._delays[process]
            teams, on = records.entries("team"), records.place(path["node"])
            parts = [
                _column(on, "path", path["work"]),
                _column(on, "visits", path["visits"]),
                _column(records.place(late["node"]), "delay", late["work"]),
                _column(records.place(own["what"]), "wait", own["work"]),
                _column(records.place(teams["node"]), "team", teams["work"]),
            ]
            found = _summed(np.concatenate(parts))
            for name in _VALUES:
                found[name] *= self._scale
            self._found[process] = found
        whole = float(entries["work"].sum()) * self._scale
        self.unknown = max(0.0, whole - sum(float(each["path"].sum()) for each in self._found.values()))

    def _last_chain(self) -> Iterator[npt.NDArray[np.void]]:
        """Yield the entries of the longest of all last chains, and an entry that refers to the segment before it."""
        chains = [record for each in self._processes.values() for record in each.of_kind("chain")]
        if not chains:
            return
        longest = max(chains, key=lambda record: float(record["length"]))
        yield entries_of(np.array([longest]))
        if longest["segment"]:
            end = np.zeros(1, layout.PATH_ENTRY)
            end["rank"], end["what"] = longest["rank"], longest["segment"]
            yield end


def said_of_path(processes: Collection[PathRecords]) -> Iterator[str]:
    """Yield the reasons why the critical path is unknown or incomplete.

    Args:
        processes: The processes that share an MPI_COMM_WORLD and should have recorded the path.
    """
    count = {state: sum(each.state == state for each in processes) for state in layout.PATH_STATES}
    if count["alone"]:
        yield (
            "the critical path is not known: some processes were not recorded, or the processes do not share a folder"
        )
        return
    if count["sessions"]:
        yield "the critical path is not known: the program started MPI with MPI_Session_init alone, without MPI_Init"
        return
    if count["too_dear"]:
        yield (
            "the critical path is known only for the beginning of the run: it was recorded until the probe library's "
            "messages took more time than --max-overhead allows (to record the whole path, use --path always)"
        )
    if count["missed"]:
        yield (
            f"the critical path may be longer: on {count['missed']} of {len(processes)} ranks a message of the probe "
            "library did not arrive, so these ranks stopped following the messages that they received"
        )
    if left_out := frozenset().union(*(each.left_out for each in processes)):
        kinds = ", ".join(_LEFT_OUT[name] for name in layout.PATH_LEFT_OUT if name in left_out)
        yield f"the critical path may be longer, because it does not follow {kinds}"
    if lost := sum(each.lost for each in processes):
        yield f"entries on the critical path without a region, because memory ran short: {lost}"


def _delays_of(records: PathRecords) -> tuple[npt.NDArray[np.void], list[bool]]:
    """Return a process's entries of both kinds of delay, and whether a message, not a collective, ended each wait."""
    by_kind = [records.entries(kind) for kind in _DELAYS]
    ended = np.repeat([kind == "message_delay" for kind in _DELAYS], [len(each) for each in by_kind])
    return np.concatenate(by_kind), ended.tolist()


def _least(states: Sequence[int]) -> int:
    """Return the worst of several states, because the path is known only if every process has recorded it."""
    if not states:
        return 0
    known = layout.PATH_STATES.index("known")
    return min(states) if min(states) < known else max(states)


def _goes_on(entry: np.void) -> bool:
    return not entry["node"] and entry["rank"] != _NOBODY


def _backwards(end: tuple[int, int], segments: Mapping[tuple[int, int], np.void]) -> Iterator[npt.NDArray[np.void]]:
    seen = set()
    while (record := segments.get(end)) is not None and end not in seen:
        seen.add(end)
        yield entries_of(np.array([record]))
        end = int(record["rank"]), int(record["segment"])


def _column(places: npt.NDArray[np.int32], name: str, values: npt.NDArray[np.float64]) -> npt.NDArray[np.void]:
    found = np.zeros(len(places), ON_PATH)
    found["thread"], found["node"] = places.T if len(places) else (0, 0)
    found[name] = values
    return found[found["thread"] >= 0]


def _summed(rows: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """Return rows of ``ON_PATH``, one per node: the sums of the given rows."""
    keys, where = np.unique(rows[["thread", "node"]], return_inverse=True)
    found = np.zeros(len(keys), ON_PATH)
    for name in ("thread", "node"):
        found[name] = keys[name]
    for name in (*_VALUES, "visits"):
        found[name] = np.bincount(where.ravel(), rows[name], len(keys))
    return found
