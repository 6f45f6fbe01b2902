"""A trace of ours: the samples of each location, one after the other, what passed in them, and on which call paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ..call_path import CallPath
from ..experiment import Location
from ..metric import Metric

__all__ = ["TimeLine", "Trace"]

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class TimeLine:
    """What a location did, sample by sample; one begins where the one before ends, or later.

    Attributes:
        begin: ``float64[sample]``, seconds since the first process of the run started.
        end: Likewise; after ``begin``, and not after the next one's.
        values: ``float64[sample, metric]``: what passed in the sample; of a level, what it was at the end. NaN where
            it was not measured.
        first: ``int[sample + 1]``: where the parts of each sample begin in the following three.
        paths: ``int[part]``: call paths; -1 stands for several that took little.
        visits: ``int64[part]``: how often each was entered.
        seconds: ``float64[part]``: how long the location was in it, and in nothing below it.
        computing: ``float64[part]``: of these seconds those on a processor, and in no call of MPI, file I/O or OpenMP.
    """

    begin: Values
    end: Values
    values: Values
    first: npt.NDArray[np.intp]
    paths: npt.NDArray[np.intp]
    visits: npt.NDArray[np.int64]
    seconds: Values
    computing: Values

    def __len__(self) -> int:
        return len(self.end)

    @property
    def samples(self) -> npt.NDArray[np.intp]:
        """The sample of each part."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))


@dataclass(frozen=True, eq=False)
class Trace:
    """The time lines of a run, which are read when they are asked for.

    Attributes:
        metrics: What ``values`` has in its columns. What is not ``additive`` is a level.
        call_paths: Parents before children.
        locations: One for each line.
        counts: How many samples each line has.
        read: Gives the line of a location.
        facts: What else is known: how samples were taken, of what.
    """

    metrics: Sequence[Metric]
    call_paths: Sequence[CallPath]
    locations: Sequence[Location]
    counts: Sequence[int]
    read: Callable[[int], TimeLine] = field(repr=False)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def line(self, location: int) -> TimeLine:
        """Read the time line of a location, by its place in ``locations``."""
        return self.read(location)

    def lines(self) -> Iterator[TimeLine]:
        """Read one line after the other."""
        return map(self.line, range(len(self.locations)))

    def column(self, metric: str) -> int:
        """Find a metric among the columns.

        Raises:
            InputError: There is no such metric.
        """
        if metric not in self._columns:
            raise InputError(f"expected one of the metrics {', '.join(self._columns)}, found {metric!r}")
        return self._columns[metric]

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {metric.name: number for number, metric in enumerate(self.metrics)}
