"""Shards of the processes of a run → one experiment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ..experiment import CallPath, Experiment, Location, Notes, Region
from ..experiment.metric import COUNT_METRICS, STORED_METRICS, Metric
from ..experiment.severities import LazySeverities, Severity
from .facts import RunFacts
from .files_used import most_used
from .shard import NODE, Shard, ThreadTree
from .shard_layout import COUNTERS
from .throttling import throttled_regions
from .whole_program import with_io_apart

__all__ = ["count_alone", "merge_shards"]

_MACHINE: Final = "machine"
_SILENCE: Final = 0.5  # of the time that was recorded; shorter ones are not worth a word

# Metric → the fields of a shard's node that add up to it.
_FIELDS: Final = {
    "visits": ("visits",),
    "wall_time": ("wall",),
    "mpi_time": ("mpi_wall",),
    "io_time": ("io_wall",),
    "omp_time": ("omp_wall",),
    "cpu_time": ("cpu",),
    "mpi_cpu_time": ("mpi_cpu",),
    "io_cpu_time": ("io_cpu",),
    "omp_cpu_time": ("omp_cpu",),
    "mpi_calls": ("mpi_calls",),
    "mpi_bytes": ("mpi_sent", "mpi_received"),
    "mpi_bytes_sent": ("mpi_sent",),
    "mpi_bytes_received": ("mpi_received",),
    "io_calls": ("io_calls",),
    "io_bytes": ("io_read", "io_written"),
    "io_bytes_read": ("io_read",),
    "io_bytes_written": ("io_written",),
}


def merge_shards(shards: Iterable[Shard], facts: RunFacts, *, remarks: Sequence[str] = ()) -> Experiment:
    """Merge the trees of all threads by their regions; each thread becomes a location.

    The program is the root: C's ``main``, Fortran's main program. What happened outside it (before it, after it, in
    threads that started elsewhere) stands below it as well; a process whose program has no probes gets its executable
    as root.

    Args:
        shards: At least one, in any order.
        facts: What the launcher knows.
        remarks: What the gather has to say.
    """
    processes = _number(sorted(shards, key=_order))
    forest = _Forest()
    columns: list[_Column] = []
    for process, shard in sorted(processes.items()):
        columns += forest.add(process, shard)
    call_paths, position = forest.in_order()
    counted = _counted(shard for shard in processes.values() if shard.threads)
    metrics = (*STORED_METRICS, *counted)
    table = _Table(columns, position, _FIELDS | {metric.name: (metric.name,) for metric in counted})
    return Experiment(
        metrics=metrics,
        call_paths=call_paths,
        locations=[column.location for column in columns],
        severities=LazySeverities([metric.name for metric in metrics], table.metric),
        notes=_notes(processes, facts, remarks),
    )


def _counted(shards: Iterable[Shard]) -> tuple[Metric, ...]:
    """Give the metrics that all processes counted in the same way; numbers of several kinds are never mixed."""
    first, *others = [shard.sources for shard in shards] or [{}]
    same = {name: source for name, source in first.items() if all(other.get(name) == source for other in others)}
    return tuple(
        replace(metric, source=same[metric.name], parent=metric.parent if metric.parent in same else None)
        for metric in COUNT_METRICS
        if metric.name in same
    )


def _order(shard: Shard) -> tuple[bool, bool, bool, float, str, int]:
    """Ranks first: a helper program that a rank started has that rank's number from the environment alone."""
    late = shard.spawned, shard.mpi_initialised is None, shard.forked_from is not None
    return *late, shard.start_realtime, shard.host, shard.pid


def _number(shards: Sequence[Shard]) -> dict[int, Shard]:
    """Give each process its rank; those without one, or with one that is taken, the numbers after the last.

    Ranks are those of the launcher's MPI_COMM_WORLD: processes that were spawned have another one.
    """
    numbered: dict[int, Shard] = {}
    others = []
    with_mpi = any(shard.mpi_initialised is not None for shard in shards)
    for shard in shards:
        if shard.rank is None or shard.rank in numbered or shard.spawned or (with_mpi and shard.forked_from):
            others.append(shard)
        else:
            numbered[shard.rank] = shard
    first = max([_expected(shards) or 0, *(rank + 1 for rank in numbered)])
    return numbered | dict(enumerate(others, start=first))


