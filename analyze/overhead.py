"""What measuring took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..experiment import Experiment
from .compute_time import compute_time
from .selection import complete

__all__ = ["Overhead", "measuring_cost", "probe_times"]

# Seconds that a thread's first entry of a call path takes: memory for its node, and pages that are new. Measured by a
# program with 34,000 and with 120,000 of them.
_NEW_PATH: Final = 0.9e-6


@dataclass(frozen=True, slots=True)
class Overhead:
    """The cost of measuring, an estimate.

    Attributes:
        probe_ns: What one enter and exit takes; None if unknown.
        visits: Entries of regions that were timed, and MPI calls.
        call_paths: Call paths that were made, of all threads.
        percent: Of the wall time, summed over the locations.
        of_computing: The same without MPI calls, which are no compute time, in percent of that; ranks that wait pass no
            probes.
    """

    probe_ns: float | None
    visits: int
    call_paths: int
    percent: float | None
    of_computing: float | None

    @property
    def paths_cost_most(self) -> bool:
        """Whether making call paths took longer than entering regions."""
        return self.call_paths * _NEW_PATH > self.visits * (self.probe_ns or 0.0) * 1e-9


def measuring_cost(experiment: Experiment) -> Overhead:
    """Estimate the cost: visits times that of a pair of probes, throttled or not, and call paths times that of one."""
    notes, entries, paths = experiment.notes, 0.0, 0
    if "visits" in experiment:
        visits = np.nan_to_num(experiment.exclusive("visits"))
        own = np.array([path.region.kind != "mpi" for path in experiment.call_paths])
        entries, paths = float(visits[own].sum()), int(np.count_nonzero(visits > 0))
    throttled = min(entries, notes.untimed)
    calls = float(np.nansum(experiment.exclusive("mpi_calls"))) if "mpi_calls" in experiment else 0.0
    passed = int(entries - throttled + calls)
    if notes.probe_ns is None:
        return Overhead(None, passed, paths, None, None)
    computing = 0.0
    if all(complete(experiment, name) for name in ("cpu_time", "mpi_cpu_time")):
        computing = float(compute_time(experiment).sum())
    pair, throttled_pair = notes.probe_ns * 1e-9, (notes.throttled_ns or 0.0) * 1e-9
    entering = (entries - throttled) * pair + throttled * throttled_pair + paths * _NEW_PATH
    return Overhead(
        notes.probe_ns,
        passed,
        paths,
        _percent(entering + calls * pair, float(experiment.exclusive("wall_time").sum())),
        _percent(entering, computing),
    )


def probe_times(experiment: Experiment) -> npt.NDArray[np.float64]:
    """Give what probes took at most, in seconds: ``float64[call path, location]``; 0 where it is not known.

    An entry of a throttled region is taken for as dear as any other, though it costs less.
    """
    own = np.array([path.region.kind != "mpi" for path in experiment.call_paths])
    pair = (experiment.notes.probe_ns or 0.0) * 1e-9
    if "visits" not in experiment:
        return np.zeros((len(own), len(experiment.locations)))
    return np.where(own[:, None], np.nan_to_num(experiment.exclusive("visits")), 0.0) * pair


def _percent(cost: float, whole: float) -> float | None:
    """Give the share of an estimate in what was measured, which contains it."""
    return min(100.0, 100 * cost / whole) if whole > 0 else None
