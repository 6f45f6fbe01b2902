"""Shards of the processes of a run → one experiment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import CallPath, Experiment, Location, Region
from ...experiment.folding import apply_folding, fold, in_order
from ...experiment.metric import COUNT_METRICS, STORED_METRICS, UNTIMED_VISITS, Metric
from ...experiment.severities import LazySeverities, Severity
from ..facts import RunFacts
from .call_sites import with_call_sites
from .processes import number_processes
from .recorded_values import counters_left_out
from .run_notes import run_notes
from .shard import NODE, Shard, ThreadTree
from .shard_layout import COUNTERS
from .topologies import mpi_topologies

__all__ = ["FIELDS", "Merged", "counted_metrics", "merge", "merge_shards"]

_MACHINE: Final = "machine"
_MEASURED: Final = "measured:"  # by the processor, whose events can be stopped
_ALIKE: Final = 0.01  # of the visits that are timed; what threads lack besides takes less than that of their time

# Metric → the fields of a shard's node that add up to it.
FIELDS: Final = {
    "visits": ("visits",),
    "wall_time": ("wall",),
    "mpi_time": ("mpi_wall",),
    "mpi_start_end_time": ("mpi_start_end",),
    "mpi_barrier_time": ("mpi_barrier",),
    "mpi_collective_time": ("mpi_collective", "mpi_all_to_all"),
    "mpi_all_to_all_time": ("mpi_all_to_all",),
    "mpi_point_to_point_time": ("mpi_send_receive", "mpi_send", "mpi_receive"),
    "mpi_send_time": ("mpi_send",),
    "mpi_receive_time": ("mpi_receive",),
    "mpi_request_time": ("mpi_request",),
    "mpi_one_sided_time": ("mpi_one_sided",),
    "mpi_other_time": ("mpi_other",),
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

_IO: Final = Region("io", "file I/O")

# What moves from the base of the tree to that region; wall and CPU time hold those of I/O, too.
_MOVED: Final = ("io_wall", "io_cpu", "io_calls", "io_read", "io_written")


def merge_shards(shards: Iterable[Shard], facts: RunFacts, *, remarks: Sequence[str] = ()) -> Experiment:
    """Merge the trees of all threads by their regions; each thread becomes a location.

    The program is the root: C's ``main``, Fortran's main program. What happened outside it (before it, after it, in
    threads that started elsewhere) stands below it as well; a process whose program has no probes gets its executable
    as root. What was throttled anywhere is folded everywhere, and so is what is timed again, unless all threads lack
    the times of equally many visits, but for a hundredth of those that have theirs.

    Args:
        shards: At least one, in any order.
        facts: What the launcher knows.
        remarks: What the gather has to say.
    """
    return merge(shards, facts, remarks=remarks).experiment


@dataclass(frozen=True)
class Merged:
    """What the shards of a run became.

    Attributes:
        experiment: All of them together.
        processes: The shard of each process.
        places: The call path of each node of a thread, by process and thread.
        callers: The call path to which the time of a folded one goes.
    """

    experiment: Experiment
    processes: Mapping[int, Shard]
    places: Mapping[tuple[int, int], npt.NDArray[np.intp]]
    callers: Mapping[int, int]


def merge(shards: Iterable[Shard], facts: RunFacts, *, remarks: Sequence[str] = ()) -> Merged:
    """Merge the trees of all threads, as ``merge_shards`` does, and tell where each node went."""
    processes = number_processes(shards)
    forest = _Forest()
    columns: list[_Column] = []
    for process, shard in sorted(with_call_sites(processes).items()):
        columns += forest.add(process, shard)
    call_paths, position = in_order(forest.paths)
    shards = [shard for shard in processes.values() if shard.threads]
    paused = _paused(shards)
    counted = counted_metrics(shards, but=paused)
    throttled = np.zeros(len(call_paths), dtype=bool)
    for column in columns:
        throttled[position[column.places[column.untimed_visits() > 0]]] = True
    lost = throttled & ~_timed_alike(columns, position)
    metrics = (*STORED_METRICS, *([UNTIMED_VISITS] if throttled.any() else []), *counted)
    fields = FIELDS | {metric.name: (metric.name,) for metric in metrics[len(STORED_METRICS) :]}
    table = _Table(columns, position, fields)
    experiment = Experiment(
        metrics=metrics,
        call_paths=call_paths,
        locations=[column.location for column in columns],
        severities=LazySeverities([metric.name for metric in metrics], table.metric),
        notes=run_notes(
            processes,
            facts,
            (*remarks, *_said_of(paused)),
            folded={call_paths[path].region for path in np.flatnonzero(lost).tolist()},
        ),
        topologies=mpi_topologies(processes),
    )
    folding = fold(call_paths, lost)
    places = {
        (column.location.process, column.location.thread): folding.places[position[column.places]] for column in columns
    }
    return Merged(apply_folding(experiment, folding), processes, places, dict(folding.folded))


def _timed_alike(columns: Sequence[_Column], position: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
    """Tell of each call path whether it is timed again wherever it was throttled, after about as many visits."""
    again, still = (np.zeros(len(position), dtype=bool) for _ in range(2))
    least, timed = (np.full(len(position), np.inf) for _ in range(2))
    most = np.zeros(len(position))
    for column in columns if any(column.timed_again for column in columns) else ():
        places = position[column.places]
        again[places[list(column.timed_again)]] = True
        still[places[[node for node in column.throttled if node not in column.timed_again]]] = True
        visits, untimed = (
            np.bincount(places, weights=values, minlength=len(position))
            for values in (column.values("visits"), column.untimed_visits())
        )
        least = np.where(visits > 0, np.minimum(least, untimed), least)
        timed = np.where(visits > 0, np.minimum(timed, visits - untimed), timed)
        most = np.maximum(most, untimed)
    alike = np.where(again, most - least, 0) <= _ALIKE * np.where(again, timed, 0)
    return np.asarray(again & ~still & alike)


def counted_metrics(shards: Iterable[Shard], *, but: Collection[str] = ()) -> tuple[Metric, ...]:
    """Give the metrics that all processes counted in the same way; numbers of several kinds are never mixed."""
    first, *others = [shard.sources for shard in shards] or [{}]
    alike = {name: source for name, source in first.items() if all(other.get(name) == source for other in others)}
    same = {name: source for name, source in alike.items() if name not in but}
    return tuple(
        replace(metric, source=same[metric.name], parent=metric.parent if metric.parent in same else None)
        for metric in COUNT_METRICS
        if metric.name in same
    )


def _paused(shards: Iterable[Shard]) -> list[str]:
    """Name what did not count all the time, as a policy said so: it is no count of the whole."""
    return sorted(
        {
            name
            for shard in shards
            for name in counters_left_out(shard.tracing.left_out if shard.tracing else 0)
            if shard.sources.get(name, "").startswith(_MEASURED)
        }
    )


def _said_of(paused: Sequence[str]) -> Iterator[str]:
    if paused:
        yield f"not counted all the time, as the policy said so, and only in trace.npz: {', '.join(paused)}"


@dataclass(frozen=True, eq=False)
class _Column:
    """A thread's nodes and the call paths to which their values belong.

    Attributes:
        location: The thread.
        nodes: What it recorded.
        places: For each node a call path; the same array for threads that have the same.
        throttled: The nodes whose time it did not always take, each with the visits of which the time is known.
        timed_again: Those whose time it took at the end.
        root: The call path of the program.
        whole: Whether what it did outside of every region is the program's.
        program_time: Of the process's first thread.
    """

    location: Location
    nodes: npt.NDArray[np.void]
    places: npt.NDArray[np.intp]
    throttled: Mapping[int, int]
    timed_again: frozenset[int]
    root: int
    whole: bool = False
    program_time: float = 0.0

    def values(self, name: str) -> npt.NDArray[np.float64]:
        """Give a field of the nodes.

        The time outside every region is left out, but for what MPI and I/O calls took: those are the program's.
        """
        if name == UNTIMED_VISITS.name:
            return self.untimed_visits()
        values = self.nodes[name].astype(np.float64)
        if self.whole:
            if name == "visits":
                values[0] = 1
        elif name in _OWN:
            bases = np.flatnonzero(self.nodes["region"] < 0)
            values[bases] = sum(self.nodes[each][bases] for each in _OWN[name])
        return values

    def untimed_visits(self) -> npt.NDArray[np.float64]:
        """Give the visits of each node of which the time is not known."""
        values, nodes = np.zeros(len(self.nodes)), list(self.throttled)
        values[nodes] = self.nodes["visits"][nodes] - np.array(list(self.throttled.values()))
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

    def add(self, process: int, shard: Shard) -> list[_Column]:
        """Add a process's trees."""
        if not shard.threads:
            root = self._place(None, _program(shard))
            empty = np.zeros(0, dtype=np.intp)
            return [_Column(Location(_MACHINE, shard.host, process), np.zeros(0, NODE), empty, {}, frozenset(), root)]
        main = _main_node(shard)
        region = _program(shard) if main is None else shard.regions[int(shard.threads[0].nodes["region"][main])]
        root = self._place(None, region)
        shard = _with_io_apart(shard) if main is None else shard
        trees = [(tree, self._places(tree, shard.regions, root, region)) for tree in shard.threads]
        return [
            _Column(
                Location(_MACHINE, shard.host, process, tree.index),
                tree.nodes,
                places,
                tree.throttled,
                tree.timed_again,
                root,
                main is None and tree.index == 0,
                _program_time(shard) if tree.index == 0 else 0.0,
            )
            for tree, places in trees
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
    return Region("function", shard.program, "", shard.program)


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


def _with_io_apart(shard: Shard) -> Shard:
    """Make what the first thread read and wrote outside of every region a region of its own.

    The probes count bytes and take times where the thread stands: that is the base of its tree, which holds the own
    code of the program, too. MPI calls are regions there already. ::

        (base: own code, file I/O)        (base: own code)
         ├─ MPI_Init                 →     ├─ MPI_Init
         └─ MPI_Bcast                      ├─ MPI_Bcast
                                           └─ file I/O
    """
    first, *others = shard.threads
    base = first.nodes[0]
    if not any(base[name] for name in _MOVED):
        return shard
    nodes = np.append(first.nodes, np.zeros(1, NODE))
    region = nodes[-1]
    region["parent"], region["region"], region["visits"] = 0, len(shard.regions), base["io_calls"]
    region["wall"], region["cpu"] = base["io_wall"], base["io_cpu"]
    for name in _MOVED:
        region[name] = base[name]
        nodes[0][name] = 0
    for name in ("wall", "cpu"):
        nodes[0][name] -= region[name]
    threads: tuple[ThreadTree, ...] = (replace(first, nodes=nodes), *others)
    return replace(shard, regions=(*shard.regions, _IO), threads=threads)