def _expected(shards: Iterable[Shard]) -> int | None:
    """Give the size of the launcher's MPI_COMM_WORLD; None if nobody knows it."""
    return max((shard.size for shard in shards if shard.size and not shard.spawned), default=None)


@dataclass(frozen=True, eq=False)
class _Column:
    """A thread's nodes and the call paths to which their values belong.

    Attributes:
        location: The thread.
        nodes: What it recorded.
        places: For each node a call path; the same array for threads that have the same.
        root: The call path of the program.
        whole: Whether what it did outside of every region is the program's.
        program_time: Of the process's first thread.
    """

    location: Location
    nodes: npt.NDArray[np.void]
    places: npt.NDArray[np.intp]
    root: int
    whole: bool = False
    program_time: float = 0.0

    def values(self, name: str) -> npt.NDArray[np.float64]:
        """Give a field of the nodes.

        The time outside every region is left out, but for what MPI and I/O calls took: those are the program's.
        """
        values = self.nodes[name].astype(np.float64)
        if self.whole:
            if name == "visits":
                values[0] = 1
        elif name in _OWN:
            bases = np.flatnonzero(self.nodes["region"] < 0)
            values[bases] = sum(self.nodes[each][bases] for each in _OWN[name])
        return values


# What of the base of a tree is the program's, where the rest of it is not.
_OWN: Final = {
    **{kind: [f"{share}_{kind}" for share in ("mpi", "io", "omp")] for kind in ("wall", "cpu")},
    **{counter: [] for counter in COUNTERS if counter != "mpi_instructions"},
}


class _Table:
    """The values of all threads, a metric at a time."""

    def __init__(
        self, columns: Sequence[_Column], position: npt.NDArray[np.intp], fields: Mapping[str, tuple[str, ...]]
    ) -> None:
        self._columns = columns
        self._position = position
        self._fields = fields
        kinds = {id(column.places): column.places for column in columns}
        self._places = {kind: position[places] for kind, places in kinds.items()}

    def metric(self, name: str) -> Severity:
        """Give a metric's values, of call paths and threads."""
        paths = len(self._position)
        found = np.zeros((len(self._columns), paths))
        for number, column in enumerate(self._columns):
            if name == "program_time":
                found[number, self._position[column.root]] = column.program_time
                continue
            places = self._places[id(column.places)]
            for each in self._fields[name]:
                found[number] += np.bincount(places, weights=column.values(each), minlength=paths)
        return np.ascontiguousarray(found.T)


_Shape = tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""What decides where the nodes of a tree belong: the root, the regions, and of each node its parent and region."""


@dataclass
class _Forest:
    """The call paths of all processes, in the order of first entry."""

    paths: list[CallPath] = field(default_factory=list)
    index: dict[tuple[int | None, Region], int] = field(default_factory=dict)
    known: dict[_Shape, npt.NDArray[np.intp]] = field(default_factory=dict)

    def in_order(self) -> tuple[list[CallPath], npt.NDArray[np.intp]]:
        """Give the call paths each before all that is below it, as files list them, and the new place of each."""
        children: dict[int | None, list[int]] = {}
        for number, path in enumerate(self.paths):
            children.setdefault(path.parent, []).append(number)
        position = np.zeros(len(self.paths), dtype=np.intp)
        ordered: list[CallPath] = []
        pending = children.get(None, [])[::-1]
        while pending:
            number = pending.pop()
            parent = self.paths[number].parent
            position[number] = len(ordered)
            ordered.append(CallPath(self.paths[number].region, None if parent is None else int(position[parent])))
            pending += children.get(number, [])[::-1]
        return ordered, position

    def add(self, process: int, shard: Shard) -> list[_Column]:
        """Add a process's trees."""
        if not shard.threads:
            root = self._place(None, _program(shard))
            empty = np.zeros(0, dtype=np.intp)
            return [_Column(Location(_MACHINE, shard.host, process), np.zeros(0, NODE), empty, root)]
        main = _main_node(shard)
        region = _program(shard) if main is None else shard.regions[int(shard.threads[0].nodes["region"][main])]
        root = self._place(None, region)
        shard = with_io_apart(shard) if main is None else shard
        return [
            _Column(
                Location(_MACHINE, shard.host, process, tree.index),
                tree.nodes,
                self._places(tree, shard.regions, root, region),
                root,
                main is None and tree.index == 0,
                _program_time(shard) if tree.index == 0 else 0.0,
            )
            for tree in shard.threads
            if tree.taken or not tree.index
        ]

    def _places(
        self, tree: ThreadTree, regions: Sequence[Region], root: int, root_region: Region
    ) -> npt.NDArray[np.intp]:
        """Give the call path of each node; most ranks have the same tree as one before."""
        parents, numbers = tree.nodes["parent"].tolist(), tree.nodes["region"].tolist()
        shape = (root, tuple(map(id, regions)), tuple(parents), tuple(numbers))
        if shape not in self.known:
            self.known[shape] = self._new_places(parents, numbers, regions, root, root_region)
        return self.known[shape]

    def _new_places(
        self, parents: list[int], numbers: list[int], regions: Sequence[Region], root: int, root_region: Region
    ) -> npt.NDArray[np.intp]:
        places = np.full(len(parents), root, dtype=np.intp)
        for node in range(1, len(places)):
            parent = int(places[parents[node]])
            if numbers[node] < 0:
                places[node] = parent
            elif parents[node] or regions[numbers[node]] != root_region:
                places[node] = self._place(parent, regions[numbers[node]])
        return places

    def _place(self, parent: int | None, region: Region) -> int:
        key = (parent, region)
        if key not in self.index:
            self.index[key] = len(self.paths)
            self.paths.append(CallPath(region, parent))
        return self.index[key]


