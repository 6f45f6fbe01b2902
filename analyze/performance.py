"""The performance vectors of the ranks over the code-region tree: what every analysis starts from."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from ..experiment import Experiment
from .code_regions import CodeRegion, code_regions, inclusive_over

__all__ = ["DISSIMILARITY_METRICS", "Performance"]

DISSIMILARITY_METRICS: Final = ("compute_time", "cpu_time", "wall_time")


@dataclass(frozen=True)
class Performance:
    """Inclusive values of one metric over the code-region tree.

    Attributes:
        experiment: Where the values come from.
        metric: Name of the metric that is compared.
        regions: Every code region but the start-up of MPI, parents before children.
        ranks: The ranks that take part; a column each.
        values: ``float64[region, rank]``, inclusive, in seconds; the threads of a rank are summed up.
    """

    experiment: Experiment
    metric: str
    regions: tuple[CodeRegion, ...]
    ranks: tuple[int, ...]
    values: npt.NDArray[np.float64]

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        *,
        metric: str = "compute_time",
        exclude_ranks: Sequence[int] = (),
        exclude_regions: Sequence[str] = (),
    ) -> Performance:
        """Build the vectors.

        Args:
            experiment: Anything with CPU time, or wall time if that is chosen.
            metric: One of ``DISSIMILARITY_METRICS``.
            exclude_ranks: Ranks that take no part, a master for instance.
            exclude_regions: ``NAME`` or ``NAME@RANK``: regions whose time is left out (paper 001, section 4.2.1).

        Raises:
            UsageError: A rank or region that is excluded does not exist, or no rank is left.
        """
        columns, ranks, starts = _columns_by_rank(experiment, exclude_ranks)
        exclusive = _exclusive(experiment, metric)
        for each in exclude_regions:
            _leave_out(experiment, exclusive, each)
        regions = code_regions(experiment)
        inclusive = inclusive_over(experiment, regions, exclusive)
        return cls(experiment, metric, regions, ranks, np.add.reduceat(inclusive[:, columns], starts, axis=1))

    @property
    def top(self) -> tuple[int, ...]:
        """Positions of the 1-code regions, in the order of first entry."""
        return tuple(index for index, each in enumerate(self.regions) if each.depth == 1)


def _columns_by_rank(
    experiment: Experiment, excluded: Sequence[int]
) -> tuple[npt.NDArray[np.intp], tuple[int, ...], npt.NDArray[np.intp]]:
    """Order the locations that take part by rank: their columns, the ranks, and where each rank's columns start."""
    processes = np.array([place.process for place in experiment.locations])
    for rank in excluded:
        if rank not in processes:
            raise UsageError(f"--exclude-rank {rank}: no such rank; there are {processes.min()} to {processes.max()}")
    columns = np.flatnonzero(~np.isin(processes, excluded))
    if not len(columns):
        raise UsageError("--exclude-rank: no rank is left")
    columns = columns[np.argsort(processes[columns], kind="stable")]
    ranks, starts = np.unique(processes[columns], return_index=True)
    return columns, tuple(ranks.tolist()), starts


def _exclusive(experiment: Experiment, metric: str) -> npt.NDArray[np.float64]:
    if metric != "compute_time":
        return experiment.exclusive(metric).copy()
    compute = experiment.exclusive("cpu_time") - experiment.exclusive("mpi_cpu_time")
    if "io_cpu_time" in experiment and "io_bytes" in experiment:
        io_time = experiment.exclusive("io_cpu_time")
        compute += _by_bytes(io_time, experiment.exclusive("io_bytes")) - io_time
    return compute


def _by_bytes(io_time: npt.NDArray[np.float64], io_bytes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Share each call path's CPU time in I/O calls out by the bytes, among the ranks that moved some.

    What the kernel takes for the same bytes differs by chance, by several times (pages that are cached, written
    back, or not); ranks that read and write the same do the same work, and those that do more of it more.
    """
    moved = io_bytes > 0
    time = np.where(moved, io_time, 0.0).sum(axis=1, keepdims=True)
    total = io_bytes.sum(axis=1, keepdims=True)
    return np.where(moved, io_bytes * np.divide(time, total, out=np.zeros_like(time), where=total > 0), io_time)


def _leave_out(experiment: Experiment, values: npt.NDArray[np.float64], pattern: str) -> None:
    name, rank = pattern, ""
    paths = _paths_named(experiment, name)
    if not paths and "@" in pattern:
        name, _, rank = pattern.rpartition("@")
        paths = _paths_named(experiment, name) if rank.isdecimal() else []
    if any(experiment.call_paths[path].parent is None for path in paths):
        raise UsageError(f"--exclude-region {name}: a region below the whole program wanted")
    if not paths:
        names = sorted({path.region.name for path in experiment.call_paths})
        near = difflib.get_close_matches(name, names, n=3) or names[:3]
        raise UsageError(f"--exclude-region {name}: no such region; did you mean {', '.join(near)}?")
    columns = [i for i, place in enumerate(experiment.locations) if not rank or place.process == int(rank)]
    if not columns:
        raise UsageError(f"--exclude-region {pattern}: no rank {rank}")
    below = sorted({each for path in paths for each in experiment.walk(path)})
    values[np.ix_(below, columns)] = 0.0


def _paths_named(experiment: Experiment, name: str) -> list[int]:
    return [
        index
        for index, path in enumerate(experiment.call_paths)
        if name in (path.region.name, experiment.path_name(index))
    ]
