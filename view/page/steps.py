"""Time lines over equal steps of time, one line after the other, of any length."""

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
    """The locations' values in each step.

    Attributes:
        least: ``float64[step, metric]``: rates of additive metrics, otherwise levels; NaN if no location is known.
        mean: Likewise.
        most: Likewise.
    """

    least: Values
    mean: Values
    most: Values


@dataclass(frozen=True, eq=False)
class Steps:
    """Equal steps over a trace's time.

    Attributes:
        edges: ``float64[step + 1]``, seconds.
    """

    edges: Values

    def __len__(self) -> int:
        return len(self.edges) - 1

    def means(
        self, trace: Trace, lines: Iterator[TimeLine], derived: Callable[[Values], Values] = np.asarray
    ) -> Iterator[tuple[Means, sparse.csr_array]]:
        """Map lines to the steps; each is read, and dropped before the next one.

        Args:
            trace: The trace of the lines.
            lines: Some of them.
            derived: Returns further columns computed from each line's means.

        Yields:
            For each line the values so far, and its seconds in each call path, ``float64[step, call path + 1]``, the
            first column for several short call paths together.
        """
        shape = len(self), derived(np.zeros((0, len(trace.metrics)))).shape[1]
        least, most, total, known = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape), np.zeros(shape)
        for line in lines:
            overlap = self._overlap(line)
            shown = rates(trace.metrics, line.begin, line.end, line.values)
            values = derived(means(line.begin, line.end, shown, self.edges[:-1], self.edges[1:]))
            least, most = np.fmin(least, values), np.fmax(most, values)
            total += np.nan_to_num(values)
            known += ~np.isnan(values)
            mean = np.divide(total, known, out=np.full(shape, np.nan), where=known > 0)
            yield Means(least, mean, most), overlap @ _parts(line, len(trace.call_paths))

    def _overlap(self, line: TimeLine) -> sparse.csr_array:
        """Return the seconds of each sample in each step, ``float64[step, sample]``."""
        from scipy import sparse  # noqa: PLC0415 - takes its time, and most runs have no trace

        edges, last = self.edges, len(self) - 1
        first = (np.searchsorted(edges, line.begin, side="right") - 1).clip(0, last)
        count = (np.searchsorted(edges, line.end, side="left") - 1).clip(first, last) - first + 1
        sample = np.repeat(np.arange(len(line)), count)
        step = np.arange(len(sample)) - np.repeat(count.cumsum() - count - first, count)
        length = np.minimum(line.end[sample], edges[step + 1]) - np.maximum(line.begin[sample], edges[step])
        return sparse.csr_array((length.clip(min=0), (step, sample)), shape=(len(self), len(line)))


def steps_of(trace: Trace, most: int) -> Steps | None:
    """Divide a trace's time into as many steps as its longest line has samples; None for a trace without time.

    Args:
        trace: Any; all its lines are read.
        most: Steps, at most.
    """
    spans = [(line.begin[0], line.end[-1]) for line in trace.lines() if len(line)]
    first, last = min((span[0] for span in spans), default=0.0), max((span[1] for span in spans), default=0.0)
    return Steps(np.linspace(first, last, min(max(trace.counts), most) + 1)) if last > first else None


def _length(line: TimeLine) -> Values:
    """Return the lengths of samples; NaN for empty ones, which have no rate."""
    length = line.end - line.begin
    return np.where(length > 0, length, np.nan)


def _parts(line: TimeLine, paths: int) -> sparse.csr_array:
    """Return the share of each call path in each sample, ``float64[sample, call path + 1]``."""
    from scipy import sparse  # noqa: PLC0415

    shares = np.nan_to_num(line.seconds / _length(line)[line.samples])
    return sparse.csr_array((shares, line.paths + 1, line.first), shape=(len(line), paths + 1))
