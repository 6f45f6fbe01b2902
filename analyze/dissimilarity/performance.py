"""The performance vectors of the ranks over the code-region tree: what the comparison of ranks starts from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ..code_regions import CodeRegion
from ..compute_time import Computing
from ..overhead import TIMES, are_probes_priced, without_probes
from ..selection import Selection, over_ranks
from .clusters import members
from .levelling import Prices

__all__ = ["DISSIMILARITY_METRICS", "Performance", "by_program"]

DISSIMILARITY_METRICS: Final = ("compute_time", "cpu_time", "wall_time", "mpi_bytes")

Values = npt.NDArray[np.float64]


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
        programs: As ``Selection`` has them.
        threads: Names of the threads, ``rank.thread``, where these are compared; a column each.
    """

    experiment: Experiment
    metric: str
    regions: tuple[CodeRegion, ...]
    ranks: tuple[int, ...]
    values: Values
    measured: Values
    programs: npt.NDArray[np.intp] | None = None
    threads: tuple[str, ...] = ()

    @classmethod
    def selected(cls, selection: Selection, *, metric: str = "compute_time") -> Performance:
        """Build the vectors of the ranks and regions that were selected."""
        experiment = selection.experiment
        selection = by_program(selection)
        computing = Computing.of(experiment) if metric == "compute_time" else None
        priced = metric in TIMES and are_probes_priced(experiment)
        programs = len(_groups(selection.programs, len(selection.ranks))) if priced else 0
        values = np.empty((len(selection.regions), len(selection.ranks)))
        measured = np.empty_like(values) if priced or selection.threads else values
        end, prices = 0, []
        for part, part_measured, paid in over_ranks(selection, _vectors, metric, computing, programs):
            end, columns = end + part.shape[1], slice(end, end + part.shape[1])
            values[:, columns] = part
            if part_measured is not None:
                measured[:, columns] = part_measured
            prices += [paid] if paid else []
        if prices and (together := Prices.together(prices)).alike.any():
            end = 0
            for part in over_ranks(selection, _levelling, metric, computing, together):
                values[:, end : end + part.shape[1]] += part
                end += part.shape[1]
        threads = tuple(map(str, selection.labels)) if selection.threads else ()
        return cls(
            experiment, metric, selection.regions, selection.ranks, values, measured, selection.programs, threads
        )

    @property
    def labels(self) -> tuple[int | str, ...]:
        """Names of the columns: ranks, or threads as ``rank.thread``."""
        return self.threads or self.ranks

    @cached_property
    def groups(self) -> list[list[int]]:
        """The columns of each program's ranks."""
        return _groups(self.programs, len(self.ranks))

    @property
    def top(self) -> tuple[int, ...]:
        """Positions of the 1-code regions, in the order of first entry."""
        return tuple(index for index, each in enumerate(self.regions) if each.depth == 1)


def _vectors(
    selection: Selection, metric: str, computing: Computing | None, programs: int
) -> tuple[Values, Values | None, Prices | None]:
    """Give vectors of some ranks, as compared and, if these are others, as measured; and what was paid for probes.

    Args:
        selection: The ranks.
        metric: What is compared.
        computing: How compute time is made of metrics, if that is compared.
        programs: How many programs there are; 0 if the price of probes is not known.
    """
    exclusive = _exclusive(selection.experiment, metric, computing)
    if not programs:
        return selection.by_rank(exclusive), selection.measured(exclusive) if selection.threads else None, None
    compared = without_probes(selection.experiment, metric, exclusive)
    return selection.by_rank(compared), selection.measured(exclusive), Prices.of(selection, compared, programs)


def _levelling(selection: Selection, metric: str, computing: Computing | None, prices: Prices) -> Values:
    exclusive = _exclusive(selection.experiment, metric, computing)
    return prices.levelling(selection, without_probes(selection.experiment, metric, exclusive))


def _exclusive(part: Experiment, metric: str, computing: Computing | None) -> Values:
    return computing.compared(part) if computing else part.exclusive(metric)


def _groups(programs: npt.NDArray[np.intp] | None, ranks: int) -> list[list[int]]:
    return [list(range(ranks))] if programs is None else members(programs)


def by_program(selection: Selection) -> Selection:
    """Tell ranks of different programs apart: their entry procedures, by the time that each rank is in one of them.

    Processes that ranks forked or spawned are compared among themselves, whatever they run.
    """
    experiment = selection.experiment
    started = np.isin(selection.ranks, experiment.notes.started)
    root = np.zeros(len(started), dtype=np.intp)
    if len(experiment.roots) > 1:
        time = experiment.inclusive("wall_time")[list(experiment.roots)][:, selection.columns]
        root = np.add.reduceat(time, selection.starts, axis=1).argmax(axis=0)
    programs = np.unique(2 * root + started, return_inverse=True)[1]
    return replace(selection, programs=programs if programs.any() else None)
