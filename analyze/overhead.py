"""What measuring took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..experiment import Experiment
from ..experiment.metric import UNTIMED_VISITS
from ..experiment.throttling import folded_paths
from .compute_time import compute_time
from .selection import complete

__all__ = ["MOST_PAID", "TIMES", "Overhead", "levelling", "measuring_cost", "probe_times", "without_probes"]

Values = npt.NDArray[np.float64]

TIMES: Final = ("compute_time", "cpu_time", "wall_time")

# Seconds that a thread's first entry of a call path takes: memory for its node, and pages that are new. Measured by a
# program with 34,000 and with 120,000 of them.
_NEW_PATH: Final = 0.9e-6

# The price is that of the fastest of some rounds before the program starts. Six functions of a few instructions that
# call each other, 113 million entries on each of two ranks that shared two busy processors, paid two to four times as
# much (8 to 20 ns for a throttled entry, price 2.7 to 5.1); ranks differed by up to 1.7 times it, once in 77 runs by
# 2.9.
_SPREAD: Final = 2.0  # of what all ranks paid: a difference that is no larger is one of prices
_ALIKE: Final = 0.1  # of what is paid: ranks that differ by no more have entered regions equally often
MOST_PAID: Final = 3.0  # of what one rank paid: a difference that is no larger may be one of prices


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


def probe_times(experiment: Experiment) -> Values:
    """Give what probes took, in seconds: ``float64[call path, location]``; 0 where it is not known.

    Half of an entry and exit is time of the region, half of its caller; all of it is the latter's if it is folded.
    """
    notes, paths = experiment.notes, experiment.call_paths
    if "visits" not in experiment or not notes.probe_ns:
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
    return halves


def without_probes(experiment: Experiment, metric: str, values: Values) -> Values:
    """Take what probes took off the times of call paths, of each at most what it has; other values stay."""
    return np.maximum(values - probe_times(experiment), np.minimum(values, 0.0)) if metric in TIMES else values


def levelling(values: Values, probes: Values, groups: Sequence[Sequence[int]]) -> Values:
    """Give what levels ranks that only the price of probes parts, in each row; ``float64[…, rank]``, to be added.

    What probes took is off the times already, as an estimate. If ranks that paid equally much in a row differ by
    no more than its errors, they get the mean there; otherwise none is changed. Where probes take the 5 % that
    throttling allows by default, clusters allow as much anyway.

    Args:
        values: Times without what probes took.
        probes: What they took.
        groups: Columns that are compared with each other.
    """
    change = np.zeros_like(values)
    for columns in map(list, groups):
        times, paid = values[:, columns], probes[:, columns]
        least, most = paid.min(axis=1), paid.max(axis=1)
        alike = (most > 0) & (most - least <= _ALIKE * most) & (np.ptp(times, axis=1) <= _SPREAD * least)
        change[:, columns] = np.where(alike[:, None], times.mean(axis=1, keepdims=True) - times, 0.0)
    return change


def _percent(cost: float, whole: float) -> float | None:
    """Give the share of an estimate in what was measured, which contains it."""
    return min(100.0, 100 * cost / whole) if whole > 0 else None
