"""Compute a run's critical path from a log of all its messages and collectives, without the product's chains.

``programs/path_log.c`` writes the log: each event of each rank, with the busy time by node until then. The longest
chain is found by a replay that keeps the whole history of each rank. A receive gets the message that MPI's rules
determine: between two ranks, with the same communicator and tag, messages are received in the order of the posted
receives.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.gather import shard_layout as layout
from autoanalyzer.runtime.gather.critical_path import CriticalPath
from autoanalyzer.runtime.gather.shard import Shard
from autoanalyzer.runtime.mpi.detection import find_mpi

from .conftest import PROGRAMS, recorded

SENT, RECEIVED, COLLECTIVE, BEGUN, COMPLETED, COMMUNICATOR = range(1, 7)
WORDS: Final = 7  # number of 64-bit words of an event before its nodes; must equal that in path_log.c
PROBE: Final = PROGRAMS.parents[2] / "runtime" / "probe"
_OWN, _IO = 0, 1  # indices of shares of a node's time

Node = tuple[int, int]  # rank, and offset in its shard in units of 64 bytes


@dataclass(frozen=True)
class Event:
    kind: int
    comm: int
    peer: int
    tag: int
    number: int
    node: int
    work: Mapping[int, float]
    members: tuple[int, ...]


class Meeting(NamedTuple):
    """A collective: its number in the communicator, which ranks wait for which (see path_log.h), whether it blocks."""

    comm: int
    number: int
    who: str
    root: int
    blocks: bool


@dataclass
class Chain:
    """The longest chain of busy time that ends at a rank's current event.

    Attributes:
        length: Nanoseconds, or instructions.
        before: The same by node, until all ranks last met in a collective.
        since: The same by node, since then.
    """

    length: float = 0.0
    before: Mapping[Node, float] = field(default_factory=dict)
    since: dict[Node, float] = field(default_factory=dict)

    def copy(self) -> Chain:
        return Chain(self.length, self.before, dict(self.since))

    def parts(self) -> dict[Node, float]:
        return {node: self.before.get(node, 0) + self.since.get(node, 0) for node in {**self.before, **self.since}}


@dataclass
class Found:
    """The critical path of a run: nanoseconds, or instructions, in all and by node.

    The same time is in ``delay`` by the node that was late, and in ``wait`` by the node that waited.
    """

    length: float
    path: Mapping[Node, float]
    delay: Mapping[Node, float]
    wait: Mapping[Node, float]


def log_library(folder: Path, compiler: str) -> Path:
    """Compile the library that writes the log; return it."""
    library = folder / "path_log.so"
    words = [
        compiler,
        "-std=gnu11",
        "-O1",
        "-shared",
        "-fPIC",
        f"-I{PROBE}",
        *map(str, PROGRAMS.glob("path_log*.c")),
        "-ldl",
    ]
    subprocess.run([*words, "-o", str(library)], check=True)
    return library


def events_of(path: Path) -> Iterator[Event]:
    """Yield the events in the log of a rank."""
    words = np.memmap(path, np.int64, "r")
    at = 0
    while words[at]:
        kind, comm, peer, tag, number, node, nodes = words[at : at + WORDS].tolist()
        at += WORDS
        pairs = np.array(words[at : at + 2 * nodes]).reshape(-1, 2)
        at += 2 * nodes
        members = number if kind == COMMUNICATOR else 0
        work = dict(zip(pairs[:, 0].tolist(), pairs[:, 1].copy().view(np.float64).tolist(), strict=True))
        yield Event(kind, comm, peer, tag, number, node, work, tuple(words[at : at + members].tolist()))
        at += members


def call_paths(shard: Shard) -> dict[int, tuple[str, ...]]:
    """Return the call path of each node of the first thread by the node's offset, in units of 64 bytes."""
    assert shard.chains is not None
    paths: list[tuple[str, ...]] = []
    for node in shard.threads[0].nodes:
        above = paths[node["parent"]] if node["parent"] >= 0 else ()
        paths.append((*above, repr(shard.regions[node["region"]])) if node["region"] >= 0 else above)
    places = zip(shard.chains.offsets.tolist(), shard.chains.places.tolist(), strict=True)
    return {offset: paths[number] for offset, (thread, number) in places if thread == 0}


