"""Compute the data of a trace for a page: each metric's distribution over the locations, and main call paths."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ...experiment import CallPath, Experiment, Metric, Region
from ...experiment.trace import Trace, load_trace, means
from ..place import at_line, visible
from ..units import ranks
from .packing import Packed, packed
from .steps import Means, Steps, steps_of
from .time_marks import Entries, TimeMarks
from .time_rates import TimeRates

if TYPE_CHECKING:
    from scipy import sparse

__all__ = ["Recording", "TimeLines", "time_lines_of"]

_STEPS: Final = 800  # maximum number of time steps, as many as a window can show; a metric then takes about 8 kB
_FINEST: Final = 8  # maximum number of parts per step; each has its own main call path, so that zooming in shows more
_ROWS: Final = 32  # maximum number of rows, each for one location or for a range of locations
_FIRST: Final = 4  # number of initial charts
_SPOKEN_OF: Final = 2  # maximum number of initial charts that are chosen because findings name their metrics
_AROUND: Final = "mpi_start_end_time"  # time of MPI startup and shutdown, which does not count as variation
_STILL: Final = 0.02  # minimum variation for which a metric is shown initially
_SPIKES: Final = 2  # percentage of values, at either end, that do not count as variation
_ALIKE: Final = 0.9  # if two metrics have a higher correlation, only one of them is shown initially
_NONE: Final = -1  # index that means "no call path"

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Recording:
    """A trace for a page.

    Attributes:
        path: The trace's file.
        name: Name of the trace in commands: the file, or the folder of the run.
        title: Name of the trace for readers.
        marks: Marks to draw on the time lines.
        is_of_profile: Whether the profile that the page shows is of the same run.
    """

    path: Path
    name: str
    title: str
    marks: TimeMarks = field(default_factory=TimeMarks)
    is_of_profile: bool = False


@dataclass(frozen=True)
class TimeLines:
    """A trace's data for a page.

    Attributes:
        head: JSON data: names, steps, marks, and keys of ``numbers``.
        numbers: Key → packed numbers, which the page decodes when it needs them.
        regions: ``float64[row, part]``: the main call path of each row in each part of a step, as an index into the
            paths of ``head``; -1 for short call paths, NaN if there is none.
    """

    head: Mapping[str, Any]
    numbers: Mapping[str, Packed]
    regions: Values


def time_lines_of(
    recording: Recording, experiment: Experiment, *, key: str, spoken_of: Sequence[str] = ()
) -> TimeLines | None:
    """Return the data of a trace for a page; each time line is read twice, and only one is in memory at a time.

    Args:
        recording: The trace.
        experiment: The profile of the run, whose trees contain the trace's call paths.
        key: Prefix for the keys of numbers.
        spoken_of: Metrics that findings name, most important first.

    Returns:
        The data; None if nothing was recorded.

    Raises:
        InputError: The trace cannot be read.
    """
    trace = load_trace(recording.path)
    steps = steps_of(trace, _STEPS)
    if steps is None:
        return None
    rates = TimeRates.of(trace, experiment)
    fine = min(_FINEST, -(-max(trace.counts) // len(steps)))
    of_all, rows = _read(trace, steps, rates, fine)
    computed = [
        (len(trace.metrics) + number, metric)
        for number, metric in enumerate(rates.metrics)
        if np.nan_to_num(of_all.most[:, len(trace.metrics) + number]).any()
    ]
    shown = [column for column in range(len(trace.metrics)) if np.nan_to_num(of_all.most[:, column]).any()]
    met = [*dict.fromkeys(int(path) for row in rows.values() for path in row if path > 0)]
    numbers = {f"{key} {trace.metrics[each].name}": packed(_column(of_all, each), exact=False) for each in shown}
    numbers |= {f"{key} {metric.name}": packed(_column(of_all, column), exact=False) for column, metric in computed}
    entries = recording.marks.entries
    numbers |= {f"{key} {visible(each.name)}": packed(_of_entries(each, steps), exact=False) for each in entries}
    regions = _by_place(rows, met)
    numbers[f"{key} regions"] = packed(regions, exact=True)
    head = {
        "key": key,
        "title": visible(recording.title),
        "word": shlex.quote(visible(recording.name)),
        "edges": [float(steps.edges[0]), float(steps.edges[-1])],
        "steps": len(steps),
        "fine": fine,
        "interval": trace.facts.get("interval"),
        "locations": len(trace.locations),
        "noun": "thread" if _threaded(trace) else "rank",
        "metrics": [
            *[_metric(trace.metrics[each]) for each in shown],
            *map(_entries, entries),
            *[{**_metric(metric), "word": None} for _, metric in computed],
        ],
        "nothing": [visible(each.name) for number, each in enumerate(trace.metrics) if number not in shown],
        "first": [
            *range(len(shown), len(shown) + len(entries)),
            *_first([trace.metrics[each] for each in shown], of_all.mean[:, shown], recording.marks.metrics, spoken_of),
        ],
        "rows": [*rows],
        "members": _members(trace, len(rows), experiment),
        "isOfProfile": recording.is_of_profile,
        "paths": _paths(trace.call_paths, [each - 1 for each in met], experiment),
        "marks": recording.marks.written(),
    }
    return TimeLines(head, numbers, regions)


def _read(trace: Trace, steps: Steps, rates: TimeRates, fine: int) -> tuple[Means, dict[str, npt.NDArray[np.intp]]]:
    """Return the distribution of metrics in each step, and the main call paths.

    Args:
        trace: The trace.
        steps: The time steps.
        rates: The derived metrics.
        fine: Number of parts of a step, each of which has its own main call path.

    Returns:
        The distribution, and a mapping from the name of each row to ``intp[part]``, the columns of its main call
        paths. A row is for all locations, or for a range of them.
    """
    count = len(trace.locations)
    ranges = _ranges(count)
    lines = steps.means(trace, trace.lines(), rates.beside, steps.finer(fine))
    rows: dict[str, npt.NDArray[np.intp]] = {}
    everything: sparse.csr_array | None = None
    for low, high in pairwise(ranges.tolist()):
        within: sparse.csr_array | None = None
        for _ in range(low, high):
            found, parts = next(lines)
            within = parts if within is None else within + parts
        everything = within if everything is None else everything + within
        rows[_names(trace, range(low, high))] = _most(within)
    of_all = {f"all {count} {'threads' if _threaded(trace) else 'ranks'}": _most(everything)}
    return found, of_all | rows if count > 1 else rows


def _ranges(locations: int) -> npt.NDArray[np.intp]:
    """Return the index of the first location in each row's range, followed by the number of locations."""
    return np.linspace(0, locations, min(_ROWS, locations) + 1).astype(np.intp)


