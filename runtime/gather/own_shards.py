"""The shards that one gathering process reads: heads for all processes, and values, which stay in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...experiment import Region
from .folder_shards import FolderShards
from .head import Head, Shape, Throttled
from .sampled_nodes import is_probed, with_sampled_nodes
from .shard import NODE, Form, Shard, ThreadTree, computing_of
from .shard_layout import COUNTERS, SHARES
from .shard_reader import ShardReader
from .spill import Spill
from .value_store import ValueStore

__all__ = ["OwnShards"]

_NOTHING: Final = np.zeros(0, NODE)
_NO_FORM: Final = Form(b"", (), ())

_IO: Final = Region("io", "file I/O")

# Values that move from the base of the tree to the file I/O region; wall and CPU time include those of I/O.
_MOVED: Final = ("io_wall", "io_cpu", "io_calls", "io_read", "io_written")

# Values at the base of a tree that belong to the program even if the other values do not.
_OWN: Final = {
    **{kind: [f"{share}_{kind}" for share in ("mpi", "io", "omp")] for kind in ("wall", "cpu")},
    **{counter: [] for counter in COUNTERS if counter != "mpi_instructions"},
}


class OwnShards:
    """Reads shards, one after the other.

    Attributes:
        told: The information that other processes need about the shards.
        values: The values of all threads in the shards.
        kept: For each shard, the indices of its threads in ``values``.
    """

    def __init__(self) -> None:
        self.told = FolderShards()
        self.values = ValueStore()
        self.kept: list[list[int]] = []
        self._reader = ShardReader()
        self._shapes: dict[tuple[bytes, Region, bool], int] = {}
        self._mains: dict[bytes, int | None] = {}
        self._traced: dict[Path, list[tuple[int, int]]] = {}
        self._nodes = Spill()

    def read(self, file: Path, name: Path) -> None:
        """Read a shard; if that fails, record its defect.

        Args:
            file: The shard's current path.
            name: The shard's path in the run's folder, for messages.

        Raises:
            InputError: The folder of temporary files is full.
        """
        self.told.files.append(name)
        try:
            shard = self._reader.read(file)
        except InputError as error:
            self.told.broken.append((name.name, f"{error}; this file is left out".replace(str(file), str(name), 1)))
            return
        self.take(shard)

    def take(self, shard: Shard) -> None:
        """Add a shard that was read.

        Raises:
            InputError: The folder of temporary files is full.
        """
        if shard.tracing:  # the time lines are read later, when all nodes are known
            self._traced[shard.path] = [(self._nodes.take(tree.nodes), len(tree.nodes)) for tree in shard.threads]
        has_regions = bool(shard.form.regions)
        shard, spread = with_sampled_nodes(shard)
        main = self._main_node(shard)
        region = _program(shard) if main is None else shard.regions[int(shard.threads[0].nodes["region"][main])]
        if shard.samples:
            interpreter = shard.executable if shard.script else ""
            whole = region if main is None and not spread else None
            sums = self.told.samples if has_regions else self.told.samples_alone
            sums.add(shard.samples, whole, interpreter)
            computed = sum(float(computing_of(tree.nodes).sum()) for tree in shard.threads)
            spent = sum(float(tree.nodes["cpu"].sum()) for tree in shard.threads)
            sums.add_clocks(shard.samples, computed, spent)
        self.told.messages.add(shard)
        throttled = tuple(tuple(_throttled(tree, shard.regions)) for tree in shard.threads)
        trees = tuple(replace(tree, nodes=_NOTHING) for tree in shard.threads)
        head = Head(
            replace(shard, form=_NO_FORM, threads=trees, samples=None, row=None),
            _program_time(shard),
            _has_probes(shard.form),
            has_regions,
            _last_seen(shard),
            throttled,
            sum(int(tree.nodes["visits"].sum()) for tree in shard.threads),
            spread,
            tuple(_columns(shard)),
        )
        nodes = [tree.nodes for tree in shard.threads]
        apart = main is None and bool(nodes) and any(nodes[0][0][name] for name in _MOVED)
        if apart:
            nodes[0] = _with_io_apart(nodes[0], len(shard.regions))
        self.told.add(head, self._shape(shard.form, region, apart=apart))
        self.kept.append([])
        for tree, own in zip(shard.threads, nodes, strict=True):
            untimed = _untimed(tree, own) if tree.throttled else None
            _keep_the_programs(own, whole=main is None and tree.index == 0)
            self.kept[-1].append(self.values.take(own, untimed))

    def with_nodes(self, shard: Shard) -> Shard:
        """Return a shard that has time lines, with its nodes as they were first read."""
        width = NODE.itemsize // 8
        nodes = (self._nodes.part(at, length * width).view(NODE) for at, length in self._traced[shard.path])
        return replace(shard, threads=tuple(map(_with_nodes, shard.threads, nodes)))

    def _main_node(self, shard: Shard) -> int | None:
        """Return the node of the program directly below the base of the first thread's tree; None if there is none."""
        if not shard.threads:
            return None
        form = shard.form
        if form.key not in self._mains:
            parents, regions = form.trees[0]
            below = np.flatnonzero(parents == 0).tolist()
            programs = (node for node in below if _is_program(form.regions[int(regions[node])]))
            self._mains[form.key] = next(programs, None)
        return self._mains[form.key]

    def _shape(self, form: Form, program: Region, *, apart: bool) -> Shape:
        key = form.key + repr((apart, tuple(program))).encode("utf-8", "surrogateescape")
        known = self.told.shape(key)
        if known is not None:
            return known
        regions, trees = form.regions, form.trees
        if apart:
            (parents, numbers), *others = trees
            first = np.append(parents, np.int32(0)), np.append(numbers, np.int32(len(regions)))
            regions, trees = (*regions, _IO), (first, *others)
        return Shape(key, program, regions, trees)


