"""Samples of metrics over time, for all locations together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

__all__ = ["Samples"]

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Samples:
    """Samples of one trace, in any order.

    Attributes:
        metrics: The names of the metrics, one for each column of ``values``.
        units: The unit of each metric; empty if it has none.
        locations: The process and thread of each location, in the order in which locations first appear.
        times: ``float64[sample]``, seconds.
        places: ``int[sample]``, indices of ``locations``.
        values: ``float64[sample, metric]``, NaN if missing.
    """

    metrics: tuple[str, ...]
    units: tuple[str, ...]
    locations: Sequence[tuple[int, int]]
    times: Values
    places: npt.NDArray[np.intp]
    values: Values

    @classmethod
    def none(cls) -> Samples:
        """Return an empty set of samples, without metrics."""
        return cls((), (), [], np.empty(0), np.empty(0, dtype=np.intp), np.empty((0, 0)))

    def part(self, taken: npt.NDArray[np.bool_] | npt.NDArray[np.intp] | slice) -> Samples:
        """Return some of the samples, given as ``bool[sample]``, as indices, or as a slice, which copies nothing."""
        return replace(self, times=self.times[taken], places=self.places[taken], values=self.values[taken])

    def with_more(self, *later: Samples) -> Samples:
        """Return these samples, followed by samples that the same reader returned later."""
        parts = [each for each in (self, *later) if each.metrics]
        if not parts:
            return self
        return replace(
            parts[-1],
            times=np.concatenate([each.times for each in parts]),
            places=np.concatenate([each.places for each in parts]),
            values=np.concatenate([each.values for each in parts]),
        )
