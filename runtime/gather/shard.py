"""A shard in memory: the data that the probe library recorded about one process, finished or killed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment.file_use import FileUse
from ...experiment.region import Region
from .critical_path import PathRecords
from .sample_sums import Samples
from .shard_layout import COUNTERS, MPI_KINDS, NODE_COUNTS, SHARES

__all__ = ["NODE", "Form", "MessageRow", "Place", "PlaceWait", "Shard", "ThreadTree", "Tracing", "computing_of"]

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
"""A call path of a thread, with values exclusive of its children's.

``parent`` and ``region`` are indices, -1 for the base of the tree. A node below the base with region -1 is a base, too:
the position, outside all regions, of another thread that created this thread. Times are in seconds. ``wall`` and
``cpu`` include the node's time in MPI (``mpi_wall``, ``mpi_cpu``), in I/O calls and in waiting in OpenMP. ``mpi_wall``
is the sum of ``mpi_barrier`` and the other fields for ``MPI_KINDS``. All counts except ``mpi_instructions`` exclude
instructions in MPI and OpenMP.
"""


def computing_of(nodes: npt.NDArray[np.void]) -> npt.NDArray[np.float64]:
    """Return the CPU time of nodes, ``NODE[node]``, outside MPI, file I/O and OpenMP, in seconds."""
    own = nodes["cpu"] - np.sum([nodes[f"{share}_cpu"] for share in SHARES[1:]], axis=0)
    found: npt.NDArray[np.float64] = np.maximum(own, 0.0)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """The regions and call paths of a process, without values; processes that did the same work share one form.

    Attributes:
        key: A digest of the other attributes; forms with equal keys are equal.
        regions: The regions that ``nodes["region"]`` refers to.
        trees: For each thread, ``nodes["parent"]`` and ``nodes["region"]``.
    """

    key: bytes
    regions: tuple[Region, ...]
    trees: tuple[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class ThreadTree:
    """The call paths of one thread, or of several threads that used the tree one after the other.

    Attributes:
        index: 0 for the main thread.
        tid: The system's ID of the latest thread.
        taken: How many threads have used the tree; 0 for a main thread that entered no region.
        alive: Whether a thread was using the tree.
        current: The node in which the thread was last seen.
        last: When the thread was last seen, in seconds since the process's start.
        repairs: The number of exits that had to close other regions first.
        unmatched: The number of exits from regions that were not open.
        collapsed: The number of entries counted in the parent, because there was no memory for a node or the descriptor
            was refused.
        reentered: The number of entries in signal handlers that were counted in the parent, because the handlers
            interrupted the library.
        stopped: The number of threads whose recording stopped because there was no memory for their stack.
        synchronised: How many times the CPU clock was read.
        fortran: The number of exits from timed regions by the stub of a Fortran program.
        passed: The number of entries of throttled regions that called the probe library.
        opened: The number of entries among ``passed`` that opened a site, so that further entries need no call until a
            timed region is entered or left.
        left: The number of exits from throttled regions that called the library, as in Fortran.
        slotted: The number of entries of throttled regions that only the stub of a Fortran program counted.
        throttled: Nodes whose time is or was attributed to their parents, each with the number of timed visits.
        timed_again: Nodes among ``throttled`` whose time is their own again.
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
    fortran: int
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
        kind: One of ``shard_layout.TOPOLOGY_KINDS``; a graph is treated as a line of its nodes.
        members: A hash of the members: the same in all processes of a topology, and almost always different in other
            topologies.
        dimensions: The size of each dimension, and whether it is periodic.
        coordinates: The process's coordinate in each dimension.
    """

    kind: str
    members: int
    dimensions: tuple[tuple[int, bool], ...]
    coordinates: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tracing:
    """How samples of time lines were taken.

    Attributes:
        interval: Seconds between samples at the end.
        merged: How many times pairs of samples were merged because memory was full; each time, the interval doubled.
        slowed: How many times the interval was doubled because taking samples took a long time.
        lost: The number of samples for which there was no memory.
        left_out: Bit mask of the ``TRACE_VALUES`` that a policy left out of at least one sample.
    """

    interval: float
    merged: int
    slowed: int
    lost: int
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class PlaceWait:
    """The waits of one thread at one place, on one call path.

    Attributes:
        thread: The thread's number.
        region: The region in which the thread waited; None outside of all regions.
        place: The place, of kind ``wait``: see ``call_site_names``.
        entries: How many times the thread entered the place.
        contended: How many times another thread was already there.
        seconds: How many seconds the thread waited.
        off: The part of ``seconds`` in which the thread was off the core.
    """

    thread: int
    region: Region | None
    place: Region
    entries: int
    contended: int
    seconds: float
    off: float


@dataclass(frozen=True, slots=True, eq=False)
class MessageRow:
    """A process's row of the communication matrix, with a column per block of consecutive ranks in MPI_COMM_WORLD.

    Attributes:
        per_block: The number of ranks in a block.
        blocks: The blocks with which the process exchanges messages.
        traffic: ``TRAFFIC_LAYOUT[block]``: the messages exchanged with each block.
    """

    per_block: int
    blocks: npt.NDArray[np.intp]
    traffic: npt.NDArray[np.void]


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """The record of one process: its identity, its milestones, and its threads' trees.

    Attributes:
        path: The file.
        used: The bytes in use when the file was read; a running process adds to them.
        host: The node's name.
        pid: The process ID on this node.
        rank: The rank in MPI_COMM_WORLD, or the launcher's rank if MPI_Init has not returned; None if unknown.
        size: The size of MPI_COMM_WORLD, or the launcher's number of processes; None if unknown.
        thread_level: The thread level that MPI provides; None if unknown.
        executable: The program's file.
        libraries: The files of shared libraries with regions that were entered.
        script: The file or module that Python runs; empty if the executable is not Python.
        cpus: How many CPUs the process may use; None if unknown.
        state: The last milestone that was passed, one of ``shard_layout.STATES``.
        exit_code: The argument of MPI_Abort; 0 if it was not called.
        start_realtime: When the process started, in seconds since 1970.
        mpi_initialised: Seconds from the process's start to the return of MPI_Init; None if it did not return.
        mpi_finalising: Seconds from the process's start to the call of MPI_Finalize; None if it was not called.
        mpi_finalised: Seconds from the process's start to the return of MPI_Finalize; None if it did not return.
        end: Seconds from the process's start to the end of the program or to MPI_Abort; None for a killed process.
        last: Seconds from the process's start to the last event.
        mpi_bypassed: 0 if all MPI calls were seen, 1 if MPI was initialised unseen, 2 if a library's calls were unseen.
        ticks_per_second: The rate of the wall clock.
        wall_clock: The source of wall time: the processor's counter, such as ``tsc``, or ``clock_gettime``.
        cpu_clock: How switches of the thread are noticed: ``rseq``, ``perf-lock`` or ``syscall``.
        pair_cost: Seconds per entry and exit of a region.
        fortran_cost: As ``pair_cost``, by the stub of a Fortran program.
        throttled_cost: Seconds per entry and exit of a throttled region whose entry calls the probe library.
        passing_cost: As ``throttled_cost``, for an entry that calls nothing.
        left_cost: As ``throttled_cost``, by the stub of a Fortran program, if the exit calls the library, too.
        opened_cost: As ``throttled_cost``, if further entries need no call until a timed region is entered or left.
        slot_cost: As ``throttled_cost``, if only the stub of a Fortran program counts the entry.
        call_cost: Seconds to measure an MPI or file I/O call, in addition to the seconds for its region.
        unrecorded: The number of threads for which there was no memory.
        uncounted: The number of threads whose counters did not start, so that nothing was counted.
        refused: The number of call paths whose descriptor the library refused.
        deepest: The deepest level on which new call paths are recorded since memory ran short; None if it did not run
            short.
        forked_from: The ID of the process that forked this process; None if it was not forked.
        run_delay: Seconds that the first thread was ready to run but waited for a core; None if unknown.
        involuntary_switches: How many times the process's threads were preempted.
        system: The system's data about the process since its start, named as in ``shard_layout.SYSTEM_VALUES``.
        spawned: Whether MPI_Comm_spawn started the process, so that its MPI_COMM_WORLD differs from that of the
            launcher's processes.
        sources: Counter of ``layout.COUNTERS`` → how it was counted.
        counted_in: The calls to which counting was restricted, ``mpi`` and ``io``; empty if counting was not
            restricted.
        by_turns: Whether events were multiplexed, so that counts are estimates.
        papi: The libpapi that counted, such as ``PAPI 6.0 (python_papi)``; empty if it was the system's, or if none
            counted.
        form: The regions and call paths of the process.
        threads: The trees of the process's threads, by index.
        files: The process's reads and writes, by file.
        places: The process's coordinates in MPI topologies, in order of creation, each once.
        topologies_left_out: The number of further topologies.
        tracing: How time lines were sampled; None if there are no time lines.
        barriers: The number of barriers of the probe library before collectives.
        chains: The records of the critical path; None if the path was not requested.
        waits: The places in which threads waited for each other in OpenMP.
        samples: The samples of the threads' code; None if sampling was not requested.
        row: The process's row of the communication matrix; None if it exchanged no messages with ranks.
        messages_left_out: The number of messages that are not in the row.
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
    fortran_cost: float
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
    papi: str
    form: Form
    threads: tuple[ThreadTree, ...]
    files: tuple[FileUse, ...]
    places: tuple[Place, ...]
    topologies_left_out: int
    tracing: Tracing | None
    barriers: int
    chains: PathRecords | None = None
    waits: tuple[PlaceWait, ...] = ()
    samples: Samples | None = None
    row: MessageRow | None = None
    messages_left_out: int = 0

    @property
    def regions(self) -> tuple[Region, ...]:
        """The regions that ``nodes["region"]`` refers to."""
        return self.form.regions

    @property
    def goes_on(self) -> bool:
        """Whether the process may still be running."""
        return self.state in ("running", "finalizing")

    @property
    def program(self) -> str:
        """The program's name, as the user knows it."""
        return self.script or Path(self.executable).name or "program"