class Replay:
    """A replay of all ranks' events; a rank that waits advances only after the event for which it waits."""

    def __init__(self, events: Sequence[Sequence[Event]], paths: Sequence[Mapping[int, tuple[str, ...]]]) -> None:
        self.events, self.paths, self.size = events, paths, len(events)
        self.chains = [Chain() for _ in events]
        self.delay: dict[Node, float] = defaultdict(float)
        self.wait: dict[Node, float] = defaultdict(float)
        self._members: dict[int, tuple[int, ...]] = {}
        self._sources = [_matched(own) for own in events]
        self._sent: dict[tuple[int, int, int, int], list[Chain]] = defaultdict(list)
        self._arrived: dict[tuple[int, int], dict[int, Chain]] = defaultdict(dict)  # by communicator and collective
        self._times: list[dict[int, int]] = [defaultdict(int) for _ in events]
        self._meetings: list[dict[int, Meeting]] = [{} for _ in events]
        self._met: dict[Meeting, Mapping[Node, float]] = {}

    def run(self) -> None:
        """Replay all events."""
        at = [0] * self.size
        ends = [len(own) for own in self.events]
        waits = [False] * self.size
        while at != ends:
            before = list(at)
            for rank, own in enumerate(self.events):
                while at[rank] < ends[rank]:
                    event = own[at[rank]]
                    if not waits[rank]:
                        self._work(rank, event.work)
                        self._tell(rank, event)
                    waits[rank] = not self._hear(rank, at[rank], event)
                    if waits[rank]:
                        break
                    at[rank] += 1
            assert at != before, f"ranks wait for ever: {at}"

    def finish(self, left: Sequence[Mapping[int, float]]) -> Found:
        """Add each rank's work after its last event, by node, and return the longest chain."""
        for rank, work in enumerate(left):
            self._work(rank, work)
        longest = max(self.chains, key=lambda chain: chain.length)
        return Found(longest.length, longest.parts(), self.delay, self.wait)

    def _work(self, rank: int, work: Mapping[int, float]) -> None:
        chain, paths = self.chains[rank], self.paths[rank]
        has_main = any(path and re.search(r"name='main'|kind='program'", path[0]) for path in paths.values())
        for node, more in work.items():
            if has_main and not paths.get(node):
                continue  # before main, or after it
            chain.length += more
            chain.since[rank, node] = chain.since.get((rank, node), 0.0) + more

    def _tell(self, rank: int, event: Event) -> None:
        if event.kind == COMMUNICATOR:
            self._members[event.comm] = event.members
        elif event.kind == SENT:
            self._sent[rank, event.peer, event.comm, event.tag].append(self.chains[rank].copy())
        elif event.kind in (COLLECTIVE, BEGUN):
            number = self._times[rank][event.comm]
            self._times[rank][event.comm] += 1
            self._arrived[event.comm, number][rank] = self.chains[rank].copy()
            meeting = Meeting(event.comm, number, chr(event.peer), event.tag, event.kind == COLLECTIVE)
            self._meetings[rank][event.number] = meeting

    def _hear(self, rank: int, at: int, event: Event) -> bool:
        if event.kind == RECEIVED:
            sent = self._sent[event.peer, rank, event.comm, event.tag]
            place = self._sources[rank][at]
            if place >= len(sent):
                return False
            self._join(rank, sent[place], event.node)
        elif event.kind in (COLLECTIVE, COMPLETED):
            return self._gather(rank, self._meetings[rank][event.number], event.node)
        return True

    def _gather(self, rank: int, meeting: Meeting, waiting: int) -> bool:
        """Continue a rank's chain from the longest chain of the ranks for which it waits in a collective.

        Returns:
            Whether these ranks have arrived.
        """
        members, arrived = self._members[meeting.comm], self._arrived[meeting.comm, meeting.number]
        needed = {
            "e": members,
            "f": (meeting.root,),
            "t": members if rank == meeting.root else (),
            "l": members[: members.index(rank) + 1],
        }[meeting.who]
        if not all(each in arrived for each in needed):
            return False
        if needed:
            longest = max((arrived[each] for each in sorted(needed)), key=lambda chain: chain.length)
            self._join(rank, longest, waiting)
            if meeting.blocks and meeting.who == "e" and len(members) == self.size:
                parts = self._met.setdefault(meeting, longest.parts())
                self.chains[rank] = Chain(longest.length, parts)
        return True

    def _join(self, rank: int, other: Chain, waiting: int) -> None:
        mine = self.chains[rank]
        waited = other.length - mine.length
        if waited <= 0:
            return
        self.wait[rank, waiting] += waited
        have, theirs = self._by_path(mine.since), self._by_path(other.since)
        ahead = {path: max(0.0, work - have.get(path, 0.0)) for path, work in theirs.items()}
        whole = sum(ahead.values())
        for (late, node), work in other.since.items():
            path = self.paths[late].get(node, ())
            if theirs[path] > 0 and whole > 0:
                self.delay[late, node] += ahead[path] * work / theirs[path] * min(1.0, waited / whole)
        self.chains[rank] = other.copy()

    def _by_path(self, parts: Mapping[Node, float]) -> dict[tuple[str, ...], float]:
        found: dict[tuple[str, ...], float] = defaultdict(float)
        for (rank, node), work in parts.items():
            found[self.paths[rank].get(node, ())] += work
        return found