def _members(trace: Trace, rows: int, experiment: Experiment) -> list[list[int]]:
    """Return, for each row, the indices of its locations in the profile; empty for the row of all locations."""
    places = {(each.process, each.thread): number for number, each in enumerate(experiment.locations)}
    found = [places.get((each.process, each.thread)) for each in trace.locations]
    of_each = [[each for each in found[low:high] if each is not None] for low, high in pairwise(_ranges(len(found)))]
    return of_each if rows == len(of_each) else [[], *of_each]


def _most(seconds: sparse.csr_array) -> npt.NDArray[np.intp]:
    """Return, for each step, the column with the largest value; -1 if all values are 0.

    Args:
        seconds: ``float64[step, call path + 1]``.
    """
    return np.where(seconds.max(axis=1).toarray().ravel() > 0, np.asarray(seconds.argmax(axis=1)).ravel(), _NONE)


def _by_place(rows: Mapping[str, npt.NDArray[np.intp]], met: Sequence[int]) -> Values:
    """Return ``float64[row, part]``: main call paths as indices into ``met``; -1 for short call paths, NaN if none.

    Args:
        rows: Name of a row → columns of its main call paths.
        met: Columns of all main call paths.
    """
    places = {column: float(place) for place, column in enumerate(met)} | {0: -1.0, _NONE: np.nan}
    return np.array([[places[column] for column in row.tolist()] for row in rows.values()])


def _column(means: Means, column: int) -> Values:
    return np.array([each[:, column] for each in (means.least, means.mean, means.most)])


def _names(trace: Trace, locations: Iterable[int]) -> str:
    places = [trace.locations[each] for each in locations]
    return ranks([f"{each.process}.{each.thread}" if _threaded(trace) else each.process for each in places], 2)


def _threaded(trace: Trace) -> bool:
    return any(place.thread for place in trace.locations)


def _metric(metric: Metric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "unit": f"{metric.unit}/sec" if metric.additive else metric.unit,
        "about": visible(metric.description),
        "word": shlex.quote(visible(metric.name)),
    }


def _entries(entries: Entries) -> dict[str, Any]:
    """Return JSON data with which the page shows the times of a region's entries like a metric.

    The key ``word``, the metric's name in commands, is null, because commands do not accept these times.
    """
    return {"name": visible(entries.name), "unit": "sec", "about": visible(entries.about), "word": None}


