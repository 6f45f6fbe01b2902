"""Repeated runs with one number of ranks: the median run is judged, and the others show how much times vary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...experiment import Experiment
from ...experiment.metric import TEAM_TIME
from ..run.arrays import Values
from ..run.foreign_metrics import as_run
from ..run.preparation import Prepared, prepare
from ..run.summary import is_of_all_runs
from .sums import sums_of

__all__ = ["Repeats", "repeats_of"]


@dataclass(frozen=True)
class Repeats:
    """The times of the runs with the same number of ranks, in seconds: ``float64[run]``.

    Attributes:
        times: Times from ``MPI_Init`` to ``MPI_Finalize``.
        lengths: Lengths of the critical paths.
        alone: Whether each rank had a core to itself in all these runs. False if other programs used the cores, and the
            kernel does not report whether ranks waited.
    """

    times: Values
    lengths: Values
    alone: bool

    def interval(self, *, of_path: bool) -> tuple[float, float]:
        """Return the shortest and the longest time of a run in seconds, or of its critical path if ``of_path``."""
        values = self.lengths if of_path else self.times
        return float(values.min()), float(values.max())

    def median(self, *, of_path: bool) -> int:
        """Return the index of the run with the median time, or critical path; of two in the middle, the shorter one.

        The mean of the runs is not used, because disturbed runs would affect each of its regions.
        """
        order = np.argsort(self.lengths if of_path else self.times, kind="stable")
        return int(order[(len(order) - 1) // 2])


def repeats_of(runs: Sequence[Experiment]) -> Repeats:
    """Return the times of one or more runs of the same command."""
    prepared = [prepare(as_run(each)) for each in runs]
    times = np.array([each.program_time for each in prepared])
    lengths = np.array([_length(each.experiment) for each in prepared])
    return Repeats(times, lengths, not any(_may_wait(each) for each in prepared))


def _length(experiment: Experiment) -> float:
    of_path = is_of_all_runs(experiment, TEAM_TIME.name)
    return float(sums_of(experiment, of_path=of_path)["path"].sum())


def _may_wait(run: Prepared) -> bool:
    return bool(run.oversubscription or run.wait_for_core or run.waits_for_cores_unknown)
