"""The pace of a region: what each entry takes, from the first to the last, and how that changes."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...analyze.run.arrays import Values
from ..warping import same_paths
from .anomaly import Anomaly, Course, companions
from .run import Run, Way, way
from .shapes import Shape, best_shape, contrast

__all__ = ["ALONE", "LEAST", "STRONG", "Pace", "changes_of", "divided", "pace_of"]

_PARTS: Final = 100  # at most: a change is placed within a hundredth of the region's time
_FEWEST: Final = 20  # parts: of fewer a tenth is a part or two
_EACH: Final = 2  # entries, and samples, of a part, at least: so it has one that is its own
_COUNTS: Final = frozenset({"instructions", "l1_misses", "l2_misses", "l2_accesses"})
_CHANGES: Final = 4  # of one region
_NEXT: Final = (
    0.5  # of a change: how high another one is; what is less may be what makes the first one no straight line
)
# How much a pace must change. What several runs show at the same entries, or what was counted there, is the program's.
# In one run alone the machine changes, too: of 16 runs of two balanced programs, four busy ranks beside four other busy
# processes on two processors, 15 had no shape of 5 % or more, but in a later one a rank became faster by 20 %.
LEAST: Final = 0.1
ALONE: Final = 0.3
STRONG: Final = 3.0  # deviations of what remains


@dataclass(frozen=True, slots=True, eq=False)
class Pace:
    """A region's entries in parts, in each run.

    Attributes:
        path: In the first run.
        locations: Those that enter it, by their places in the first run's trace.
        places: Process and thread of each.
        ways: One for each run, with the run.
        slowness: ``float64[run, location, part]``: the seconds an entry takes on a processor, over their median of all
            parts; of runs whose clock is the program's.
    """

    path: int
    locations: Sequence[int]
    places: tuple[tuple[int, int], ...]
    ways: Sequence[tuple[Run, Way]]
    slowness: Values

    @property
    def parts(self) -> int:
        """Give how many parts there are."""
        return int(self.slowness.shape[-1])

    @property
    def ranks(self) -> tuple[int, ...]:
        """Give the ranks that enter the region."""
        return tuple(sorted({process for process, _ in self.places}))

    @property
    def courses(self) -> tuple[Course, ...]:
        """Give what entries took over time, for each run."""
        return tuple(Course(run.source, way.begin, way.end, way.seconds) for run, way in self.ways)

    @property
    def first(self) -> Way:
        """Give the way of the first run."""
        return self.ways[0][1]


def pace_of(runs: Sequence[Run], path: int) -> Pace | None:
    """Follow a region through all runs that have it; None if it was entered too seldom.

    Args:
        runs: The first one's clock is that of the results.
        path: In the first one.
    """
    return divided(runs, path, _PARTS, each=_EACH)


def divided(runs: Sequence[Run], path: int, most: int, *, each: int) -> Pace | None:
    """Divide a region's entries into parts, of so many entries and samples or more; None if there would be too few."""
    first = runs[0].trace
    counts = runs[0].entries[:, :, path]
    inside = np.flatnonzero(counts[0]).tolist()
    parts = int(min(most, counts[:, inside].min(initial=most * each) // each))
    if not inside or parts < _FEWEST:
        return None
    here = [(first.locations[number].process, first.locations[number].thread) for number in inside]
    ways = [(runs[0], way(runs[0], path, inside, parts))]
    for run in runs[1:]:
        there = same_paths([*first.call_paths], run.trace.call_paths)[path]
        places = {(place.process, place.thread): number for number, place in enumerate(run.trace.locations)}
        numbers = [places.get(place, -1) for place in here]
        if there >= 0 and min(numbers) >= 0 and (run.entries[0, numbers, there] == counts[0, inside]).all():
            ways.append((run, way(run, int(there), numbers, parts)))
    seconds = np.array([found.seconds for run, found in ways if run.timed])
    middle = np.median(seconds, axis=-1, keepdims=True)
    slowness = seconds / np.where(middle > 0, middle, 1.0)
    return Pace(path, inside, tuple(here), ways, slowness)


def changes_of(pace: Pace) -> Iterator[Anomaly]:
    """Find how the pace changes: on all ranks or on some, the strongest first."""
    left = np.median(pace.slowness, axis=0)
    runs = pace.slowness.copy()
    least = 0.0
    for _ in range(_CHANGES):
        found = _strongest(left)
        if found is None:
            return
        shape, members = found
        mean = left[members].mean(axis=0)
        shape = best_shape(mean) or shape
        shown = [contrast(each[members].mean(axis=0), shape.profile) for each in runs]
        agreeing = sum(height * np.sign(shape.height) >= abs(shape.height) / 2 for height in shown)
        needed = LEAST if agreeing > 1 or _counted(pace, shape, members) else ALONE
        if (
            abs(np.log(shape.factor)) < np.log1p(needed)
            or abs(shape.height) < least
            or shape.strength < STRONG
            or agreeing < len(shown) / 2
        ):
            return
        least = abs(shape.height) * _NEXT
        yield _anomaly(pace, shape, members, int(agreeing))
        for every in (left, *runs):
            for member in members:
                every[member] -= contrast(every[member], shape.profile) * shape.profile


def _strongest(left: Values) -> tuple[Shape, list[int]] | None:
    """Find the strongest shape of a location, or of all, and the locations that have it, too."""
    shapes = [best_shape(each) for each in (np.median(left, axis=0), *left)]
    known = [each for each in shapes if each is not None]
    if not known:
        return None
    best = max(known, key=lambda each: min(each.strength, 2 * STRONG) * abs(each.height))
    heights = np.array([contrast(each, best.profile) for each in left]) * np.sign(best.height)
    members = np.flatnonzero(heights >= abs(best.height) / 2).tolist()
    return (best, members) if members else None


def _counted(pace: Pace, shape: Shape, members: Sequence[int]) -> bool:
    """Tell whether what was counted changes as the pace does."""
    for run, each in pace.ways:
        if not run.timed:
            for column, metric in enumerate(each.metrics):
                if metric in _COUNTS:
                    values = each.amounts[members, :, column].mean(axis=0)
                    if np.isfinite(values).all() and (values > 0).all():
                        found = contrast(np.log(values), shape.profile) * np.sign(shape.height)
                        if found >= np.log1p(LEAST):
                            return True
    return False


def _anomaly(pace: Pace, shape: Shape, members: Sequence[int], agreeing: int) -> Anomaly:
    some = len(members) < len(pace.places) / 2
    places = [pace.places[member] for member in members]
    whole = {process for process, _ in places}
    apart = [place for place in pace.places if place[0] in whole and place not in places]
    kind = "rank leaves the others" if some and shape.kind != "level shift" else shape.kind
    begin, end = (np.median(each[members], axis=0) for each in (pace.first.begin, pace.first.end))
    seconds = abs(shape.height) * float(np.median(pace.first.seconds[members]))
    goes_with = companions(pace.ways, members, np.sign(shape.height) * shape.profile, seconds)
    first, last = _place(pace, shape, members, {each.metric for each in goes_with})
    return Anomaly(
        kind,
        "compute_time",
        float(begin[first]),
        float(end[last - 1]),
        tuple(sorted(whole)),
        pace.path,
        shape.factor,
        shape.strength,
        agreeing,
        threads=tuple(sorted(places)) if apart else (),
        goes_with=goes_with,
        courses=pace.courses,
    )


def _place(pace: Pace, shape: Shape, members: Sequence[int], causes: Container[str]) -> tuple[int, int]:
    """Give the first part of a change, and the one after its last: by counts that have its shape, if they are clearer.

    A busy machine disturbs what an entry takes, but not what is counted in it.
    """
    counts = [
        each.amounts[members, :, column].mean(axis=0)
        for run, each in pace.ways
        if not run.timed
        for column, metric in enumerate(each.metrics)
        if metric in _COUNTS and metric in causes
    ]
    alike = [found for found in map(best_shape, counts) if found and _is_same(found, shape)]
    best = max([shape, *alike], key=lambda each: each.strength)
    return best.first, best.last


def _is_same(one: Shape, other: Shape) -> bool:
    """Tell whether two shapes are of one kind, and more than half of the time of both together is of both."""
    both = min(one.last, other.last) - max(one.first, other.first)
    return one.kind == other.kind and both > (max(one.last, other.last) - min(one.first, other.first)) / 2