def _matched(events: Sequence[Event]) -> dict[int, int]:
    """Return index of a receive's event → place of its message among those of one sender, communicator and tag."""
    alike: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list)
    for at, event in enumerate(events):
        if event.kind == RECEIVED:
            alike[event.peer, event.comm, event.tag].append((event.number, at))
    return {at: place for each in alike.values() for place, (_, at) in enumerate(sorted(each))}


def offline(folder: Path, shards: Sequence[Shard]) -> Found:
    """Compute the path of a run from its logs; the work after each rank's last event is read from the shards."""
    events = [list(events_of(folder / f"{rank}.log")) for rank in range(len(shards))]
    replay = Replay(events, [call_paths(shard) for shard in shards])
    replay.run()
    return replay.finish([_left(shard, own) for shard, own in zip(shards, events, strict=True)])


def _left(shard: Shard, events: Sequence[Event]) -> dict[int, float]:
    """Return the work since a rank's last event, by the node's offset, in ns or instructions."""
    assert shard.chains is not None
    text = shard.path.read_bytes()
    rate = float(np.frombuffer(text, layout.HEADER_LAYOUT, 1)["ticks_per_second"][0])
    left: dict[int, float] = {}
    for offset in call_paths(shard):
        node = np.frombuffer(text, layout.NODE_LAYOUT, 1, offset * layout.ALIGNMENT)[0]
        ticks = int(node["wall"][_OWN]) + int(node["wall"][_IO]) - int(node["off"][_OWN])
        counted = float(node["counters"][0])
        left[offset] = counted if shard.chains.counted else ticks / rate * 1e9
    for event in events:
        for offset, work in event.work.items():
            left[offset] -= work
    return {offset: work for offset, work in left.items() if work > 0}


def product(shards: Sequence[Shard]) -> Found:
    """Compute the path of a run by the product, from the chains in the shards."""
    chains = {rank: shard.chains for rank, shard in enumerate(shards) if shard.chains}
    path = CriticalPath(chains)
    assert path.state == "known"
    scale = 1 if path.counted else 1e9
    fields: dict[str, dict[Node, float]] = {"path": {}, "delay": {}, "wait": {}}
    for rank, records in chains.items():
        offsets = {
            tuple(place): offset
            for offset, place in zip(records.offsets.tolist(), records.places.tolist(), strict=True)
        }
        for row in path.of(rank):
            for name, values in fields.items():
                if row[name]:
                    values[rank, offsets[int(row["thread"]), int(row["node"])]] = float(row[name]) * scale
    return Found(sum(fields["path"].values()) + path.unknown * scale, **fields)


def worst(one: Mapping[Node, float], other: Mapping[Node, float]) -> float:
    """Return the largest difference between two results at one node."""
    return max((abs(one.get(node, 0.0) - other.get(node, 0.0)) for node in {**one, **other}), default=0.0)


def logged(command: Sequence[str], folder: Path, compiler: str) -> tuple[Found, Found]:
    """Run a command that records the critical path and the logs; return the path by the product, and by the logs."""
    library = log_library(folder, compiler)
    logs = folder / "logs"
    logs.mkdir()
    preloaded = f"{probe_library(find_mpi(command))} {library}"
    variables = {"AUTOANALYZER_PATH": "always", "AUTOANALYZER_TEST_LOG": str(logs), "LD_PRELOAD": preloaded}
    shards = sorted(recorded(command, folder, **variables).shards, key=lambda shard: shard.rank or 0)
    return product(shards), offline(logs, shards)
