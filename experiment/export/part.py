"""The part of an experiment that is written at a time: some columns, or the aggregate of all columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..experiment import Experiment, Location
from ..grouping import over_locations
from ..severities import Severity

__all__ = ["Part", "parts", "titles"]


@dataclass(frozen=True, slots=True)
class Part:
    """Some columns of an experiment, or a single column with the aggregate of all.

    Attributes:
        whose: The location of each column; None for the aggregate of all locations.
        read: Returns a metric's exclusive values, ``float64[call path, column]``.
    """

    whose: Sequence[Location | None]
    read: Callable[[str], Severity]


def parts(experiment: Experiment, *, together: bool, metrics: int = 1) -> Iterator[Part]:
    """Yield the locations block by block, or all of them aggregated into one column.

    Args:
        experiment: The experiment to write.
        together: Whether to aggregate all locations.
        metrics: The number of metrics that the caller reads per part. If there are several blocks, their size is
            divided by this number, so that memory stays bounded.
    """
    if together:
        yield Part((None,), lambda metric: _together(experiment, metric))
        return
    blocks = experiment.location_blocks()
    for block in blocks:
        width = block.stop - block.start if len(blocks) == 1 else (block.stop - block.start) // metrics
        for start in range(block.start, block.stop, max(1, width)):
            part = experiment.of_locations(slice(start, min(start + max(1, width), block.stop)))
            yield Part(part.locations, part.exclusive)


def _together(experiment: Experiment, metric: str) -> Severity:
    kind = experiment.metric(metric)
    blocks = [over_locations(kind, values) for _, values in experiment.blocks(metric)]
    return np.concatenate([np.empty(0), *blocks])[:, None]


def titles(experiment: Experiment) -> Callable[[Location | None], tuple[str, ...]]:
    """Return a function that names a column by rank, and by thread if there are several; empty for the aggregate."""
    threaded = any(place.thread for place in experiment.locations)

    def of(place: Location | None) -> tuple[str, ...]:
        if place is None:
            return ()
        return (f"rank {place.process}", *([f"thread {place.thread}"] if threaded else []))

    return of
