"""Synthetic programs of a few ranks, which run on simulated clocks, and whose events are written to an OTF2 archive."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import otf2
from otf2.enums import CollectiveOp, GroupType, LocationType, Paradigm, RegionRole
from otf2.events import (
    Enter,
    Leave,
    MpiCollectiveBegin,
    MpiCollectiveEnd,
    MpiImrecv,
    MpiImrecvRequest,
    MpiIrecv,
    MpiIrecvRequest,
    MpiIsend,
    MpiIsendComplete,
    MpiMrecv,
    MpiProbe,
    MpiRecv,
    MpiSend,
    NonBlockingCollectiveComplete,
    NonBlockingCollectiveRequest,
    ThreadFork,
    ThreadJoin,
)

TICKS = 1_000_000_000
LATENCY = 1e-6

ROLES = {
    "MPI_Barrier": RegionRole.BARRIER,
    "MPI_Allreduce": RegionRole.COLL_ALL2ALL,
    "MPI_Bcast": RegionRole.COLL_ONE2ALL,
    "MPI_Reduce": RegionRole.COLL_ALL2ONE,
    "MPI_Scan": RegionRole.COLL_OTHER,
}
OPERATIONS = {
    "MPI_Barrier": CollectiveOp.BARRIER,
    "MPI_Allreduce": CollectiveOp.ALLREDUCE,
    "MPI_Bcast": CollectiveOp.BCAST,
    "MPI_Reduce": CollectiveOp.REDUCE,
    "MPI_Scan": CollectiveOp.SCAN,
}

Event = tuple[float, str, tuple[Any, ...]]
Step = tuple[Any, ...]


def work(region: str, seconds: float) -> Step:
    return ("work", region, seconds)


def send(to: int, tag: int = 0) -> Step:
    return ("send", to, tag)


def receive(sender: int, tag: int = 0) -> Step:
    return ("receive", sender, tag)


def collective(name: str, members: Sequence[int], root: int = 0) -> Step:
    """Return the step of a collective; ``root`` is an index in ``members``."""
    return ("collective", name, tuple(members), root)


def run(programs: Sequence[Sequence[Step]]) -> list[list[Event]]:
    """Run programs, one per rank; return the events of each rank, with times in seconds.

    Messages and collectives take a microsecond after the last rank for which they wait.
    """
    clocks = [0.0] * len(programs)
    events: list[list[Event]] = [[(0.0, "enter", ("main",))] for _ in programs]
    left = [deque(each) for each in programs]
    sent: defaultdict[tuple[int, int, int], deque[float]] = defaultdict(deque)
    came: defaultdict[tuple[Any, ...], dict[int, float]] = defaultdict(dict)
    turns: defaultdict[tuple[Any, ...], int] = defaultdict(int)

    def step(rank: int) -> bool:
        kind, *what = left[rank][0]
        begin = clocks[rank]
        if kind == "work":
            region, seconds = what
            clocks[rank] += seconds
            events[rank] += [(begin, "enter", (region,)), (clocks[rank], "leave", (region,))]
        elif kind == "send":
            to, tag = what
            sent[rank, to, tag].append(begin)
            clocks[rank] += LATENCY
            events[rank] += [(begin, "enter", ("MPI_Send",)), (begin, "sent", (to, tag))]
            events[rank] += [(clocks[rank], "leave", ("MPI_Send",))]
        elif kind == "receive":
            sender, tag = what
            if not sent[sender, rank, tag]:
                return False
            clocks[rank] = max(begin, sent[sender, rank, tag].popleft()) + LATENCY
            events[rank] += [(begin, "enter", ("MPI_Recv",)), (clocks[rank], "received", (sender, tag))]
            events[rank] += [(clocks[rank], "leave", ("MPI_Recv",))]
        else:
            name, members, root = what
            key = (name, members, turns[name, members, rank])
            came[key][rank] = begin
            needed = needs(name, members, members.index(rank), root)
            if any(each not in came[key] for each in needed):
                return False
            turns[name, members, rank] += 1
            clocks[rank] = max([begin, *(came[key][each] for each in needed)]) + LATENCY
            events[rank] += [(begin, "enter", (name,)), (begin, "begun", ())]
            events[rank] += [(clocks[rank], "ended", (name, members, root)), (clocks[rank], "leave", (name,))]
        return True

    while any(left):
        moved = False
        for rank, steps in enumerate(left):
            while steps and step(rank):
                steps.popleft()
                moved = True
        assert moved, "the program is stuck"
    for clock, own in zip(clocks, events, strict=True):
        own.append((clock, "leave", ("main",)))
    return events


def needs(name: str, members: Sequence[int], rank: int, root: int) -> Sequence[int]:
    """Return the ranks for which a member of a collective waits.

    Args:
        name: The MPI function.
        members: The ranks in the collective.
        rank: The member's index in ``members``.
        root: The root's index in ``members``.
    """
    if name == "MPI_Bcast":
        return [members[root]]
    if name == "MPI_Reduce":
        return members if rank == root else []
    return members[: rank + 1] if name == "MPI_Scan" else members


def naive(programs: Sequence[Sequence[Step]]) -> tuple[dict[Any, float], dict[Any, float], dict[Any, float]]:
    """Compute the critical path naively: each message copies a whole chain.

    Returns:
        In seconds: the path by region and rank, delays by region, waits by MPI function and rank.
    """
    ranks = range(len(programs))
    chains: list[dict[Any, float]] = [{} for _ in ranks]
    left = [deque(each) for each in programs]
    sent: defaultdict[Any, deque[dict[Any, float]]] = defaultdict(deque)
    came: defaultdict[Any, dict[int, dict[Any, float]]] = defaultdict(dict)
    turns: defaultdict[Any, int] = defaultdict(int)
    late: defaultdict[Any, float] = defaultdict(float)
    waits: defaultdict[Any, float] = defaultdict(float)

    def join(rank: int, others: Sequence[dict[Any, float]], where: str) -> None:
        other = max(others, key=lambda chain: sum(chain.values()), default={})
        mine = chains[rank]
        waited = sum(other.values()) - sum(mine.values())
        if waited <= 1e-12:
            return
        leads = {
            region: sum(n * (key[0] == region) for key, n in other.items())
            - sum(n * (key[0] == region) for key, n in mine.items())
            for region in {key[0] for key in other}
        }
        ahead = sum(max(each, 0.0) for each in leads.values())
        waits[where, rank] += waited
        for region, lead in leads.items():
            if lead > 0:
                late[region] += waited * lead / ahead
        chains[rank] = dict(other)

    def step(rank: int) -> bool:
        kind, *what = left[rank][0]
        if kind == "work":
            chains[rank][what[0], rank] = chains[rank].get((what[0], rank), 0.0) + what[1]
        elif kind == "send":
            sent[rank, what[0], what[1]].append(dict(chains[rank]))
        elif kind == "receive":
            if not sent[what[0], rank, what[1]]:
                return False
            join(rank, [sent[what[0], rank, what[1]].popleft()], "MPI_Recv")
        else:
            name, members, root = what
            key = (name, members, turns[name, members, rank])
            came[key].setdefault(rank, dict(chains[rank]))
            needed = needs(name, members, members.index(rank), root)
            if any(each not in came[key] for each in needed):
                return False
            turns[name, members, rank] += 1
            join(rank, [came[key][each] for each in needed], name)
        return True

    while any(left):
        for rank, steps in enumerate(left):
            while steps and step(rank):
                steps.popleft()
    return max(chains, key=lambda chain: sum(chain.values())), late, waits


def write(folder: Path, events: Mapping[tuple[int, int], Sequence[Event]], *, shift: Sequence[float] = ()) -> Path:
    """Write the events of locations, by rank and thread, as an archive.

    Args:
        folder: The folder to create.
        events: The events of each location, in order of time. Messages have the other rank and a tag; collectives have
            their name, members and root; events that begin with ``i`` have a request, too.
        shift: Clock differences of the ranks in seconds.
    """
    with otf2.writer.open(str(folder), timer_resolution=TICKS) as archive:
        definitions = archive.definitions
        machine = definitions.system_tree_node("machine")
        node = definitions.system_tree_node("node", parent=machine)
        groups = {
            rank: definitions.location_group(f"rank {rank}", system_tree_parent=node)
            for rank in sorted({rank for rank, _ in events})
        }
        locations = {
            (rank, thread): definitions.location(f"{thread}", group=groups[rank], type=LocationType.CPU_THREAD)
            for rank, thread in sorted(events)
        }
        first = tuple(locations[rank, 0] for rank in groups)
        definitions.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=first)
        comms: dict[tuple[int, ...], Any] = {}

        def comm(members: Sequence[int]) -> Any:
            if tuple(members) not in comms:
                of = tuple(first[rank] for rank in members)
                name = f"comm {len(comms)}"
                group = definitions.group(name, group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=of)
                comms[tuple(members)] = definitions.comm(name, group=group)
            return comms[tuple(members)]

        world = comm(range(len(first)))

        def region(name: str) -> Any:
            if name.startswith("MPI_"):
                role = ROLES.get(name, RegionRole.POINT2POINT)
                return definitions.region(name, source_file="MPI", region_role=role, paradigm=Paradigm.MPI)
            if name.startswith("!$omp"):
                role = RegionRole.IMPLICIT_BARRIER if "barrier" in name else RegionRole.PARALLEL
                return definitions.region(name, region_role=role, paradigm=Paradigm.OPENMP)
            return definitions.region(name, source_file="a.c", begin_line_number=1)

        def ended(at: int, name: str, members: Sequence[int], root: int) -> Any:
            return MpiCollectiveEnd(at, OPERATIONS[name], comm(members), root, 8, 8)

        def completed(at: int, name: str, members: Sequence[int], root: int, request: int) -> Any:
            return NonBlockingCollectiveComplete(at, OPERATIONS[name], comm(members), root, 8, 8, request)

        made: dict[str, Callable[..., Any]] = {
            "enter": lambda at, name: Enter(at, region(name)),
            "leave": lambda at, name: Leave(at, region(name)),
            "sent": lambda at, to, tag: MpiSend(at, to, world, tag, 8),
            "received": lambda at, sender, tag: MpiRecv(at, sender, world, tag, 8),
            "isent": lambda at, to, tag, request: MpiIsend(at, to, world, tag, 8, request),
            "isend_complete": MpiIsendComplete,
            "irequested": MpiIrecvRequest,
            "ireceived": lambda at, sender, tag, request: MpiIrecv(at, sender, world, tag, 8, request),
            "probed": lambda at, sender, tag, message: MpiProbe(at, sender, world, tag, message),
            "matched": lambda at, message: MpiMrecv(at, message, 8),
            "irequested_matched": MpiImrecvRequest,
            "ireceived_matched": lambda at, request: MpiImrecv(at, request, 8),
            "begun": MpiCollectiveBegin,
            "ended": ended,
            "ibegun": NonBlockingCollectiveRequest,
            "iended": completed,
            "forked": lambda at, threads: ThreadFork(at, Paradigm.OPENMP, threads),
            "joined": lambda at: ThreadJoin(at, Paradigm.OPENMP),
        }
        for (rank, thread), own in sorted(events.items()):
            writer = archive.event_writer_from_location(locations[rank, thread])
            later = shift[rank] if shift else 0.0
            for time, kind, what in own:
                writer(made[kind](round((time + later) * TICKS), *what))
    return folder / "traces.otf2"


def of_ranks(events: Sequence[Sequence[Event]]) -> dict[tuple[int, int], Sequence[Event]]:
    """Map rank and thread to events: each rank's events belong to its first thread, number 0."""
    return {(rank, 0): own for rank, own in enumerate(events)}
