"""The performance vectors of the ranks over the code-region tree: what the comparison of ranks starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ..code_regions import CodeRegion
from ..compute_time import compared_values
from ..overhead import TIMES, without_probes
from ..selection import Selection
from .clusters import members
from .levelling import levelling

__all__ = ["DISSIMILARITY_METRICS", "Performance"]

DISSIMILARITY_METRICS: Final = ("compute_time", "cpu_time", "wall_time", "mpi_bytes")


@dataclass(frozen=True)
class Performance:
    """Inclusive values of one metric over the code-region tree.

    Attributes:
        experiment: Where the values come from.
        metric: Name of the metric that is compared.
        regions: Every code region but the start-up of MPI, parents before children.
        ranks: The ranks that take part; a column each. Where threads are compared, that of each thread.
        values: ``float64[region, rank]``, inclusive, in the metric's unit, without what probes took, and levelled where
            that alone may part the ranks; see ``Selection.by_rank``.
        measured: The same with it, of what each one did itself; NaN where a thread has no part in it.
        programs: ``int[rank]``, numbered from 0: ranks of different programs are not compared. None if there is one.
        threads: Names of the threads, ``rank.thread``, where these are compared; a column each.
    """

    experiment: Experiment
    metric: str
    regions: tuple[CodeRegion, ...]
    ranks: tuple[int, ...]
    values: npt.NDArray[np.float64]
    measured: npt.NDArray[np.float64]
    programs: npt.NDArray[np.intp] | None = None
    threads: tuple[str, ...] = ()

    @classmethod
    def selected(cls, selection: Selection, *, metric: str = "compute_time") -> Performance:
        """Build the vectors of the ranks and regions that were selected."""
        experiment, programs = selection.experiment, _programs(selection)
        exclusive = compared_values(experiment, metric)
        compared = without_probes(experiment, metric, exclusive)
        values, measured = selection.by_rank(compared), selection.measured(exclusive)
        if metric in TIMES:
            values += levelling(selection, compared, _groups(programs, len(selection.ranks)))
        threads = tuple(map(str, selection.labels)) if selection.threads else ()
        return cls(experiment, metric, selection.regions, selection.ranks, values, measured, programs, threads)

    @property
    def labels(self) -> tuple[int | str, ...]:
        """Names of the columns: ranks, or threads as ``rank.thread``."""
        return self.threads or self.ranks

    @property
    def groups(self) -> list[list[int]]:
        """The columns of each program's ranks."""
        return _groups(self.programs, len(self.ranks))

    @property
    def top(self) -> tuple[int, ...]:
        """Positions of the 1-code regions, in the order of first entry."""
        return tuple(index for index, each in enumerate(self.regions) if each.depth == 1)


def _groups(programs: npt.NDArray[np.intp] | None, ranks: int) -> list[list[int]]:
    return [list(range(ranks))] if programs is None else members(programs)


def _programs(selection: Selection) -> npt.NDArray[np.intp] | None:
    """Number the programs that the ranks run: their entry procedures, by the time that each rank is in one of them.

    Processes that ranks forked or spawned are compared among themselves, whatever they run.
    """
    experiment = selection.experiment
    started = np.isin(selection.ranks, experiment.notes.started)
    root = np.zeros(len(started), dtype=np.intp)
    if len(experiment.roots) > 1:
        time = experiment.inclusive("wall_time")[list(experiment.roots)][:, selection.columns]
        root = np.add.reduceat(time, selection.starts, axis=1).argmax(axis=0)
    programs = np.unique(2 * root + started, return_inverse=True)[1]
    return programs if programs.any() else None
