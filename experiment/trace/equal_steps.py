"""Divide time lines into equal time steps for projection pursuit, even while they are being recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ..metric import Metric
from .means import means, rates
from .samples import Samples
from .time_line import Trace

__all__ = ["EqualSteps", "KnownSoFar", "samples_of"]

_MOST: Final = 1_000_000  # maximum number of steps per location

Values = npt.NDArray[np.float64]


class KnownSoFar(NamedTuple):
    """The samples of a location that have been recorded so far.

    Attributes:
        place: The process and the thread.
        begin: ``float64[sample]``, seconds.
        end: ``float64[sample]``, seconds.
        values: ``float64[sample, metric]``: amounts during the sample, or levels; NaN if not recorded.
    """

    place: tuple[int, int]
    begin: Values
    end: Values
    values: Values


@dataclass
class EqualSteps:
    """Returns the values of each step once, as soon as it is complete: rates of additive metrics, and levels.

    Between calls of ``new``, earlier samples may be merged into longer ones.

    Attributes:
        metrics: The metrics, one for each column of the values.
        step: The length of a step, in seconds.
        passed: Process and thread → the number of steps returned.
    """

    metrics: Sequence[Metric]
    step: float
    passed: dict[tuple[int, int], int] = field(default_factory=dict)

    def new(self, lines: Iterable[KnownSoFar]) -> Samples:
        """Return the steps that were completed since the last call, each as a sample at the end of the step."""
        parts = [self._of_line(line) for line in lines if len(line.end)]
        locations = list(self.passed)
        numbers = {place: number for number, place in enumerate(locations)}
        width = len(self.metrics)
        return Samples(
            metrics=tuple(metric.name for metric in self.metrics),
            units=tuple(f"{metric.unit}/sec" if metric.additive else metric.unit for metric in self.metrics),
            locations=locations,
            times=np.concatenate([times for _, times, _ in parts] or [np.empty(0)]),
            places=np.concatenate(
                [np.full(len(times), numbers[place], np.intp) for place, times, _ in parts] or [np.empty(0, np.intp)]
            ),
            values=np.concatenate([values for _, _, values in parts] or [np.empty((0, width))]),
        )

    def _of_line(self, line: KnownSoFar) -> tuple[tuple[int, int], Values, Values]:
        whole = int(line.end[-1] / self.step)
        if whole - self.passed.get(line.place, int(line.begin[0] / self.step)) > _MOST:
            raise InputError(
                f"expected at most {_MOST:,} steps, found {line.end[-1] / self.step:.3g} steps of {self.step:g} s; "
                "choose a longer --window"
            )
        start = self.passed.get(line.place, min(ceil(line.begin[0] / self.step), whole))
        edges = np.arange(start, max(whole, start) + 1) * self.step
        self.passed[line.place] = max(whole, start)
        shown = rates(self.metrics, line.begin, line.end, line.values)
        return line.place, edges[1:], means(line.begin, line.end, shown, edges[:-1], edges[1:])


def samples_of(trace: Trace, step: float) -> Samples:
    """Return a whole trace in equal time steps.

    Args:
        trace: The trace, whose time lines are read one after the other.
        step: The length of a step, in seconds.
    """
    known = (
        KnownSoFar((place.process, place.thread), line.begin, line.end, line.values)
        for place, line in zip(trace.locations, trace.lines(), strict=True)
    )
    return EqualSteps(trace.metrics, step).new(known)
