"""The time that ranks and threads compute: what they are compared by."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..experiment import Experiment
from .selection import complete

__all__ = ["compared_values", "compute_time", "shared_out_by_bytes"]


def compared_values(experiment: Experiment, metric: str) -> npt.NDArray[np.float64]:
    """Give what a comparison by a metric takes: ``float64[call path, location]``, of each call path alone."""
    if metric != "compute_time":
        return experiment.exclusive(metric)
    compute = compute_time(experiment)
    if complete(experiment, "io_cpu_time") and complete(experiment, "io_bytes"):
        io_time = experiment.exclusive("io_cpu_time")
        compute += shared_out_by_bytes(io_time, experiment.exclusive("io_bytes")) - io_time
    return compute


def compute_time(experiment: Experiment) -> npt.NDArray[np.float64]:
    """Give CPU time outside MPI, and outside OpenMP's waiting where that was told; ``float64[call path, location]``."""
    compute = experiment.exclusive("cpu_time") - experiment.exclusive("mpi_cpu_time")
    if complete(experiment, "omp_cpu_time"):
        compute = compute - experiment.exclusive("omp_cpu_time")
    return np.asarray(compute)


def shared_out_by_bytes(io_time: npt.NDArray[np.float64], io_bytes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Share each call path's time in I/O calls out by the bytes, among the ranks that moved some.

    What the kernel takes for the same bytes differs by chance, by several times (pages that are cached, written
    back, or not); ranks that read and write the same do the same work, and those that do more of it more.
    """
    moved = io_bytes > 0
    time = np.where(moved, io_time, 0.0).sum(axis=1, keepdims=True)
    total = io_bytes.sum(axis=1, keepdims=True)
    return np.where(moved, io_bytes * np.divide(time, total, out=np.zeros_like(time), where=total > 0), io_time)