def _program(shard: Shard) -> Region:
    name = shard.program or "program"
    return Region("function", name, "", name)


def _main_node(shard: Shard) -> int | None:
    """Find the node of the program right under the base of the first thread's tree."""
    nodes = shard.threads[0].nodes
    for node in np.flatnonzero(nodes["parent"] == 0).tolist():
        if _is_program(shard.regions[int(nodes["region"][node])]):
            return int(node)
    return None


def _is_program(region: Region) -> bool:
    return region.kind == "program" or (region.kind == "function" and region.name == "main")


def _program_time(shard: Shard) -> float:
    if shard.mpi_initialised is None:
        return 0.0
    end = shard.mpi_finalising or shard.end or shard.last
    return max(0.0, end - shard.mpi_initialised)


def _notes(processes: dict[int, Shard], facts: RunFacts, remarks: Sequence[str]) -> Notes:
    shards = list(processes.values())
    expected = _expected(shards)
    unfinished = [process for process, shard in sorted(processes.items()) if _is_unfinished(shard, facts.status)]
    instrumented = {shard.program for shard in shards if _has_probes(shard)}
    throttled, untimed = throttled_regions(shards)
    uninstrumented = sorted(
        {
            (shard.program, "; --python-functions '*' shows functions" if shard.script else "")
            for shard in shards
            if shard.program not in instrumented
        }
    )
    return Notes(
        program=shards[0].program,
        command=tuple(facts.command),
        program_status=facts.status,
        expected_processes=expected or len(shards),
        started=tuple(process for process in sorted(processes) if expected and process >= expected),
        missing=tuple(rank for rank in range(expected or 0) if rank not in processes),
        unfinished=tuple(unfinished),
        not_instrumented=tuple(
            f"{name}: no probes in it; MPI and I/O of the whole program{more}" for name, more in uninstrumented
        ),
        remarks=(*remarks, *_remarks(processes, unfinished, expected, facts)),
        clocks={
            "wall": ", ".join(sorted({shard.wall_clock for shard in shards})),
            "cpu": ", ".join(sorted({shard.cpu_clock for shard in shards})),
            "ticks_per_second": f"{np.median([shard.ticks_per_second for shard in shards]):.0f}",
        },
        probe_ns=float(np.median([shard.pair_cost for shard in shards])) * 1e9,
        throttled=throttled,
        untimed=untimed,
        repairs=sum(tree.repairs for shard in shards for tree in shard.threads),
        processors=facts.processors if {shard.host for shard in shards} == {facts.node} else None,
        environment=facts.environment,
        files=most_used(shard.files for shard in shards),
    )


