"""The time that ranks and threads compute: what they are compared by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..experiment import Experiment
from .blocks import over_locations
from .selection import complete
from .summary import summary

__all__ = ["Computing", "SharedOut", "compute_time"]

Values = npt.NDArray[np.float64]


def compute_time(experiment: Experiment) -> Values:
    """Give CPU time outside MPI, and outside OpenMP's waiting where that was told; ``float64[call path, location]``."""
    return Computing.of(experiment).values(experiment)


@dataclass(frozen=True)
class SharedOut:
    """Each call path's time in I/O calls, shared out by the bytes among the ranks that moved some.

    What the kernel takes for the same bytes differs by chance, by several times (pages that are cached, written
    back, or not); ranks that read and write the same do the same work, and those that do more of it more.

    Attributes:
        time: The metric of the time.
        less: What is taken off it; empty if nothing is.
        rates: ``float64[call path]``: seconds a byte.
    """

    time: str
    less: str
    rates: Values

    @classmethod
    def of(cls, experiment: Experiment, time: str, less: str = "") -> SharedOut | None:
        """Find the rates; None if a metric is not there, or lacks a value, or nobody moved anything."""
        if not all(complete(experiment, each) for each in (time, less, "io_bytes") if each):
            return None
        total = summary(experiment, "io_bytes").sums
        if not total.any():
            return None
        moved = np.sum([*over_locations(experiment, _with_bytes, time, less)], axis=0)
        return cls(time, less, np.divide(moved, total, out=np.zeros_like(moved), where=total > 0))

    def change(self, part: Experiment) -> Values:
        """Give what a rank's time becomes more by; ``float64[call path, location]``."""
        seconds, volume = _in_calls(part, self.time, self.less), part.exclusive("io_bytes")
        return np.where(volume > 0, volume * self.rates[:, None], seconds) - seconds


def _with_bytes(part: Experiment, _: slice, time: str, less: str) -> Values:
    return np.asarray(np.where(part.exclusive("io_bytes") > 0, _in_calls(part, time, less), 0.0).sum(axis=1))


def _in_calls(part: Experiment, time: str, less: str) -> Values:
    return part.exclusive(time) - part.exclusive(less) if less else part.exclusive(time)


@dataclass(frozen=True)
class Computing:
    """How compute time is made of metrics, so that each part of an experiment is taken alike.

    Attributes:
        others: What is taken off the CPU time.
        files: CPU time in I/O calls; None if it is compared as it is.
    """

    others: tuple[str, ...]
    files: SharedOut | None

    @classmethod
    def of(cls, experiment: Experiment) -> Computing:
        """Look which metrics there are."""
        others = ("mpi_cpu_time", *(["omp_cpu_time"] if complete(experiment, "omp_cpu_time") else []))
        return cls(others, SharedOut.of(experiment, "io_cpu_time"))

    def values(self, part: Experiment) -> Values:
        """Give the time that is computed; ``float64[call path, location]``."""
        found = part.exclusive("cpu_time")
        for name in self.others:
            found = found - part.exclusive(name)
        return found

    def compared(self, part: Experiment) -> Values:
        """Give the same with the time in I/O calls as the bytes share it out."""
        found = self.values(part)
        return found + self.files.change(part) if self.files else found
