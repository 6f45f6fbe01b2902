"""The second stage of the analysis: find the ranks, or threads, that differ, by which metric, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..choices import DISSIMILARITY_METRICS
from ..run.criteria import CRITERIA, THRESHOLD
from ..run.overhead import TIMES, probe_times
from ..run.preparation import Prepared
from ..run.selection import Selection, over_ranks
from .dissimilarity import Dissimilarity, find_dissimilarity
from .levelling import MOST_PAID
from .network import differing_volumes, seconds_of_a_byte
from .off_processor import differing_time_off
from .rank_vectors import RankVectors
from .speed import are_slower_elsewhere
from .thread_roles import differing_jobs

__all__ = ["Differences", "find_differences"]


@dataclass(frozen=True)
class Differences:
    """The differences between ranks.

    Attributes:
        selection: The ranks, or threads, that were compared.
        vectors: The performance vectors of the ranks or threads; all positions refer to their ``regions``.
        dissimilarity: The clusters of the ranks or threads, and the culprits.
        floor: The smallest saving from balancing that matters, in the unit of the compared metric.
        not_judged: Times off the processor in which ranks differ, but which may be waiting for a core; None if there
            are no such times.
    """

    selection: Selection
    vectors: RankVectors
    dissimilarity: Dissimilarity
    floor: float
    not_judged: tuple[RankVectors, Dissimilarity] | None = None

    def may_be_measuring(self, regions: Sequence[int]) -> bool:
        """Return whether ranks differ, over all given regions, by at most ``MOST_PAID`` times one rank's overhead.

        The estimated overhead is already subtracted, and differences that its error explains are already removed. Even
        so, a rank that entered more regions than other ranks, or had far more overhead, may differ only because of the
        measurement.
        """
        places = tuple(regions)
        if self.vectors.metric not in TIMES:
            return False
        if places not in self._judged:
            most = max(over_ranks(self.selection, _most_paid, places))
            apart = float(np.ptp(self.vectors.values[list(places)].sum(axis=0)))
            self._judged[places] = apart <= MOST_PAID * most
        return self._judged[places]

    def may_be_the_end(self, regions: Sequence[int]) -> bool:
        """Return whether at least half of the difference is due to ranks that did not reach the end of the program."""
        ended = np.isin(self.vectors.ranks, self.selection.experiment.notes.unfinished)
        if not ended.any() or ended.all():
            return False
        times = self.vectors.values[list(regions)].sum(axis=0)
        groups = [(times[each], times[each][~ended[each]]) for each in self.vectors.groups]
        whole, left = (max(float(np.ptp(each)) for each in some if len(each)) for some in zip(*groups, strict=True))
        return left <= whole / 2

    def may_be_chance(self, regions: Sequence[int]) -> bool:
        """Return whether a busy machine may have caused the difference: it is small, and no counts confirm it."""
        slight = all(
            each < CRITERIA.unknown_noise * most or (each < CRITERIA.burst and each < CRITERIA.most_noise * most)
            for each, most in self._apart(regions)
        )
        return slight and self._is_by_times_alone(regions)

    def may_be_speed(self, regions: Sequence[int]) -> bool:
        """Return whether some ranks are slower almost everywhere, as on a shared core, but no counts confirm it."""
        places = tuple(regions)
        if self.vectors.metric not in TIMES or not self._is_by_times_alone(regions):
            return False
        if places not in self._slower_elsewhere:
            self._slower_elsewhere[places] = all(
                each < CRITERIA.most_noise * most for each, most in self._apart(regions)
            ) and are_slower_elsewhere(self.vectors, regions)
        return self._slower_elsewhere[places]

    def is_brief(self, regions: Sequence[int]) -> bool:
        """Return whether ranks differ by no more seconds than a burst of load from other programs can cause."""
        return self.vectors.metric in TIMES and all(each < CRITERIA.burst for each, _ in self._apart(regions))

    def _apart(self, regions: Sequence[int]) -> Iterator[tuple[float, float]]:
        """Yield, for each program, the range of its ranks' values, and the largest of these values."""
        times = self.vectors.values[list(regions)].sum(axis=0)
        both = ((float(np.ptp(times[each])), float(times[each].max())) for each in self.vectors.groups)
        return ((apart, most) for apart, most in both if most > 0)

    def _is_by_times_alone(self, regions: Sequence[int]) -> bool:
        """Return whether at most half of the compared time was divided among ranks by their counts."""
        places, vectors = list(regions), self.vectors
        if vectors.metric == "mpi_bytes":
            return False
        whole = vectors.values[places].sum(axis=1)
        measured = np.broadcast_to(vectors.measured_share, len(vectors.regions))[places]
        return bool((whole * (1 - measured)).sum() <= whole.sum() / 2)

    def is_by_counts_alone(self, regions: Sequence[int]) -> bool:
        """Return whether only counts differ: in no program did the ranks that executed most instructions take longer.

        False if no time in the regions was divided among ranks by counts.
        """
        places = tuple(regions)
        shares = np.broadcast_to(self.vectors.measured_share, len(self.vectors.regions))
        if self.vectors.metric != "compute_time" or bool((shares[[*places]] >= 1).all()):
            return False
        if places not in self._by_the_clock:
            self._by_the_clock[places] = self._is_by_the_clock(list(places))
        return not self._by_the_clock[places]

    def _is_by_the_clock(self, places: list[int]) -> bool:
        """Return whether measured times confirm the difference in some program.

        Times confirm it in two cases: the times deviate from the executed work by less than that work differs between
        ranks, or the ranks that executed most took longer by more than the sum of both groups' standard deviations.
        """
        times = self.vectors.values[places].sum(axis=0)
        measured = np.nansum(self.vectors.measured(places), axis=0)
        for each in self.vectors.groups:
            executed, took = times[each], measured[each]
            slower = executed > (executed.min() + executed.max()) / 2
            if np.std(took - executed) < np.std(executed):
                return True
            if slower.any() and took[slower].mean() - took[~slower].mean() > took[slower].std() + took[~slower].std():
                return True
        return False

    # Each of these results needs a pass over all ranks, and both the verdict and the JSON document use them, so they
    # are cached.

    @cached_property
    def _judged(self) -> dict[tuple[int, ...], bool]:
        return {}

    @cached_property
    def _slower_elsewhere(self) -> dict[tuple[int, ...], bool]:
        return {}

    @cached_property
    def _by_the_clock(self) -> dict[tuple[int, ...], bool]:
        return {}


