"""Find changes in a region's pace: its busy time per entry."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ...analyze.run.arrays import Values
from ..correlators.scores import signed_pearson
from ..warping import same_paths
from .anomaly import ALIKE, Anomaly, Course, companions
from .run import Run, Way, way
from .shapes import Shape, best_shape, contrast

__all__ = ["ALONE", "LEAST", "STRONG", "Pace", "changes_of", "divided", "pace_of"]

_PARTS: Final = 100  # maximum number of parts; a change is located to within a hundredth of the entries
_FEWEST: Final = 20  # minimum number of parts; with fewer parts, a tenth of the parts is only one or two
_EACH: Final = 2  # minimum number of entries and of samples per part, so that one of each lies entirely in the part
_COUNTS: Final = frozenset({"instructions", "l1_misses", "l2_misses", "l2_accesses"})
_FROM_PROGRAM: Final = _COUNTS | {"l1_miss_rate", "l2_miss_rate", "page_faults", "allocations"}
_WORK: Final = "instructions"
_CALLS: Final = ("mpi", "io", "omp")
_CHANGES: Final = 4  # maximum number of changes per region
# Minimum height of a second change, as a fraction of the first change's height; a smaller change may be an artefact of
# fitting the first shape.
_NEXT: Final = 0.5
# Minimum relative change of a pace. LEAST applies if the program must have caused the change, because it occurs at the
# same entries in several runs, or also in counts. ALONE applies to a single run, in which the machine may have caused
# the change. In 15 of 16 runs of two balanced programs (four ranks and four other busy processes on two cores), no
# shape reached 5 %, but in a later run, a rank became 20 % faster.
LEAST: Final = 0.1
ALONE: Final = 0.3
STRONG: Final = 3.0  # minimum height of a change, in standard deviations of the residual


@dataclass(frozen=True, slots=True, eq=False)
class Pace:
    """The entries of a region in each run, divided into parts.

    Attributes:
        path: Call path of the region in the first run.
        locations: The locations that enter the region, as indices in the first run's trace.
        places: Process and thread of each location.
        ways: Each run, with its times and amounts per part.
        slowness: ``float64[run, location, part]``: busy time per entry, divided by its median over all parts. Counting
            runs are left out, because counting slows runs down.
    """

    path: int
    locations: Sequence[int]
    places: tuple[tuple[int, int], ...]
    ways: Sequence[tuple[Run, Way]]
    slowness: Values

    @property
    def parts(self) -> int:
        """The number of parts."""
        return int(self.slowness.shape[-1])

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks that enter the region."""
        return tuple(sorted({process for process, _ in self.places}))

    @property
    def courses(self) -> tuple[Course, ...]:
        """The busy time per entry over the course of each run."""
        return tuple(Course(run.source, way.begin, way.end, way.seconds) for run, way in self.ways)

    @property
    def first(self) -> Way:
        """The times and amounts per part in the first run."""
        return self.ways[0][1]


def pace_of(runs: Sequence[Run], path: int) -> Pace | None:
    """Return a region's entries in all runs that contain it, divided into at most 100 parts; None if there are too few.

    Args:
        runs: The runs; times in results are those of the first run.
        path: Call path of the region in the first run.
    """
    return divided(runs, path, _PARTS, each=_EACH)


def divided(runs: Sequence[Run], path: int, most: int, *, each: int) -> Pace | None:
    """Return a region's entries, divided into at most ``most`` parts.

    Each part has at least ``each`` entries and ``each`` samples. The result is None if there are too few entries or
    samples.
    """
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
    """Yield the changes of the pace, on all ranks or on some, strongest first.

    A change that occurs in several runs is accepted. In a single run, the load of the machine may cause a change, so
    the change is accepted only if counts of events change with it. If nothing was counted, a large change is accepted;
    it is uncertain if ranks begin to wait for cores at the same time.
    """
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
        if (
            abs(np.log(shape.factor)) < np.log1p(LEAST)
            or abs(shape.height) < least
            or shape.strength < STRONG
            or agreeing < len(shown) / 2
        ):
            return
        change = _anomaly(pace, shape, members, int(agreeing))
        if agreeing > 1 or _is_counted(change):
            least = abs(shape.height) * _NEXT
            yield change
        elif abs(np.log(shape.factor)) >= np.log1p(ALONE) and not any(_WORK in each.inside for _, each in pace.ways):
            uncertain = _is_of_load(pace, shape, members)
            least = least if uncertain else abs(shape.height) * _NEXT
            yield replace(change, uncertain=uncertain)
        for every in (left, *runs):
            for member in members:
                every[member] -= contrast(every[member], shape.profile) * shape.profile


def _strongest(left: Values) -> tuple[Shape, list[int]] | None:
    """Return the strongest shape of a single location or of all locations together, and the locations that show it."""
    shapes = [best_shape(each) for each in (np.median(left, axis=0), *left)]
    known = [each for each in shapes if each is not None]
    if not known:
        return None
    best = max(known, key=lambda each: min(each.strength, 2 * STRONG) * abs(each.height))
    heights = np.array([contrast(each, best.profile) for each in left]) * np.sign(best.height)
    members = np.flatnonzero(heights >= abs(best.height) / 2).tolist()
    return (best, members) if members else None


def _is_counted(change: Anomaly) -> bool:
    """Return whether counts change with the region, which shows that the machine did not cause the change."""
    return any(each.metric in _FROM_PROGRAM and each.sign == "+" for each in change.goes_with)


def _is_of_load(pace: Pace, shape: Shape, members: Sequence[int]) -> bool:
    """Return whether, when entries take longer, waiting for cores increases by at least the same factor.

    Other load on the machine makes ranks wait for cores and also slows them down. But an entry that becomes longer than
    the system's time slice also waits longer per busy second, so a single run cannot show which of the two happened.
    """
    columns = dict(zip(pace.first.metrics, pace.first.amounts[members].mean(axis=0).T, strict=True))
    if not {"wall_time", "cpu_time"} <= columns.keys():
        return False
    elapsed, busy = columns["wall_time"], columns["cpu_time"]
    for name in _CALLS:
        elapsed, busy = elapsed - columns.get(f"{name}_time", 0.0), busy - columns.get(f"{name}_cpu_time", 0.0)
    if min(elapsed.min(), busy.min()) <= 0:
        return False
    stretched, profile = np.log(elapsed / busy), np.sign(shape.height) * shape.profile
    is_as_much = contrast(stretched, profile) >= abs(np.log(shape.factor))
    return bool(is_as_much and signed_pearson(profile, stretched) >= ALIKE)


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
    """Return the first part of a change and the part after its last.

    If counts show the same change more clearly than times, the position is taken from the counts, because a busy
    machine does not disturb them.
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
    """Return whether two shapes have the same kind and overlap in more than half of their combined time."""
    both = min(one.last, other.last) - max(one.first, other.first)
    return one.kind == other.kind and both > (max(one.last, other.last) - min(one.first, other.first)) / 2
