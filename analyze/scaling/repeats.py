"""Repeated runs with one number of ranks: the median run is judged, and the others show how far times vary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...experiment import Experiment
from ..run.arrays import Values
from ..run.foreign_metrics import as_run
from ..run.preparation import Prepared, prepare
from .sums import sums_of

__all__ = ["Repeats", "is_alone", "median_run"]


@dataclass(frozen=True)
class Repeats:
    """The times of the runs with one number of ranks, in seconds: ``float64[run]``.

    Attributes:
        times: From ``MPI_Init`` to ``MPI_Finalize``.
        lengths: Of the critical path.
    """

    times: Values
    lengths: Values

    def interval(self, *, of_path: bool) -> tuple[float, float]:
        """Return the shortest and the longest time, of the critical path if ``of_path``."""
        values = self.lengths if of_path else self.times
        return float(values.min()), float(values.max())


def is_alone(run: Prepared) -> bool:
    """Return whether each rank had a core to itself."""
    return not (run.oversubscription or run.wait_for_core)


def median_run(runs: Sequence[Experiment]) -> tuple[Experiment, Repeats]:
    """Return the run with the median time, or with the median critical path if ranks shared cores; of two the shorter.

    A mean of runs would have the time of a disturbed run in each of its regions.

    Args:
        runs: One or more runs of the same command.
    """
    prepared = [prepare(as_run(each)) for each in runs]
    times = np.array([each.program_time for each in prepared])
    lengths = np.array([float(sums_of(each.experiment)["path"].sum()) for each in prepared])
    by = times if all(map(is_alone, prepared)) else lengths
    return runs[int(np.argsort(by, kind="stable")[(len(runs) - 1) // 2])], Repeats(times, lengths)