def _most_paid(selection: Selection, regions: Sequence[int]) -> float:
    """Return the largest overhead of probes on any rank, over all given regions, in seconds."""
    return float(selection.by_rank(probe_times(selection.experiment))[list(regions)].sum(axis=0).max())


def find_differences(prepared: Prepared, metric: str | None = None) -> Differences:
    """Compare the ranks by a metric: by default by compute time and, if this hardly differs, by other relevant metrics.

    Args:
        prepared: The run.
        metric: One of ``DISSIMILARITY_METRICS``. If None, and ranks hardly differ in compute time, time off the
            processor and ``mpi_bytes`` are compared, too; see ``differing_time_off`` and ``differing_volumes``.
    """
    ranks, compared_by = prepared.compared, metric or DISSIMILARITY_METRICS[0]
    compared = ranks if compared_by == "mpi_bytes" else ranks.by_thread()
    vectors = RankVectors.selected(compared, metric=compared_by)
    floor = _floor(vectors, prepared)
    dissimilarity = find_dissimilarity(vectors, floor=floor)
    found = Differences(compared, vectors, dissimilarity, floor)
    volumes = differing_volumes(ranks, prepared.mean_time) if metric is None else None
    if dissimilarity.exists:
        price = seconds_of_a_byte(ranks.experiment)
        outweighed = volumes and _spread(vectors) <= THRESHOLD * price * _spread(volumes[0])
        return Differences(ranks, *volumes, floor) if volumes and outweighed else found
    if compared_by == "compute_time" and (jobs := differing_jobs(compared, floor=floor)):
        vectors, dissimilarity, compared = jobs
        return Differences(compared, vectors, dissimilarity, floor)
    if metric is not None:
        return found
    off = differing_time_off(ranks, prepared.mean_time, compared.threads)
    if off and prepared.experiment.notes.run_delay.keys() >= {*map(str, ranks.ranks)}:
        return Differences(ranks, *off, floor)
    if volumes:
        return Differences(ranks, *volumes, floor, off)
    return replace(found, not_judged=off)


def _spread(vectors: RankVectors) -> float:
    """Return the range of the ranks' totals."""
    return float(np.ptp(vectors.values[list(vectors.top)].sum(axis=0)))


def _floor(vectors: RankVectors, prepared: Prepared) -> float:
    """Return the smallest saving that matters, in seconds or, for ``mpi_bytes``, as bytes that take this long."""
    if vectors.metric == "mpi_bytes":
        return prepared.least_gain * prepared.mean_time / seconds_of_a_byte(vectors.experiment)
    busy = float(vectors.values[list(vectors.top)].sum(axis=0).mean())
    return max(prepared.least_gain * busy, prepared.least_seconds)
