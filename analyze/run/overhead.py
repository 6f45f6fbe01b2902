"""Estimate the overhead of the measurement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ...experiment import Experiment
from ...experiment.inside import ENOUGH_SAMPLES
from ...experiment.metric import UNTIMED_VISITS
from ...experiment.throttling import folded_paths
from .arrays import Values
from .selection import complete
from .summary import summary

__all__ = ["TIMES", "Overhead", "are_probes_priced", "measuring_cost", "probe_times", "without_probes"]

TIMES: Final = ("compute_time", "cpu_time", "wall_time")

# Seconds. Unless counters are read, measuring an MPI or file I/O call takes less than the clocks' resolution.
_CHEAP_CALL: Final = 1e-7

# Seconds for a thread's first entry into a call path, which allocates memory for its node and touches new pages;
# measured with programs of 34,000 and 120,000 call paths.
_NEW_PATH: Final = 0.9e-6


@dataclass(frozen=True, slots=True)
class Overhead:
    """The estimated overhead of the measurement.

    Attributes:
        probe_ns: Overhead of one entry and exit in ns; None if unknown.
        call_ns: Overhead of measuring an MPI or file I/O call in ns, in addition to the overhead of a region; None if
            unknown.
        visits: Number of timed region entries and MPI calls.
        call_paths: Number of call paths created, over all threads.
        percent: Overhead, including the recording of the critical path, in percent of the wall time of all locations.
        of_computing: Overhead in compute time, in percent of compute time. Unlike ``percent``, it does not fall if
            ranks wait. The overhead in MPI calls, and the overhead of recording the critical path, are left out.
        of_path: Overhead of recording the critical path, in percent of the wall time of the ranks' first threads; None
            if it was not recorded.
        sampled: Overhead of probes outside calls, as measured by sampling, in percent of compute time; None if there
            are too few samples.
    """

    probe_ns: float | None
    call_ns: float | None
    visits: int
    call_paths: int
    percent: float | None
    of_computing: float | None
    of_path: float | None = None
    sampled: float | None = None

    @property
    def paths_cost_most(self) -> bool:
        """Whether creating call paths took longer than entering regions."""
        return self.call_paths * _NEW_PATH > self.visits * (self.probe_ns or 0.0) * 1e-9


def measuring_cost(experiment: Experiment) -> Overhead:
    """Estimate the overhead: visits times the cost of a pair of probes, plus calls, call paths, and critical path.

    Throttled probes have a cost of their own. Half of a call's overhead is in the measured time of MPI or file I/O; in
    file I/O, this half is also compute time. If the overhead of calls is unknown, an MPI call is assumed to cost as
    much as a pair of probes.
    """
    notes, entries, of_mpi, paths = experiment.notes, 0.0, 0.0, 0
    if "visits" in experiment:
        visits = summary(experiment, "visits")
        own = np.array([path.region.kind != "mpi" for path in experiment.call_paths])
        entries, paths = float(np.nansum(visits.sums[own])), visits.positive
        of_mpi = float(np.nansum(visits.sums[~own]))
    throttled = min(entries, notes.untimed)
    calls, files = (_total(experiment, name) if name in experiment else 0.0 for name in ("mpi_calls", "io_calls"))
    passed = int(entries - throttled + calls)
    path = notes.path_seconds
    ranks_time = float(summary(experiment, "wall_time").first.sum())
    of_path = None if path is None else _percent(path, ranks_time)
    if notes.probe_ns is None:
        return Overhead(None, notes.call_ns, passed, paths, None, None, of_path)
    computing = 0.0
    if all(complete(experiment, name) for name in ("cpu_time", "mpi_cpu_time")):
        parts = [name for name in ("mpi_cpu_time", "omp_cpu_time") if complete(experiment, name)]
        computing = _total(experiment, "cpu_time") - sum(_total(experiment, name) for name in parts)
    pair, throttled_pair = notes.probe_ns * 1e-9, (notes.throttled_ns or 0.0) * 1e-9
    entering = (entries - throttled) * pair + throttled * throttled_pair + paths * _NEW_PATH
    calling, beside = calls * pair, 0.0
    if notes.call_ns is not None:
        calling = (calls + files) * notes.call_ns * 1e-9
        calling, beside = calling + of_mpi * pair, (calls / 2 + files) * notes.call_ns * 1e-9
    probes = 0.0 if notes.cut_to else notes.sampled.get("probes", 0.0)
    return Overhead(
        notes.probe_ns,
        notes.call_ns,
        passed,
        paths,
        _percent(entering + calling + (path or 0.0), _total(experiment, "wall_time")),
        _percent(entering + beside, computing),
        of_path,
        _percent(probes * notes.sampled["seconds"], computing) if probes >= ENOUGH_SAMPLES else None,
    )


def _total(experiment: Experiment, metric: str) -> float:
    return float(summary(experiment, metric).sums.sum())


def probe_times(experiment: Experiment) -> Values:
    """Return the overhead of probes, in seconds: ``float64[call path, location]``; 0 if unknown.

    Half of the overhead of an entry and exit is in the time of the region, and half in the time of its caller; if the
    region is too small to measure separately (folded), all of the overhead is in the caller's time. Half of the
    overhead of an MPI or file I/O call is in the time of the region that contains the call.
    """
    notes, paths = experiment.notes, experiment.call_paths
    if not are_probes_priced(experiment):
        return np.zeros((len(paths), len(experiment.locations)))
    own = np.array([path.region.kind != "mpi" for path in paths])
    visits = np.where(own[:, None], np.nan_to_num(experiment.exclusive("visits")), 0.0)
    untimed = np.zeros_like(visits)
    if UNTIMED_VISITS.name in experiment:
        untimed = np.minimum(np.nan_to_num(experiment.exclusive(UNTIMED_VISITS.name)), visits)
    cost = ((visits - untimed) * (notes.probe_ns or 0.0) + untimed * (notes.throttled_ns or 0.0)) * 1e-9
    parents = np.array([-1 if path.parent is None else path.parent for path in paths])
    folded = folded_paths(experiment) & (parents >= 0)
    timed_at = np.arange(len(paths))
    for place in np.flatnonzero(folded):
        timed_at[place] = timed_at[parents[place]]
    halves = np.where(folded, 0.0, np.where(parents >= 0, 0.5, 1.0))[:, None] * cost
    np.add.at(halves, timed_at[parents[parents >= 0]], (cost - halves)[parents >= 0])
    call = (notes.call_ns or 0.0) * 1e-9
    if call > _CHEAP_CALL:
        for name in ("mpi_calls", "io_calls"):
            if name in experiment:
                halves += call / 2 * np.nan_to_num(experiment.exclusive(name))
    return halves


def are_probes_priced(experiment: Experiment) -> bool:
    """Return whether the cost of probes is known."""
    return "visits" in experiment and bool(experiment.notes.probe_ns)


def without_probes(experiment: Experiment, metric: str, values: Values) -> Values:
    """Subtract the overhead of probes from times of call paths, down to 0; other metrics are not changed."""
    return np.maximum(values - probe_times(experiment), np.minimum(values, 0.0)) if metric in TIMES else values


def _percent(cost: float, whole: float) -> float | None:
    """Return the overhead in percent of the measured time, which includes it; None if there is no time."""
    return min(100.0, 100 * cost / whole) if whole > 0 else None