def _columns(shard: Shard) -> list[int]:
    """Return the indices of the threads that recorded something, always including the first thread.

    With sampling, even idle threads are recorded, such as those that libraries keep ready; they are left out.
    """
    recorded = (tree for tree in shard.threads if tree.taken and (not shard.samples or _did_something(tree)))
    return sorted({0, *(tree.index for tree in recorded)})


def _did_something(tree: ThreadTree) -> bool:
    return len(tree.nodes) > 1 or any(tree.nodes[f"{share}_wall"].any() for share in SHARES[1:])


def _with_nodes(tree: ThreadTree, nodes: npt.NDArray[np.void]) -> ThreadTree:
    return replace(tree, nodes=nodes)


def _program(shard: Shard) -> Region:
    return Region("function", shard.program, "", shard.program)


def _is_program(region: Region) -> bool:
    return region.kind == "program" or (region.kind == "function" and region.name == "main")


def _program_time(shard: Shard) -> float:
    if shard.mpi_initialised is None:
        return 0.0
    end = shard.mpi_finalising or shard.end or shard.last
    return max(0.0, end - shard.mpi_initialised)


def _has_probes(form: Form) -> bool:
    return any(map(is_probed, form.regions))


def _last_seen(shard: Shard) -> str:
    if not shard.threads:
        return shard.executable
    region = int(shard.form.trees[0][1][shard.threads[0].current])
    return shard.program if region < 0 else shard.regions[region].name


def _throttled(tree: ThreadTree, regions: Sequence[Region]) -> Iterator[Throttled]:
    """Yield the throttled nodes of a thread, and the nodes directly below them that were timed."""
    if not tree.throttled:
        return
    visits, seconds, numbers = (tree.nodes[name].tolist() for name in ("visits", "wall", "region"))
    below = (node for node, parent in enumerate(tree.nodes["parent"].tolist()) if parent in tree.throttled)
    timed = tree.throttled | {node: visits[node] for node in below if node not in tree.throttled}
    for node, known in timed.items():
        again = node in tree.timed_again
        yield Throttled(node, regions[numbers[node]], visits[node], known, seconds[node], again)


def _untimed(tree: ThreadTree, nodes: npt.NDArray[np.void]) -> npt.NDArray[np.float64]:
    """Return, for each node, the number of visits with unknown time: ``float64[node]``."""
    values, throttled = np.zeros(len(nodes)), list(tree.throttled)
    values[throttled] = nodes["visits"][throttled] - np.array(list(tree.throttled.values()))
    return values


def _keep_the_programs(nodes: npt.NDArray[np.void], *, whole: bool) -> None:
    """Remove the values outside all regions, except those of MPI and I/O calls, which belong to the program.

    Args:
        nodes: The nodes of a thread, changed in place.
        whole: Whether all values belong to the program, so that none is removed.
    """
    if whole:
        nodes["visits"][0] = 1
        return
    bases = np.flatnonzero(nodes["region"] < 0)
    for name, parts in _OWN.items():
        nodes[name][bases] = sum(nodes[each][bases] for each in parts)


def _with_io_apart(nodes: npt.NDArray[np.void], regions: int) -> npt.NDArray[np.void]:
    """Move the first thread's file I/O outside all regions to a region of its own.

    The probes add I/O to the current node. Outside all regions, this is the base of the thread's tree, which also holds
    the program's own code. MPI calls are regions there already. ::

        (base: own code, file I/O)        (base: own code)
         ├─ MPI_Init                 →     ├─ MPI_Init
         └─ MPI_Bcast                      ├─ MPI_Bcast
                                           └─ file I/O
    """
    nodes = np.append(nodes, np.zeros(1, NODE))
    base, region = nodes[0], nodes[-1]
    region["parent"], region["region"], region["visits"] = 0, regions, base["io_calls"]
    region["wall"], region["cpu"] = base["io_wall"], base["io_cpu"]
    for name in _MOVED:
        region[name] = base[name]
        nodes[0][name] = 0
    for name in ("wall", "cpu"):
        nodes[0][name] -= region[name]
    return nodes
