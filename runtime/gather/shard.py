"""A shard: what the probe library left of one process, finished or killed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment.file_use import FileUse
from ...experiment.region import Region
from .critical_path import PathRecords
from .shard_layout import COUNTERS, MPI_KINDS, NODE_COUNTS, SHARES

__all__ = ["NODE", "Form", "Place", "Shard", "ThreadTree", "Tracing", "computing_of"]

NODE: Final = np.dtype(
    [
        ("parent", "i8"),
        ("region", "i8"),
        ("visits", "i8"),
        *[(name, "f8") for name in ("wall", "cpu", "mpi_wall", "mpi_cpu", "io_wall", "io_cpu", "omp_wall", "omp_cpu")],
        *[(f"mpi_{kind}", "f8") for kind in MPI_KINDS],
        *[(name, "i8") for name in ("io_calls", *NODE_COUNTS, *COUNTERS)],
    ]
)
"""A call path of a thread, its values exclusive of its children's.

``parent`` and ``region`` are indices, -1 for the base of the tree; a region of -1 below it is a base, too: where a
thread stood outside every region that another thread had created there. Times are seconds; ``wall`` and ``cpu`` hold
what the node spent in MPI (``mpi_wall``, ``mpi_cpu``), in I/O calls and waiting in OpenMP, too; ``mpi_wall`` is the sum
of ``mpi_barrier`` and its like, one for each of ``MPI_KINDS``. Counts leave out what MPI and OpenMP execute, but for
``mpi_instructions``.
"""


def computing_of(nodes: npt.NDArray[np.void]) -> npt.NDArray[np.float64]:
    """Return the CPU time of nodes, ``NODE[node]``, outside MPI, file I/O and OpenMP, in seconds."""
    own = nodes["cpu"] - np.sum([nodes[f"{share}_cpu"] for share in SHARES[1:]], axis=0)
    found: npt.NDArray[np.float64] = np.maximum(own, 0.0)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """The regions and call paths of a process, without values: processes that did the same share one.

    Attributes:
        key: Equal, for all that matters, if the rest is.
        regions: The regions that ``nodes["region"]`` refers to.
        trees: Of each thread ``nodes["parent"]`` and ``nodes["region"]``.
    """

    key: bytes
    regions: tuple[Region, ...]
    trees: tuple[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class ThreadTree:
    """The call paths of one thread, or of several that took the tree over one after the other.

    Attributes:
        index: 0 for the main thread.
        tid: The system's number for the latest thread.
        taken: How many threads have used the tree; 0 for a main thread that entered no region.
        alive: Whether a thread was using it.
        current: The node in which the thread was last seen.
        last: When that was: seconds since the process's start.
        repairs: Exits that had to close other regions first.
        unmatched: Exits of regions that were not open.
        collapsed: Entries counted to the parent: no memory for a node, or a refused descriptor.
        reentered: Entries of signal handlers counted to the parent, as they interrupted the library.
        stopped: Threads that were recorded no longer, as there was no memory for their stack.
        synchronised: How often the CPU clock was asked.
        passed: Entries of throttled regions that called the probe library.
        opened: Those of them after which the next ones need not, until a region that is timed is entered or left.
        left: Exits of throttled regions that called it, as Fortran's do.
        slotted: Entries of throttled regions that only Fortran's stubs counted.
        throttled: The nodes whose time goes to their parents, or went, each with the visits of which the time is known.
        timed_again: Those of them whose time does no longer.
        nodes: Of dtype ``NODE``, parents before children, the base of the tree first.
    """

    index: int
    tid: int
    taken: int
    alive: bool
    current: int
    last: float
    repairs: int
    unmatched: int
    collapsed: int
    reentered: int
    stopped: int
    synchronised: int
    passed: int
    opened: int
    left: int
    slotted: int
    throttled: dict[int, int]
    timed_again: frozenset[int]
    nodes: npt.NDArray[np.void]


@dataclass(frozen=True, slots=True)
class Place:
    """The coordinates of a process in an MPI topology.

    Attributes:
        kind: One of ``shard_layout.TOPOLOGY_KINDS``; a graph is a line of its nodes.
        members: A number that all processes with a place in it found, and hardly others.
        dimensions: For each its size, and whether it is periodic.
        coordinates: The place.
    """

    kind: str
    members: int
    dimensions: tuple[tuple[int, bool], ...]
    coordinates: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tracing:
    """How samples of time lines were taken.

    Attributes:
        interval: Seconds between samples, in the end.
        merged: How often pairs of samples were merged, as memory was full; the interval was doubled each time.
        slowed: How often it was doubled, as samples took long.
        lost: For how many samples there was no memory.
        left_out: Which of ``TRACE_VALUES`` samples lack somewhere, as a policy said so, a bit each.
    """

    interval: float
    merged: int
    slowed: int
    lost: int
    left_out: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """One process: who it was, how far it got, and its threads' trees.

    Attributes:
        path: The file.
        used: Its bytes that were in use when it was read: a process that goes on adds to it.
        host: The node's name.
        pid: The process's number there.
        rank: In MPI_COMM_WORLD, or what the launcher said before MPI_Init returned; None if unknown.
        size: Likewise, of MPI_COMM_WORLD.
        thread_level: What MPI provides; None if unknown.
        executable: The program's file.
        libraries: The files of shared libraries that have regions which were entered.
        script: What the executable runs, if that is Python: a file's name or a module; empty otherwise.
        cpus: How many CPUs the process may use; None if unknown.
        state: One of ``shard_layout.STATES``: the last milestone that was passed.
        exit_code: What MPI_Abort was given; 0 otherwise.
        start_realtime: When the process started, in seconds since 1970.
        mpi_initialised: Seconds from the process's start to the return of MPI_Init; None if there was none.
        mpi_finalising: Likewise, to the call of MPI_Finalize.
        mpi_finalised: Likewise, to its return.
        end: Likewise, to the end of the program or to MPI_Abort; None for a killed process.
        last: Likewise, to the last sign of life.
        mpi_bypassed: Whether calls of MPI were not seen: 1 if it was initialised by one, 2 if a library's were not.
        ticks_per_second: Of the wall clock.
        wall_clock: Where wall time comes from: ``tsc``, ``cntvct`` or ``clock_gettime``.
        cpu_clock: How CPU time is watched: ``rseq``, ``perf-lock`` or ``syscall``.
        pair_cost: What an entry and exit of a region cost, in seconds.
        throttled_cost: The same of a throttled region, whose entry calls the probe library.
        passing_cost: The same where it does not.
        left_cost: The same where the exit calls it, too.
        opened_cost: The same where the next entries need not call it, until a region that is timed is entered or left.
        slot_cost: The same where only Fortran's stubs count it.
        call_cost: What measuring a call of MPI or file I/O costs, but for a region that it is.
        unrecorded: Threads for which there was no memory.
        uncounted: Threads whose counters did not start, and counted nothing.
        refused: Call paths whose descriptor the library refused.
        deepest: So many levels of new call paths were made since memory ran short; None if it did not.
        forked_from: The process of which this one is a fork; None if it is none.
        run_delay: Seconds that the first thread was ready to run while others had the processor; None if unknown.
        involuntary_switches: How often a thread had to leave its processor to others.
        system: The system's data about the process since its start, as ``shard_layout.SYSTEM_VALUES``.
        spawned: Whether MPI_Comm_spawn has started it: its MPI_COMM_WORLD is not that of the launcher's processes.
        sources: How each of ``layout.COUNTERS`` that was counted came about.
        counted_in: The calls in which alone they were counted, ``mpi`` and ``io``; empty: they were everywhere.
        by_turns: Whether events took turns on the processor's counters, so that counts are estimates.
        form: Its regions and call paths.
        threads: Their trees, by index.
        files: What it read and wrote, by file.
        places: In the topologies that MPI made, in the order of their making, each once.
        topologies_left_out: How many more were made.
        tracing: How its time lines were sampled; None if they were not.
        barriers: How often it waited for others in a barrier of the probe library's, before a collective.
        chains: Its share of the critical path; None if that was not requested.
    """

    path: Path
    used: int
    host: str
    pid: int
    rank: int | None
    size: int | None
    thread_level: int | None
    executable: str
    libraries: tuple[str, ...]
    script: str
    cpus: int | None
    state: str
    exit_code: int
    start_realtime: float
    mpi_initialised: float | None
    mpi_finalising: float | None
    mpi_finalised: float | None
    end: float | None
    last: float
    mpi_bypassed: int
    ticks_per_second: float
    wall_clock: str
    cpu_clock: str
    pair_cost: float
    throttled_cost: float
    passing_cost: float
    left_cost: float
    opened_cost: float
    slot_cost: float
    call_cost: float
    unrecorded: int
    uncounted: int
    refused: int
    deepest: int | None
    forked_from: int | None
    run_delay: float | None
    involuntary_switches: int
    system: tuple[int, ...]
    spawned: bool
    sources: dict[str, str]
    counted_in: tuple[str, ...]
    by_turns: bool
    form: Form
    threads: tuple[ThreadTree, ...]
    files: tuple[FileUse, ...]
    places: tuple[Place, ...]
    topologies_left_out: int
    tracing: Tracing | None
    barriers: int
    chains: PathRecords | None = None

    @property
    def regions(self) -> tuple[Region, ...]:
        """The regions that ``nodes["region"]`` refers to."""
        return self.form.regions

    @property
    def goes_on(self) -> bool:
        """Return whether the process may still be running."""
        return self.state in ("running", "finalizing")

    @property
    def program(self) -> str:
        """The user's name of the program."""
        return self.script or Path(self.executable).name or "program"
