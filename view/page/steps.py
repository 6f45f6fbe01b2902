"""Average time lines over equal steps of time, reading one line at a time."""

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
    """The distribution of values over the locations in each step.

    Values are rates of additive metrics, and levels of others; NaN if they are known on no location.

    Attributes:
        least: ``float64[step, metric]``: the least value of a location.
        mean: ``float64[step, metric]``: the mean over the locations.
        most: ``float64[step, metric]``: the largest value of a location.
    """

    least: Values
    mean: Values
    most: Values


@dataclass(frozen=True, eq=False)
class Steps:
    """Equal steps over a trace's time.

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
        """Average lines over the steps, one line at a time.

        Args:
            trace: The trace.
            lines: Some of its lines.
            derived: Adds columns of derived metrics to the values of a line.
            finer: Steps for the call paths; None for the same steps.

        Yields:
            For each line, the distribution over the lines so far, and the line's seconds in each call path,
            ``float64[step, call path + 1]``, whose first column is for short call paths together.
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
    """Return steps over a trace's time, as many as its longest line has samples; None if it lasts no time.

    Args:
        trace: The trace, of which all lines are read.
        most: The greatest number of steps.
    """
    spans = [(line.begin[0], line.end[-1]) for line in trace.lines() if len(line)]
    first, last = min((span[0] for span in spans), default=0.0), max((span[1] for span in spans), default=0.0)
    return Steps(np.linspace(first, last, min(max(trace.counts), most) + 1)) if last > first else None


def _length(line: TimeLine) -> Values:
    """Return the lengths of samples in seconds; NaN for samples of no length, which have no rate."""
    length = line.end - line.begin
    return np.where(length > 0, length, np.nan)


def _parts(line: TimeLine, paths: int) -> sparse.csr_array:
    """Return the share of each call path in each sample, ``float64[sample, call path + 1]``."""
    from scipy import sparse  # noqa: PLC0415

    shares = np.nan_to_num(line.seconds / _length(line)[line.samples])
    return sparse.csr_array((shares, line.paths + 1, line.first), shape=(len(line), paths + 1))
