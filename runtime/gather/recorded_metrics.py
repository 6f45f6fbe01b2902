"""The metrics in shards: their fields, how they were counted, and which of them all processes have."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from ...experiment.metric import (
    COUNT_METRICS,
    COUNTED_PATH_METRICS,
    MPI_WAIT,
    PATH_METRICS,
    PATH_VISITS,
    PROCESS_METRICS,
    STORED_METRICS,
    TEAM_TIME,
    UNTIMED_VISITS,
    USAGE_METRICS,
    Metric,
)
from ..papi.choices import read_choices
from ..papi.sources import counted, source_by_library, source_in_calls, source_of_estimates
from ..simulated_events import event_named
from .shard import Shard
from .shard_layout import EVENTS

__all__ = [
    "FIELDS",
    "SCALES",
    "SYSTEM_FIELDS",
    "counted_metrics",
    "event_metrics",
    "metrics_of_processes",
    "path_metrics",
    "timed_metrics",
]

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
    MPI_WAIT.name: ("mpi_wait",),
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

# Metric → the fields of the system's data about a process or a thread that add up to it.
SYSTEM_FIELDS: Final = {
    "page_faults": ("minor_faults", "major_faults"),
    "major_page_faults": ("major_faults",),
    "context_switches": ("voluntary_switches", "involuntary_switches"),
    "involuntary_context_switches": ("involuntary_switches",),
    "resident_memory": ("resident",),
    "peak_memory": ("resident",),
}

# Factors for values that shards store in smaller units than the metric's.
SCALES: Final = {"energy": 1e-6, "dram_energy": 1e-6, "system_time": 1e-6}


def timed_metrics(shards: Iterable[Shard]) -> tuple[Metric, ...]:
    """Return the metrics that every run records, and the metric of waiting if our barriers measured it."""
    return (*STORED_METRICS, *([MPI_WAIT] if any(shard.barriers for shard in shards) else []))


def path_metrics(*, counted: bool, has_teams: bool) -> tuple[Metric, ...]:
    """Return the metrics of the critical path, in instructions if ``counted``, or else in seconds.

    If the path is in seconds and ``has_teams`` is true, the time of the slowest threads of teams is included.
    """
    if counted:
        return (*COUNTED_PATH_METRICS, PATH_VISITS)
    return (*PATH_METRICS, PATH_VISITS, *([TEAM_TIME] if has_teams else []))


def counted_metrics(shards: Iterable[Shard], *, but: Collection[str] = ()) -> tuple[Metric, ...]:
    """Return the metrics that all processes counted in the same way; different kinds of counts are never mixed.

    Args:
        shards: The shards of all processes.
        but: Names of metrics to leave out.
    """
    same = {name: source for name, source in _alike(shards).items() if name not in but}
    return tuple(
        replace(metric, source=same[metric.name], parent=metric.parent if metric.parent in same else None)
        for metric in COUNT_METRICS
        if metric.name in same
    )


def event_metrics(shards: Iterable[Shard]) -> dict[str, Metric]:
    """Map fields of nodes to the metrics that are counted there: PAPI events, simulated events, and system use."""
    found: dict[str, Metric] = {}
    taken = {*FIELDS, *(metric.name for metric in (*STORED_METRICS, *COUNT_METRICS, UNTIMED_VISITS, *PROCESS_METRICS))}
    sources = {field: source for field, source in _alike(shards).items() if field in EVENTS}
    for field, source in sources.items():
        told = counted(source)
        if told and told.event and told.name not in taken:  # a name used twice is possible only in a damaged shard
            taken.add(told.name)
            where = f"{source_in_calls('', told.calls)} only" if told.calls else ", including MPI calls"
            unit = read_choices().units.get(told.plain, "occ")
            found[field] = Metric(told.name, unit, None, f"PAPI event {told.plain}{where}", source)
    found |= _simulated_metrics(sources)
    return found | _usage_metrics({field: source for field, source in sources.items() if field not in found})


def _simulated_metrics(sources: Mapping[str, str]) -> dict[str, Metric]:
    """Map fields of nodes to the metrics of simulated events."""
    fields = {event_named(source): field for field, source in sources.items()}
    return {
        fields[metric.name]: replace(
            metric, source=sources[fields[metric.name]], parent=metric.parent if metric.parent in fields else None
        )
        for metric in COUNT_METRICS
        if metric.name in fields
    }


def _usage_metrics(sources: Mapping[str, str]) -> dict[str, Metric]:
    """Map fields of nodes to the metrics of system use, whose sources are ``measured:HOW:METRIC``.

    Metrics that every run samples have the source ``measured``, like the totals of processes.
    """
    told = {source.rpartition(":")[2]: (field, source.rpartition(":")[0]) for field, source in sources.items()}
    found = {}
    for metric in USAGE_METRICS:
        if metric.name in told:
            field, how = told[metric.name]
            source = how.removesuffix(":sampled")
            found[field] = replace(metric, source=source, parent=metric.parent if metric.parent in told else None)
    return found


def metrics_of_processes(by_path: Iterable[Metric]) -> Iterator[Metric]:
    """Yield the metrics that are known only for whole processes, not by call path.

    Args:
        by_path: The metrics that are known by call path.
    """
    known = {metric.name for metric in by_path}
    for metric in PROCESS_METRICS:
        if metric.name not in known:
            yield replace(metric, parent=None) if metric.parent in known else metric


def _alike(shards: Iterable[Shard]) -> dict[str, str]:
    """Return the sources of the counts that all processes recorded in the same way."""
    first, *others = [_sources(shard) for shard in shards] or [{}]
    return {name: source for name, source in first.items() if all(other.get(name) == source for other in others)}


def _sources(shard: Shard) -> dict[str, str]:
    """Return the source of each count."""
    return {name: _of_papi(shard, source) if counted(source) else source for name, source in shard.sources.items()}


def _of_papi(shard: Shard, source: str) -> str:
    by = source_by_library(source, shard.papi)
    return source_in_calls(source_of_estimates(by) if shard.by_turns else by, shard.counted_in)
