"""Metrics, each with its quantity, unit and source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

__all__ = [
    "COUNTED_PATH_METRICS",
    "COUNT_METRICS",
    "ENTRIES",
    "MPI_PARTS",
    "MPI_WAIT",
    "PATH_METRICS",
    "PATH_VISITS",
    "PROCESS_METRICS",
    "STORED_METRICS",
    "SYSTEM_METRICS",
    "TEAM_TIME",
    "UNTIMED_VISITS",
    "USAGE_METRICS",
    "WEIGHING_TIMES",
    "Aggregation",
    "Metric",
]

Aggregation = Literal["sum", "min", "max", "none"]

_AT_ROOT: Final = (
    "; of the whole process, at its root"  # ends the descriptions, also in files, of metrics known only per process
)
_EXTREMES: Final[dict[str, Aggregation]] = {"MINDOUBLE": "min", "MAXDOUBLE": "max"}


@dataclass(frozen=True, slots=True)
class Metric:
    """A node of the metric forest (Song et al. 2004, section 2).

    Attributes:
        name: The name, unique within an experiment.
        unit: ``sec``, ``bytes``, ``occ`` (occurrences), or any other, such as ``J``; the same within one tree.
        parent: Name of the metric that includes this one; None for a root.
        description: A description in one sentence.
        source: ``measured``, ``measured:papi:EVENT``, ``simulated:…``, ``derived:FORMULA`` or ``imported:TOOL``.
        display: The name that viewers show; empty for ``name``. Need not be unique.
        dtype: The type of the values in CUBE files; also marks minima and maxima.
        additive: False for metrics that do not add up, such as ratios and deviations.
    """

    name: str
    unit: str
    parent: str | None = None
    description: str = ""
    source: str = "measured"
    display: str = ""
    dtype: str = "FLOAT"
    additive: bool = True

    @property
    def aggregation(self) -> Aggregation:
        """How values of several call paths or locations are aggregated; ``none`` for percentages and rates."""
        if self.dtype in _EXTREMES:
            return _EXTREMES[self.dtype]
        return "sum" if self.additive and self.unit != "%" and "/" not in self.unit else "none"

    @property
    def integral(self) -> bool:
        """Whether the values are integers."""
        return "INT" in self.dtype

    @property
    def at_root(self) -> bool:
        """Whether the metric is known only for whole processes, so that values below the root have no meaning."""
        return self.description.endswith(_AT_ROOT)


# Metrics that may contain a run's time: in autoanalyzer's files, in files of other tools, and in sampled profiles.
WEIGHING_TIMES: Final = ("wall_time", "time", "cpu_time")

# Recorded in runs that place a barrier before each collective; the time in the collective is recorded as usual.
MPI_WAIT: Final = Metric("mpi_wait_time", "sec", "mpi_time", "Time waiting for late ranks before collectives")

# Recorded in runs with a known critical path. Counted runs record ``COUNTED_PATH_METRICS`` instead.
PATH_METRICS: Final = (
    Metric("path_time", "sec", None, "Busy time on the critical path"),
    Metric("delay_time", "sec", None, "Time that other ranks spend waiting for this call path"),
    Metric("wait_time", "sec", None, "Time waiting for other ranks, computed from the other ranks' busy time"),
)
# Recorded with the path metrics if threads form teams, to compute a rank's busy time in the same way as on the path.
TEAM_TIME: Final = Metric("team_time", "sec", None, "Busy time of the slowest thread between barriers of a team")
COUNTED_PATH_METRICS: Final = (Metric("path_instructions", "occ", None, "Instructions on the critical path"),)
# Recorded with either kind of path metrics. Entries without busy time are not counted.
PATH_VISITS: Final = Metric("path_visits", "occ", None, "How often the region was entered on the critical path")

# The parts of mpi_time: each MPI function belongs to one of them, or to one of their parts.
MPI_PARTS: Final = (
    Metric("mpi_start_end_time", "sec", "mpi_time", "Time starting and ending MPI"),
    Metric("mpi_barrier_time", "sec", "mpi_time", "Time in barriers"),
    Metric("mpi_collective_time", "sec", "mpi_time", "Time in collectives other than barriers"),
    Metric("mpi_all_to_all_time", "sec", "mpi_collective_time", "Time in all-to-all collectives"),
    Metric("mpi_point_to_point_time", "sec", "mpi_time", "Time in sends and receives"),
    Metric("mpi_send_time", "sec", "mpi_point_to_point_time", "Time in sends"),
    Metric("mpi_receive_time", "sec", "mpi_point_to_point_time", "Time in MPI receives and MPI probes"),
    Metric("mpi_request_time", "sec", "mpi_time", "Time starting, testing and waiting for requests"),
    Metric("mpi_one_sided_time", "sec", "mpi_time", "Time in one-sided communication and its synchronisation"),
    Metric("mpi_other_time", "sec", "mpi_time", "Time in other MPI calls: communicators, topologies, processes"),
)

# Recorded in every run.
STORED_METRICS: Final = (
    Metric("visits", "occ", None, "How often the region was entered"),
    Metric("wall_time", "sec", None, "Wall-clock time"),
    Metric("mpi_time", "sec", "wall_time", "Time in MPI calls"),
    *MPI_PARTS,
    Metric("io_time", "sec", "wall_time", "Time in calls that read or write files"),
    Metric("omp_time", "sec", "wall_time", "Time in OpenMP spent waiting for other threads and starting threads"),
    Metric("cpu_time", "sec", None, "CPU time"),
    Metric("mpi_cpu_time", "sec", "cpu_time", "CPU time in MPI calls, including waiting"),
    Metric("io_cpu_time", "sec", "cpu_time", "CPU time in calls that read or write files"),
    Metric("omp_cpu_time", "sec", "cpu_time", "CPU time spent waiting for other threads in OpenMP"),
    Metric("mpi_calls", "occ", None, "Calls to MPI functions that communicate"),
    Metric("mpi_bytes", "bytes", None, "Bytes passed to and received from MPI"),
    Metric("mpi_bytes_sent", "bytes", "mpi_bytes", "Bytes passed to MPI"),
    Metric("mpi_bytes_received", "bytes", "mpi_bytes", "Bytes received from MPI"),
    Metric("io_calls", "occ", None, "Calls that read or write regular files"),
    Metric("io_bytes", "bytes", None, "Bytes read from and written to regular files"),
    Metric("io_bytes_read", "bytes", "io_bytes", "Bytes read from regular files"),
    Metric("io_bytes_written", "bytes", "io_bytes", "Bytes written to regular files"),
    Metric("program_time", "sec", None, "Wall time from the return from MPI_Init to the call to MPI_Finalize"),
)

# The operating system's metrics of a thread or a process.
_SYSTEM: Final = (
    Metric("page_faults", "occ", None, "Page faults"),
    Metric("major_page_faults", "occ", "page_faults", "Page faults that had to wait for a disk"),
    Metric("context_switches", "occ", None, "How often a thread was switched off its core"),
    Metric("involuntary_context_switches", "occ", "context_switches", "How often a thread was preempted"),
)

# Recorded in every run, at the root of each process.
PROCESS_METRICS: Final = tuple(
    replace(each, description=each.description + _AT_ROOT)
    for each in (
        *_SYSTEM,
        Metric("peak_memory", "bytes", None, "Peak memory in use; for several processes, the sum of their peaks"),
    )
)

# Page faults and system time are recorded by call path in each run, the other metrics only on request. Without a
# request, the other metrics are recorded at the root or not at all. Keep the names equal to those in
# runtime/probe/usage.c.
USAGE_METRICS: Final = (
    *_SYSTEM,
    Metric("system_time", "sec", None, "CPU time in the kernel, outside MPI, OpenMP and file I/O calls"),
    Metric(
        "energy", "J", None, "Energy of the node's processors, attributed to the call paths of the node's first rank"
    ),
    Metric(
        "dram_energy", "J", None, "Energy of the node's memory, attributed to the call paths of the node's first rank"
    ),
    Metric("allocated_bytes", "bytes", None, "Bytes allocated by malloc and similar functions"),
    Metric("allocations", "occ", None, "Calls that allocate memory"),
    Metric("freed_bytes", "bytes", None, "Bytes freed"),
    Metric("frees", "occ", None, "Calls that free memory"),
)

# Recorded in time lines. The memory of a process is in the time line of its first thread.
SYSTEM_METRICS: Final = (
    *_SYSTEM,
    Metric("resident_memory", "bytes", None, "Memory in use by the process", additive=False),
)

# Recorded in runs with throttled regions.
UNTIMED_VISITS: Final = Metric("untimed_visits", "occ", "visits", "Entries that were not timed, to reduce the overhead")

# The metrics that a folded region keeps; the values of all others are attributed to its caller.
ENTRIES: Final = frozenset({"visits", UNTIMED_VISITS.name, PATH_VISITS.name})

# Recorded in counted runs; all but mpi_instructions exclude instructions inside MPI. An unavailable count is omitted.
# A metric's source shows the origin of the count: "simulated:…", "measured:papi:EVENT", "derived:FORMULA".
COUNT_METRICS: Final = (
    Metric("instructions", "occ", None, "Instructions executed outside MPI"),
    Metric("mpi_instructions", "occ", None, "Instructions executed in MPI calls, including polling"),
    Metric("cycles", "occ", None, "Processor cycles outside MPI"),
    Metric("ref_cycles", "occ", None, "CPU time outside MPI and file I/O, in ticks of the time-stamp counter"),
    Metric("l1_accesses", "occ", None, "Accesses to the L1 data cache"),
    Metric("l1_misses", "occ", "l1_accesses", "Misses in the L1 data cache"),
    Metric("l2_accesses", "occ", None, "Accesses to the L2 cache"),
    Metric("l2_misses", "occ", "l2_accesses", "Misses in the L2 cache"),
    Metric("divisions", "occ", None, "Division and square-root instructions outside MPI"),
    Metric("denormals", "occ", None, "Instructions with a denormal operand or result, outside MPI"),
    Metric("branches", "occ", None, "Conditional branches outside MPI"),
    Metric("branch_misses", "occ", "branches", "Conditional branches that a simple predictor mispredicts"),
    Metric("l3_misses", "occ", None, "Accesses outside MPI that miss in all three levels of cache"),
    Metric("tlb_misses", "occ", None, "Misses in the L1 data cache outside MPI, in pages that the TLB does not hold"),
)
