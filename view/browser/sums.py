"""Sum the values of an experiment by call path and by location, one block of rows at a time."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ...experiment.aggregate import totals
from ...experiment.grouping import over_locations
from ...experiment.severities import Severity
from .tally import Tally

__all__ = ["Sums"]

_CELLS: Final = 1 << 20  # number of values per block; copies of a block take a few MiB


class Sums:
    """Sums of an experiment's metrics. Sums by call path are cached, because they are small.

    Args:
        experiment: The experiment, whose metrics are read on demand.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self._by_path: dict[str, Tally] = {}
        self._totals: dict[str, Tally] = {}
        self._by_location: dict[str, tuple[bytes, Tally]] = {}

    def by_path(self, metric: str) -> Tally:
        """Return the exclusive values of a metric by call path, aggregated over all locations."""
        found = self._by_path.get(metric)
        if found is None:
            found = self._by_path[metric] = self._read(metric)
        return found

    def _read(self, metric: str) -> Tally:
        kind = self.experiment.metric(metric)
        stored = self.experiment.stored_inclusive(metric)
        gaps = np.zeros(len(self.experiment.call_paths), np.int64)
        amounts = np.empty(len(gaps))
        for rows, values in self.experiment.blocks(metric):
            gaps[rows] = np.isnan(values).sum(axis=1)
            amounts[rows] = over_locations(kind, values)
        if stored is not None:  # stored values have no rounding errors
            amounts = totals(self.experiment, metric)
        known = len(self.experiment.locations) - gaps
        if kind.at_root:
            # A metric of whole processes is known only at roots.
            elsewhere = (np.array(self.experiment.depths) > 0) & (np.nan_to_num(amounts) == 0)
            known[elsewhere] = gaps[elsewhere] = 0
        if kind.aggregation in ("sum", "none"):
            amounts = np.nan_to_num(amounts)
        return Tally(kind.aggregation, amounts, known, gaps)

    def total(self, metric: str) -> Tally:
        """Return the total of a metric over all call paths and locations, as a tally with one place."""
        found = self._totals.get(metric)
        if found is None:
            found = self._totals[metric] = self.by_path(metric).together()
        return found

    def by_location(self, metric: str, paths: npt.NDArray[np.intp]) -> Tally:
        """Return a metric's exclusive values by location, aggregated over some call paths.

        If a metric is known only for whole processes, the call paths do not matter: the values are those of the
        processes. The last result for each metric is cached.
        """
        asked, known = paths.tobytes(), self._by_location.get(metric)
        if known is None or known[0] != asked:
            known = self._by_location[metric] = asked, self._of_paths(metric, paths)
        return known[1]

    def _of_paths(self, metric: str, paths: npt.NDArray[np.intp]) -> Tally:
        kind = self.experiment.metric(metric)
        if kind.at_root:
            whole = self.by_path(metric)
            has_cells = whole.known + whole.gaps > 0
            paths = paths[has_cells[paths]] if has_cells[paths].any() else np.flatnonzero(has_cells)
        found = Tally.nothing(kind.aggregation, len(self.experiment.locations))
        size = max(1, _CELLS // max(1, len(found)))
        for start in range(0, len(paths), size):
            found = found.plus(_of_rows(found, self.experiment.rows(metric, paths[start : start + size])))
        if kind.at_root:  # the first thread's column contains the values of the process
            elsewhere = self._later_threads & (np.nan_to_num(found.amounts) == 0)
            found.known[elsewhere] = found.gaps[elsewhere] = 0
        return found

    @cached_property
    def _later_threads(self) -> npt.NDArray[np.bool_]:
        return np.array([place.thread > 0 for place in self.experiment.locations])


def _of_rows(like: Tally, block: Severity) -> Tally:
    """Return the tally of a block of values, aggregated over its rows in the same way as ``like``."""
    missing = np.isnan(block)
    gaps = missing.sum(axis=0)
    if like.aggregation in ("sum", "none"):
        amounts = np.where(missing, 0.0, block).sum(axis=0)
    else:
        amounts = (np.fmin if like.aggregation == "min" else np.fmax).reduce(block, axis=0)
    return Tally(like.aggregation, amounts, len(block) - gaps, gaps)
