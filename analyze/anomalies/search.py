"""The search for anomalies: in each region that takes time, in file I/O, and in the memory in use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from .anomaly import Anomaly
from .dips import dips_of
from .memory import memory_growth
from .pace import Pace, changes_of, pace_of
from .periods import io_periods
from .run import Run

__all__ = ["Run", "Search", "find_anomalies"]

_LEAST: Final = 0.03  # of the computing: a region that takes less is not worth a look (definitions 17)


@dataclass(frozen=True, slots=True)
class Search:
    """What was found.

    Attributes:
        anomalies: Strongest first.
        examined: Call paths of the first run that were looked at.
        notes: What else is to be known.
    """

    anomalies: tuple[Anomaly, ...]
    examined: tuple[int, ...]
    notes: tuple[str, ...] = ()


def find_anomalies(runs: Sequence[Run], told: Callable[[int, int], object] | None = None) -> Search:
    """Look for anomalies.

    Args:
        runs: Of one program with one input; times are those of the first one, whose clock must be the program's.
        told: Takes how many call paths are done, and how many there are.
    """
    heavy = _heavy(runs[0])
    found: list[Anomaly] = []
    examined = []
    for number, path in enumerate(heavy):
        if told:
            told(number, len(heavy))
        pace = pace_of(runs, path)
        if pace is not None:
            examined.append(path)
            found += _of_region(pace, runs)
    found = [*_innermost(found, runs[0]), *io_periods(runs), *memory_growth(runs)]
    few = len(heavy) - len(examined)
    notes = [f"{few} of {len(heavy)} regions were entered too seldom to see a change"] if few else []
    return Search(tuple(sorted(found, key=lambda each: -each.strength)), tuple(examined), tuple(notes))


def _innermost(found: Sequence[Anomaly], run: Run) -> Iterator[Anomaly]:
    """Leave out what a region shows because one that it calls does."""
    for each in found:
        assert each.path is not None
        below = run.below(each.path)
        if not any(
            other.path != each.path and below[other.path] and other.start < each.end and other.end > each.start
            for other in found
        ):
            yield each


def _of_region(pace: Pace, runs: Sequence[Run]) -> Iterator[Anomaly]:
    dips = [*dips_of(pace, runs)]
    yield from dips
    if not dips:
        yield from changes_of(pace)


def _heavy(run: Run) -> list[int]:
    """Give the call paths with enough computing in them and below."""
    own = np.zeros(len(run.trace.call_paths))
    for line in run.trace.lines():
        known = line.paths >= 0
        np.add.at(own, line.paths[known], line.seconds[known])
    own[~run.computing] = 0
    whole = own.copy()
    for number, path in reversed([*enumerate(run.trace.call_paths)]):
        if path.parent is not None and run.computing[number]:
            whole[path.parent] += whole[number]
    return np.flatnonzero(run.computing & (whole >= _LEAST * own.sum()) & (whole > 0)).tolist()
