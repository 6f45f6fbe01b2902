"""The compute time of ranks and threads, by which they are compared, and its noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from ...experiment import Experiment
from .arrays import Values, ratio
from .code_regions import CodeRegion, inclusive_over
from .criteria import CRITERIA, THRESHOLD
from .location_blocks import over_locations
from .outliers import NORMAL
from .selection import complete
from .summary import summary

__all__ = ["Computing", "SharedOut", "compute_time", "noise_of_times", "part_by_noise"]

_REGIONS: Final = 4  # with fewer regions, an imbalance in one of them would count as noise

_COUNTS: Final = ("instructions", "l1_misses", "l2_misses")


def noise_of_times(times: Values) -> float | None:
    """Estimate the relative standard deviation of times of equal work; None if too few rows take time.

    Most regions have no imbalance. In these regions, ranks differ by chance and, if one rank is slower everywhere, by
    an offset common to all regions. The median size of the residuals measures the random part. Each rank is compared
    with the next one in the order of work and time, so that ranks of one program, or ranks with the same problem, are
    neighbours regardless of their numbers.

    Args:
        times: ``float64[row, rank]``, one row per region (exclusive), in seconds. Rows that contain NaN are left out.
    """
    middle = _median(times.T)[:, None]
    telling = middle[:, 0] >= CRITERIA.resolution  # false for NaN, so rows with NaN are left out
    if telling.sum() < _REGIONS or times.shape[1] < 2:
        return None
    relative = times[telling] / middle[telling]
    apart = np.diff(relative[:, np.lexsort((*relative, relative.sum(axis=0), *(relative > 0)))], axis=1)
    left = apart - _median(apart)
    hidden = 1 - 1 / len(apart)  # with few regions, their median follows each of them, which hides part of the noise
    return NORMAL * float(_median(np.abs(left).ravel())) / sqrt(2) / hidden


def _median(values: Values) -> Values:
    """Return the median along the first axis; ``np.median`` would import numpy.ma, which is too slow."""
    ordered = np.sort(values, axis=0)
    return np.asarray((ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2)


def part_by_noise(deviation: float | None) -> float:
    """Return the relative difference in time that noise may cause between ranks with equal work.

    Args:
        deviation: The result of ``noise_of_times``.
    """
    if deviation is None:
        return CRITERIA.unknown_noise
    return max(THRESHOLD, min(CRITERIA.noise * deviation, CRITERIA.most_noise))


def compute_time(experiment: Experiment) -> Values:
    """Return CPU time outside MPI, and outside waiting in OpenMP if that is known; ``float64[call path, location]``."""
    return Computing.of(experiment).values(experiment)


@dataclass(frozen=True)
class SharedOut:
    """The time of each call path, divided among the ranks in proportion to their work in it.

    The time for equal work varies by chance: the time for the same bytes of a file several-fold, depending on whether
    pages are cached or written back, and the time for the same instructions because of other load on the core. After
    the division, ranks with equal work have equal times, and ranks with more work have longer times.

    Attributes:
        time: The metric of the time.
        less: Metrics that are subtracted from this time.
        by: The metric that measures the work.
        rates: ``float64[call path]``: seconds per unit of work; 0 if a call path's time stays as measured.
    """

    time: str
    less: tuple[str, ...]
    by: str
    rates: Values

    @classmethod
    def by_bytes(cls, experiment: Experiment, time: str, *less: str) -> SharedOut | None:
        """Divide time in I/O calls in proportion to bytes; None if values are missing, or all bytes are 0."""
        shared = cls(time, less, "io_bytes", np.zeros(len(experiment.call_paths)))
        if not shared._is_measured(experiment):
            return None
        total = summary(experiment, shared.by).sums
        if not total.any():
            return None
        moved = np.sum([*over_locations(experiment, _of_who_did, shared)], axis=0)
        return replace(shared, rates=ratio(moved, total))

    @classmethod
    def by_instructions(cls, experiment: Experiment, noise: float | None, time: str, *less: str) -> SharedOut | None:
        """Divide compute time in proportion to instructions, if ranks take the same time per instruction, within noise.

        Call paths in which times per instruction differ stay as measured, because ranks have cache misses there or
        differ in speed. If all counts of a call path are equal, only speed can explain different times; then the noise
        includes a burst of load from other programs. None if instructions are not known per rank, or if processes have
        several threads, which divide the work differently in each run.

        Args:
            experiment: The run.
            noise: Relative deviation of times of equal work; None if it is unknown.
            time: The metric of the time.
            less: Metrics that are subtracted from this time.
        """
        shared = cls(time, less, "instructions", np.zeros(len(experiment.call_paths)))
        ranks = len(experiment.locations)
        one_thread = len({place.process for place in experiment.locations}) == ranks
        if not (one_thread and experiment.notes.counts_by_rank and shared._is_measured(experiment)):
            return None
        executed, took = summary(experiment, shared.by).sums, _sums(experiment, time, less)
        counted = (executed > 0) & (took > 0)
        rates = np.divide(took, executed, out=np.zeros_like(took), where=counted)
        least, most = zip(*over_locations(experiment, _off_by, replace(shared, rates=rates)), strict=True)
        spread = np.max(most, axis=0) - np.min(least, axis=0)
        alike = spread <= part_by_noise(noise) * took / ranks
        short = np.flatnonzero(counted & ~alike & (spread < CRITERIA.burst)).tolist()
        alike[[path for path in short if _counts_are_equal(experiment, path)]] = True
        return replace(shared, rates=np.where(alike, rates, 0.0))

    def change(self, part: Experiment) -> Values:
        """Return the divided time minus the measured time; ``float64[call path, location]``."""
        did, rates = part.exclusive(self.by), self.rates[:, None]
        kept = (rates > 0) & ((did > 0) | (self.by == "instructions"))
        return np.where(kept, did * rates - self.seconds(part), 0.0)

    def shared(self, experiment: Experiment) -> Values:
        """Return the total time of each call path that is divided; ``float64[call path]``."""
        return self.rates * summary(experiment, self.by).sums

    def _is_measured(self, experiment: Experiment) -> bool:
        return all(complete(experiment, each) for each in (self.time, *self.less, self.by))

    def seconds(self, part: Experiment) -> Values:
        """Return the time as measured; ``float64[call path, location]``."""
        return _left(part, self.time, self.less)


def _left(part: Experiment, metric: str, less: Sequence[str]) -> Values:
    """Subtract metrics from another metric; ``float64[call path, location]``."""
    found = part.exclusive(metric)
    for name in less:
        found = found - part.exclusive(name)
    return found


def _sums(experiment: Experiment, metric: str, less: Sequence[str]) -> Values:
    return np.asarray(summary(experiment, metric).sums - sum(summary(experiment, each).sums for each in less))


def _of_who_did(part: Experiment, _: slice, shared: SharedOut) -> Values:
    return np.asarray(np.where(part.exclusive(shared.by) > 0, shared.seconds(part), 0.0).sum(axis=1))


def _off_by(part: Experiment, _: slice, shared: SharedOut) -> tuple[Values, Values]:
    """Return the lowest and the highest deviation of any rank's time from the time expected for its work.

    Both are ``float64[call path]``, in seconds.
    """
    off = shared.seconds(part) - part.exclusive(shared.by) * shared.rates[:, None]
    return off.min(axis=1), off.max(axis=1)


def _counts_are_equal(experiment: Experiment, path: int) -> bool:
    """Return whether instructions, and misses, differ by at most a tenth between any two ranks in a call path.

    Such a difference is allowed because addresses differ between ranks and runs.
    """
    counts = (experiment.rows(each, np.array([path]))[0] for each in _COUNTS if complete(experiment, each))
    return all(np.ptp(each) <= THRESHOLD * each.max() for each in counts)


@dataclass(frozen=True)
class Computing:
    """How compute time is derived from metrics; this is the same for all blocks of an experiment.

    Attributes:
        others: Metrics that are subtracted from the CPU time.
        shared: The times that are divided among the ranks in proportion to their work.
        noise: The result of ``noise_of_times``, from sampled ranks.
    """

    others: tuple[str, ...]
    shared: tuple[SharedOut, ...] = ()
    noise: float | None = None

    @staticmethod
    def is_measured(experiment: Experiment) -> bool:
        """Return whether CPU time and CPU time in MPI are known."""
        return all(complete(experiment, each) for each in ("cpu_time", "mpi_cpu_time"))

    @classmethod
    def of(cls, experiment: Experiment) -> Computing:
        """Find the metrics that are available in an experiment."""
        return cls(("mpi_cpu_time", *(["omp_cpu_time"] if complete(experiment, "omp_cpu_time") else [])))

    @classmethod
    def comparing(cls, experiment: Experiment) -> Computing:
        """Find the available metrics, and the times to divide among ranks; computed once per experiment."""
        if experiment not in _KNOWN:
            _KNOWN[experiment] = cls._shared_out(experiment)
        return _KNOWN[experiment]

    @classmethod
    def _shared_out(cls, experiment: Experiment) -> Computing:
        found = cls.of(experiment)
        spent, *others = (summary(experiment, name).sample for name in ("cpu_time", *found.others))
        noise = noise_of_times(spent - sum(others))
        files = ["io_cpu_time"] if complete(experiment, "io_cpu_time") else []
        shared = (
            SharedOut.by_bytes(experiment, *files) if files else None,
            SharedOut.by_instructions(experiment, noise, "cpu_time", *found.others, *files),
        )
        return replace(found, shared=tuple(each for each in shared if each), noise=noise)

    def values(self, part: Experiment) -> Values:
        """Return the compute time as measured; ``float64[call path, location]``."""
        return _left(part, "cpu_time", self.others)

    def compared(self, part: Experiment) -> Values:
        """Return the compute time by which ranks are compared; ``float64[call path, location]``, in seconds.

        The ranks' total times in ``shared`` are divided among them in proportion to their work.
        """
        found = self.values(part)
        for each in self.shared:
            found = found + each.change(part)
        return found

    def measured_share(self, experiment: Experiment, regions: tuple[CodeRegion, ...]) -> Values:
        """Return the share of each region's time that is compared as measured; ``float64[region]``, 0 to 1."""
        sums = _sums(experiment, "cpu_time", self.others)
        left = sums - sum(each.shared(experiment) for each in self.shared)
        whole, rest = inclusive_over(experiment, regions, np.maximum([sums, left], 0.0).T).T
        return np.asarray(np.clip(np.divide(rest, whole, out=np.ones_like(whole), where=whole > 0), 0.0, 1.0))


_KNOWN: Final[WeakKeyDictionary[Experiment, Computing]] = WeakKeyDictionary()