def count_alone(shards: Iterable[Shard]) -> int:
    """Give the number of processes that MPI_Init left alone: several are the work of another MPI's launcher."""
    return sum(shard.mpi_initialised is not None and shard.size == 1 for shard in shards)


def _is_unfinished(shard: Shard, status: int | None) -> bool:
    """Tell whether the data of a process end early; without MPI, ``_exit`` is an end as good as any."""
    if shard.mpi_initialised is None:
        return shard.state == "running" and status != 0 and not shard.forked_from
    return shard.mpi_finalising is None


def _has_probes(shard: Shard) -> bool:
    return any(region.kind != "mpi" or region.file for region in shard.regions)  # without a file: the wrappers' own


def _remarks(
    processes: dict[int, Shard], unfinished: Sequence[int], expected: int | None, facts: RunFacts
) -> Iterable[str]:
    shards = processes.values()
    alone = count_alone(shards)
    if alone > 1:
        yield (
            f"{alone} processes, each alone in its MPI_COMM_WORLD:"
            " is the launcher of the MPI that the program is linked to?"
        )
    for process, shard in processes.items():
        if shard.state == "aborted":
            yield f"rank {process} called MPI_Abort with code {shard.exit_code}"
    if unfinished and facts.ended is not None and {shard.host for shard in shards} == {facts.node}:
        silence = facts.ended - max(map(_silent_from, shards))
        if silence > _SILENCE * max(shard.last for shard in shards):
            yield (
                f"nothing was heard of any process in the last {silence:.3g} s of the run: they were in one region, or"
                " in one call, all the time"
            )
    # Who ended of itself comes first, then the first to fall silent: the others may only have waited for it.
    for process in sorted(
        unfinished, key=lambda rank: (processes[rank].state != "exited", _silent_from(processes[rank]))
    ):
        shard = processes[process]
        what = "ended of itself" if shard.state == "exited" else "was last heard of"
        yield f"rank {process} {what} after {shard.last:.3g} s in {_last_seen(shard)}"
    if not alone > 1:
        yield from _others(processes, expected)
    if len({tuple(sorted(shard.sources.items())) for shard in shards if shard.threads}) > 1:
        yield "what not all processes counted, or not in the same way, is left out"
    trees = [tree for shard in shards for tree in shard.threads]
    levels = [shard.deepest for shard in shards if shard.deepest]
    if levels:
        yield (
            f"call paths deeper than {min(levels)} levels were counted to their callers once memory ran short on"
            f" {len(levels)} of {len(shards)} processes: --max-memory"
        )
    counts = {
        "entries counted to their caller, for want of memory": sum(t.collapsed for t in trees),
        "exits of regions that were not open": sum(tree.unmatched for tree in trees),
        "entries from signal handlers, counted to where they interrupted": sum(tree.reentered for tree in trees),
        "threads were recorded no longer, for want of memory": sum(tree.stopped for tree in trees),
        "threads could not be recorded, for want of memory": sum(shard.unrecorded for shard in shards),
        "threads counted nothing, as their counters did not start": sum(shard.uncounted for shard in shards),
        "regions of another version of the probes, not recorded": sum(shard.refused for shard in shards),
    }
    for what, count in counts.items():
        if count:
            yield f"{count} {what}"


def _others(processes: dict[int, Shard], expected: int | None) -> Iterable[str]:
    """Say which processes are none of the launcher's ranks."""
    found: dict[str, list[int]] = {}
    for process, shard in processes.items():
        if shard.spawned:
            found.setdefault("started by MPI_Comm_spawn", []).append(process)
        elif shard.forked_from:
            found.setdefault("forked by others", []).append(process)
        elif expected and process >= expected:
            found.setdefault("more than MPI_COMM_WORLD has", []).append(process)
    for how, numbers in found.items():
        who = "process" if len(numbers) == 1 else "processes"
        yield f"{len(numbers)} {who} {how}: {'numbered' if len(numbers) == 1 else 'numbered from'} {min(numbers)}"


def _silent_from(shard: Shard) -> float:
    """Give the time of a process's last event, on the wall clock."""
    return shard.start_realtime + shard.last


def _last_seen(shard: Shard) -> str:
    if not shard.threads:
        return shard.executable
    tree = shard.threads[0]
    region = int(tree.nodes["region"][tree.current])
    return _program(shard).name if region < 0 else shard.regions[region].name