def _of_entries(entries: Entries, steps: Steps) -> Values:
    """Return ``float64[3, step]``: the shortest, mean and longest time per entry over the locations."""
    lines = zip(entries.begin, entries.end, entries.seconds, strict=True)
    edges = steps.edges
    each = np.array([means(begin, end, took[:, None], edges[:-1], edges[1:])[:, 0] for begin, end, took in lines])
    known = ~np.isnan(each)
    mean = np.divide(
        np.nansum(each, axis=0), known.sum(axis=0), out=np.full(len(steps), np.nan), where=known.any(axis=0)
    )
    return np.array([np.fmin.reduce(each), mean, np.fmax.reduce(each)])


def _first(metrics: Sequence[Metric], mean: Values, marked: Sequence[str], spoken_of: Sequence[str]) -> list[int]:
    """Return the indices of the metrics to show at the start.

    Metrics of marks and findings are chosen first, then a time, then the metrics that vary most. Metrics that resemble
    a chosen metric are skipped. The variation of times is in seconds per second; the variation of other metrics is
    relative to their maximum.

    Args:
        metrics: The metrics.
        mean: ``float64[step, metric]``: the mean over the locations.
        marked: Names of the metrics to which marks belong.
        spoken_of: Names of the metrics that findings name, most important first.
    """
    names, lineages = [metric.name for metric in metrics], _lineages(metrics)
    times = np.array([metric.unit == "sec" for metric in metrics])
    known = _between(names, np.nan_to_num(mean))
    most = np.where(times, 1.0, known.max(axis=0))
    low, high = np.percentile(known, (_SPIKES, 100 - _SPIKES), axis=0)
    varies = np.divide(high - low, most, out=np.zeros(len(metrics)), where=most > 0)
    alike = _correlations(known)
    moving = [place for place in np.argsort(-varies, kind="stable").tolist() if varies[place] >= _STILL]
    about = [names.index(each) for each in dict.fromkeys(marked) if each in names]
    named = [names.index(each) for each in dict.fromkeys(spoken_of) if each in names]
    chosen = [*dict.fromkeys([*about, *[place for place in named if place in moving][:_SPOKEN_OF]])]
    for place in [*[each for each in moving if times[each]][:1], *moving]:
        above, name = lineages[place], names[place]
        if len(chosen) < _FIRST and not any(
            alike[place, each] > _ALIKE or names[each] in above or name in lineages[each] for each in chosen
        ):
            chosen.append(place)
    return chosen or list(range(len(metrics)))[:_FIRST]


def _correlations(known: Values) -> Values:
    """Return ``float64[column, column]``: the absolute correlations of columns; 0 for constant columns."""
    centred = known - known.mean(axis=0)
    length = np.linalg.norm(centred, axis=0)
    scaled = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    return np.asarray(np.abs(scaled.T @ scaled))


def _lineages(metrics: Sequence[Metric]) -> list[frozenset[str]]:
    """Return, for each metric, the set of its own name and the names of its ancestors."""
    found: dict[str, frozenset[str]] = {}
    for metric in metrics:
        found[metric.name] = found.get(metric.parent or "", frozenset()) | {metric.name}
    return [*found.values()]


def _between(names: Sequence[str], mean: Values) -> Values:
    """Return the rows of ``mean`` without the steps in which MPI starts and ends; all rows if fewer than two remain."""
    inside = mean[:, names.index(_AROUND)] < 1 / 2 if _AROUND in names else np.ones(len(mean), dtype=bool)
    return mean[inside] if inside.sum() > 1 else mean


def _paths(paths: Sequence[CallPath], wanted: Sequence[int], experiment: Experiment) -> list[dict[str, Any]]:
    """Return names and places of call paths, and their nodes in the trees, as JSON data.

    Args:
        paths: The call paths of the trace.
        wanted: Indices of the call paths to return.
        experiment: The profile of the run.
    """
    there = {chain: number for number, chain in enumerate(_chains(experiment.call_paths))}
    chains = _chains(paths)
    return [
        {
            "name": visible(paths[each].region.name),
            "kind": paths[each].region.kind,
            "place": at_line(region.file, region.first_line) if (region := paths[each].region).file else "",
            "chain": [visible(part.name) for part in chains[each]],
            "node": there.get(chains[each]),
        }
        for each in wanted
    ]


def _chains(paths: Sequence[CallPath]) -> list[tuple[Region, ...]]:
    """Return, for each call path, the regions from its root to itself."""
    found: list[tuple[Region, ...]] = []
    for path in paths:
        found.append((*(found[path.parent] if path.parent is not None else ()), path.region))
    return found
