"""Average time lines over equal time steps, reading one time line at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...experiment.trace import TimeLine, Trace, means, rates

if TYPE_CHECKING:
    from scipy import sparse

__all__ = ["Means", "Steps", "steps_of"]

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Means:
    """The distribution of values over the locations in each time step.

    Values are rates for additive metrics, and levels for all others; NaN if no location has a value.

    Attributes:
        least: ``float64[step, metric]``: the smallest value of any location.
        mean: ``float64[step, metric]``: the mean over the locations.
        most: ``float64[step, metric]``: the largest value of any location.
    """

    least: Values
    mean: Values
    most: Values


@dataclass(frozen=True, eq=False)
class Steps:
    """Equal time steps, from the start to the end of a trace.

    Attributes:
        edges: ``float64[step + 1]``: the times in seconds at which steps begin and end.
    """

    edges: Values

    def __len__(self) -> int:
        return len(self.edges) - 1

    def finer(self, parts: int) -> Steps:
        """Return the steps, each divided into equal parts."""
        within = np.arange(parts) / parts
        starts = self.edges[:-1, None] + np.diff(self.edges)[:, None] * within
        return Steps(np.append(starts.ravel(), self.edges[-1]))

    def means(
        self,
        trace: Trace,
        lines: Iterator[TimeLine],
        derived: Callable[[Values], Values] = np.asarray,
        finer: Steps | None = None,
    ) -> Iterator[tuple[Means, sparse.csr_array]]:
        """Average time lines over the steps, one time line at a time.

        Args:
            trace: The trace.
            lines: Some of the trace's time lines.
            derived: Returns the values of a time line with columns of derived metrics added.
            finer: Steps for the call paths; None for the same steps.

        Yields:
            For each time line, the distribution over the time lines so far, and the time line's seconds in each call
            path, ``float64[step, call path + 1]``. The first column is the sum over call paths that are too short to
            be stored.
        """
        shape = len(self), derived(np.zeros((0, len(trace.metrics)))).shape[1]
        least, most, total, known = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape), np.zeros(shape)
        for line in lines:
            overlap = (finer or self)._overlap(line)
            shown = rates(trace.metrics, line.begin, line.end, line.values)
            values = derived(means(line.begin, line.end, shown, self.edges[:-1], self.edges[1:]))
            least, most = np.fmin(least, values), np.fmax(most, values)
            total += np.nan_to_num(values)
            known += ~np.isnan(values)
            mean = np.divide(total, known, out=np.full(shape, np.nan), where=known > 0)
            yield Means(least, mean, most), overlap @ _parts(line, len(trace.call_paths))

    def _overlap(self, line: TimeLine) -> sparse.csr_array:
        """Return the seconds of each sample in each step, ``float64[step, sample]``."""
        from scipy import sparse  # noqa: PLC0415 - slow to import, and most runs have no trace

        edges, last = self.edges, len(self) - 1
        first = (np.searchsorted(edges, line.begin, side="right") - 1).clip(0, last)
        count = (np.searchsorted(edges, line.end, side="left") - 1).clip(first, last) - first + 1
        sample = np.repeat(np.arange(len(line)), count)
        step = np.arange(len(sample)) - np.repeat(count.cumsum() - count - first, count)
        length = np.minimum(line.end[sample], edges[step + 1]) - np.maximum(line.begin[sample], edges[step])
        return sparse.csr_array((length.clip(min=0), (step, sample)), shape=(len(self), len(line)))


def steps_of(trace: Trace, most: int) -> Steps | None:
    """Return steps from the start to the end of a trace, one for each sample of the longest time line.

    None if the trace has no duration. All time lines are read.

    Args:
        trace: The trace.
        most: The maximum number of steps.
    """
    spans = [(line.begin[0], line.end[-1]) for line in trace.lines() if len(line)]
    first, last = min((span[0] for span in spans), default=0.0), max((span[1] for span in spans), default=0.0)
    return Steps(np.linspace(first, last, min(max(trace.counts), most) + 1)) if last > first else None


def _length(line: TimeLine) -> Values:
    """Return ``float64[sample]``: the samples' lengths in seconds; NaN for empty samples, because they have no rate."""
    length = line.end - line.begin
    return np.where(length > 0, length, np.nan)


def _parts(line: TimeLine, paths: int) -> sparse.csr_array:
    """Return each call path's share of each sample in a time line, ``float64[sample, call path + 1]``, from 0 to 1.

    The first column is for call paths that are too short to be stored.
    """
    from scipy import sparse  # noqa: PLC0415

    shares = np.nan_to_num(line.seconds / _length(line)[line.samples])
    return sparse.csr_array((shares, line.paths + 1, line.first), shape=(len(line), paths + 1))
