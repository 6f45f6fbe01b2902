"""What other tools measured, under the names that the analyses know, where the meaning is sure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ..experiment import CallPath, Experiment
from ..experiment.metric import STORED_METRICS
from ..experiment.severities import LazySeverities, Severity

__all__ = ["in_own_names"]

# Ours → those of Score-P, Scalasca and CUBE that mean the same, the best first.
_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "visits": ("visits",),
    "wall_time": ("time",),
    "cpu_time": ("execution", "time"),  # what is executed, threads that idle left out
    "mpi_time": ("mpi",),
    "mpi_bytes": ("bytes",),
    "mpi_bytes_sent": ("bytes_sent",),
    "mpi_bytes_received": ("bytes_received", "bytes_rcvd"),
}
# Units in which a metric is taken for one of ours; some tools leave those of counts and volumes out.
_UNITS: Final = {"sec": {"sec"}, "bytes": {"bytes", ""}, "occ": {"occ", ""}}
_SAID: Final = {"wall_time": "wall time", "cpu_time": "CPU time", "mpi_time": "time in MPI"}
_WANTED: Final = {
    "mpi_bytes": "MPI volume",
    "io_bytes": "I/O volume",
    "instructions": "counts of instructions and misses",
}
_MPI: Final = "MPI_"


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a metric of ours comes from."""

    words: str
    read: Callable[[], Severity]


def in_own_names(experiment: Experiment) -> Experiment:
    """Give an experiment of another tool with metrics of ours; one of ours as it is.

    A metric without one of the same meaning is absent, and a remark says which. Where there is no time in MPI, that of
    regions called ``MPI_…`` is; CPU time is what was executed, MPI included, as MPI libraries poll.
    """
    if "wall_time" in experiment:
        return experiment
    sources = _sources(experiment)
    if "wall_time" not in sources:
        return experiment
    metrics = [
        replace(each, parent=each.parent if each.parent in sources else None, source=experiment.metrics[0].source)
        for each in STORED_METRICS
        if each.name in sources
    ]
    said = ", ".join(f"{words} from {sources[name].words}" for name, words in _SAID.items())
    absent = ", ".join(words for name, words in _WANTED.items() if name not in sources)
    remark = f"imported: {said}; lacking: {absent}"
    return Experiment(
        metrics=metrics,
        call_paths=_with_kinds(experiment.call_paths),
        locations=experiment.locations,
        severities=LazySeverities((each.name for each in metrics), lambda name: sources[name].read()),
        notes=replace(experiment.notes, remarks=(remark, *experiment.notes.remarks)),
        topologies=experiment.topologies,
    )


def _sources(experiment: Experiment) -> dict[str, _Source]:
    found: dict[str, _Source] = {}
    units = {each.name: _UNITS[each.unit] for each in STORED_METRICS}
    for ours, names in _NAMES.items():
        known = (each for each in names if each in experiment and experiment.metric(each).unit in units[ours])
        name = next(known, None) or _called(experiment, ours)
        if name is not None:
            found[ours] = _Source(name, lambda name=name: experiment.exclusive(name))  # type: ignore[misc]
    if "wall_time" not in found:
        return found
    if "mpi_time" not in found:
        time = found["cpu_time"].read
        found["mpi_time"] = _Source("regions of MPI", lambda: _in_mpi(experiment, time()))
    found["mpi_cpu_time"] = found["mpi_time"]
    parts = [found[name].read for name in ("mpi_bytes_sent", "mpi_bytes_received") if name in found]
    if "mpi_bytes" not in found and parts:
        found["mpi_bytes"] = _Source("bytes", lambda: np.sum([read() for read in parts], axis=0))
    return found


def _called(experiment: Experiment, ours: str) -> str | None:
    """Find a time by what it is shown as, if its name tells nothing."""
    if ours not in ("wall_time", "cpu_time"):
        return None
    found = (each.name for each in experiment.metrics if each.display == "Time" and each.unit == "sec")
    return next(found, None)


def _in_mpi(experiment: Experiment, time: Severity) -> Severity:
    inside = np.array([path.region.name.startswith(_MPI) for path in experiment.call_paths])
    return np.where(inside[:, None], time, 0.0)


def _with_kinds(paths: Sequence[CallPath]) -> list[CallPath]:
    """Call functions of MPI what they are, so that its start and end are told from the program's work."""
    return [
        replace(path, region=replace(path.region, kind="mpi")) if path.region.name.startswith(_MPI) else path
        for path in paths
    ]
