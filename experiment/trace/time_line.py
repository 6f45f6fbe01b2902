"""Our own trace: each location's samples in order, with their metrics and call paths."""

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
    """A location's samples; each begins at or after the end of the previous one.

    Attributes:
        begin: ``float64[sample]``, seconds since the first process of the run started.
        end: ``float64[sample]``, seconds; not before ``begin``, and not after the ``begin`` of the next sample.
        values: ``float64[sample, metric]``: the amount during the sample, or the level at its end. NaN if not measured.
        first: ``int[sample + 1]``: the index at which the parts of each sample begin in the following four arrays.
        paths: ``int[part]``: call paths; -1 for several short call paths together.
        visits: ``int64[part]``: the number of times that the call path was entered.
        seconds: ``float64[part]``: the seconds in the call path itself, without its descendants.
        computing: ``float64[part]``: the part of ``seconds`` that was CPU time outside MPI, file I/O and OpenMP.
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
        """``int[part]``: the sample to which each part belongs."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))


@dataclass(frozen=True, eq=False)
class Trace:
    """The time lines of a run, read on demand.

    Attributes:
        metrics: The metrics of the columns of ``values``. A metric that is not ``additive`` is a level.
        call_paths: The call paths, parents before children.
        locations: The location of each time line.
        counts: The number of samples in each time line.
        read: Returns the time line of a location.
        facts: Further facts, such as the program, and how samples were taken.
    """

    metrics: Sequence[Metric]
    call_paths: Sequence[CallPath]
    locations: Sequence[Location]
    counts: Sequence[int]
    read: Callable[[int], TimeLine] = field(repr=False)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def line(self, location: int) -> TimeLine:
        """Return the time line of a location, by its index in ``locations``."""
        return self.read(location)

    def lines(self) -> Iterator[TimeLine]:
        """Yield the time lines of all locations, reading one at a time."""
        return map(self.line, range(len(self.locations)))

    def column(self, metric: str) -> int:
        """Return the column of a metric.

        Raises:
            InputError: There is no such metric.
        """
        if metric not in self._columns:
            raise InputError(f"expected one of the metrics {', '.join(self._columns)}, found {metric!r}")
        return self._columns[metric]

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {metric.name: number for number, metric in enumerate(self.metrics)}
