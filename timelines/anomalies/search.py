"""Search for anomalies in each region that takes much time, in file I/O, and in memory use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...analyze.run.criteria import CRITERIA
from ...errors import InputError
from ...experiment.trace import every_series
from ..warping import same_paths
from .anomaly import Anomaly
from .dips import dips_of
from .pace import Pace, changes_of, pace_of
from .run import Run
from .whole_program import io_periods, memory_growth

__all__ = ["Run", "Search", "find_anomalies"]


@dataclass(frozen=True, slots=True)
class Search:
    """The result of a search.

    Attributes:
        anomalies: The certain anomalies, strongest first.
        uncertain: Anomalies that the load of the machine may have caused, because ranks began to wait for cores at the
            same time; strongest first.
        examined: Call paths of the first run that were examined.
        seldom: Call paths with much busy time of their own but too few entries to show a change.
        unlike: Runs that cannot be compared, because no examined call path has as many entries as in the first run.
    """

    anomalies: tuple[Anomaly, ...]
    examined: tuple[int, ...]
    seldom: tuple[int, ...]
    unlike: tuple[str, ...] = ()
    uncertain: tuple[Anomaly, ...] = ()


def find_anomalies(runs: Sequence[Run], told: Callable[[int, int], object] | None = None) -> Search:
    """Search the time lines of runs for anomalies.

    Args:
        runs: Runs of one program with the same input. Times are those of the first run, which must not be a counting
            run.
        told: Progress callback, called with the number of call paths done and their total.

    Raises:
        InputError: Two runs have no call path in common.
    """
    for run in runs[1:]:
        if not (same_paths(runs[0].trace.call_paths, run.trace.call_paths) >= 0).any():
            raise InputError(
                f"{run.source}: expected a run of the same program as {runs[0].source}, found no call path in common"
            )
    heavy, own = _heavy(runs[0])
    found: list[Anomaly] = []
    examined = []
    compared: set[str] = set()
    for number, path in enumerate(heavy):
        if told:
            told(number, len(heavy))
        pace = pace_of(runs, path)
        if pace is not None:
            examined.append(path)
            compared |= {run.source for run, _ in pace.ways}
            found += _of_region(pace, runs)
    series = {each.name: each for each in every_series(runs[0].trace, runs[0].source)}
    found = [*_innermost(found, runs[0]), *io_periods(runs[0], series), *memory_growth(runs[0], series)]
    seldom = tuple(path for path in own if path not in examined)
    unlike = tuple(run.source for run in runs if examined and run.source not in compared)
    ordered = sorted(found, key=lambda each: -each.strength)
    certain, uncertain = (tuple(each for each in ordered if each.uncertain == kind) for kind in (False, True))
    return Search(certain, tuple(examined), seldom, unlike, uncertain)


def _innermost(found: Sequence[Anomaly], run: Run) -> Iterator[Anomaly]:
    """Yield the anomalies, except those of regions with a callee that has an anomaly at the same time."""
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


def _heavy(run: Run) -> tuple[list[int], list[int]]:
    """Return the call paths that take at least 3 % of the busy time with their callees, and those without callees."""
    own = np.zeros(len(run.trace.call_paths))
    for line in run.trace.lines():
        known = line.paths >= 0
        np.add.at(own, line.paths[known], line.computing[known])
    whole = own.copy()
    for number, path in reversed([*enumerate(run.trace.call_paths)]):
        if path.parent is not None:
            whole[path.parent] += whole[number]
    least = CRITERIA.least_weight * own.sum()
    inside, alone = (((each >= least) & (each > 0)).nonzero()[0].tolist() for each in (whole, own))
    return inside, alone
