"""Write a difference of two experiments as entries: by how much the program changed, where, and on which ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from ..experiment import Experiment
from ..experiment.aggregate import added_parts
from ..experiment.severities import Rows
from .browser import Sums
from .place import at_line, visible
from .units import amount, ranks, spread
from .verdict import Entry, Highlight

__all__ = ["gain_entries", "is_difference", "total_gains"]

_MOST: Final = 5  # maximum number of entries
_SMALL: Final = 0.01  # changes below this share of the largest change are left out
_NAMED: Final = 3  # maximum number of ranks with their own changes
_LEAST: Final = 0.05  # a rank is named if it changed at least by this share of the largest change
_ALIKE: Final = 0.9  # ranks whose changes differ by less are named together
_NOTHING: Final = 5e-10  # smaller changes, in seconds, are rounding errors
_PATH: Final = "path_time"
_BUSY: Final = "cpu_time"
_NAMES: Final = {_PATH: "critical path", _BUSY: "CPU time outside MPI"}

_Values = npt.NDArray[np.float64]


def is_difference(experiment: Experiment) -> bool:
    """Return whether an experiment is a difference of two others."""
    return experiment.notes.derived_by[-1:] == ("difference",)


def total_gains(experiment: Experiment) -> list[str]:
    """Return sentences on the change of the critical path or the busy time, and of the wall time."""
    main = _main(experiment)
    if main is None:
        return []
    metric = _BUSY if main == _PATH and _BUSY in experiment else main
    of_ranks = sum(values.sum(axis=0) for _, values in _changes(experiment, metric))
    path = [_sentence(_PATH, _total(experiment, _PATH))] if main == _PATH else []
    of_all = _sentence(metric, float(np.sum(of_ranks)))
    said = [*path, "; ".join(filter(None, [of_all, _of_ranks(experiment, np.asarray(of_ranks))]))]
    wall = next(each.name for each in experiment.metrics if each.unit == "sec" and each.parent is None)
    if wall not in (main, metric):
        said.append(_sentence(wall, _total(experiment, wall)))
    return said


def gain_entries(experiment: Experiment) -> list[Entry]:
    """Return entries for the call paths with the largest changes: on the critical path, or if unknown, on any rank."""
    main = _main(experiment)
    if main is None:
        return []
    sizes, sums = np.zeros(len(experiment.call_paths)), np.zeros(len(experiment.call_paths))
    for rows, values in _changes(experiment, main):
        sums[rows] = values.sum(axis=1)
        sizes[rows] = np.abs(sums[rows]) if main == _PATH else np.abs(values).max(axis=1, initial=0.0)
    found = []
    for path in np.argsort(-sizes, kind="stable")[:_MOST].tolist():
        if not sizes[path] or sizes[path] < _SMALL * sizes.max():
            break
        change, region = float(sums[path]), experiment.call_paths[path].region
        place = at_line(region.file, region.first_line) if region.file else ""
        metric = _BUSY if main == _PATH and _BUSY in experiment else main
        of_ranks = _of_ranks(experiment, next(_changes(experiment, metric, path))[1][0])
        named = f"{_name(metric)}: " * (metric != main)
        kind = "CHANGE" if abs(change) < _NOTHING else "GAIN" if change > 0 else "LOSS"
        lines = [f"{named}{of_ranks}"] if of_ranks else []
        highlight = Highlight(main, main == _BUSY, path=path)
        found.append(Entry(kind, place, region.name, saving=_sentence(main, change), lines=lines, highlight=highlight))
    return found


def _main(experiment: Experiment) -> str | None:
    """Return the metric by which changes are listed; None if the experiment has no time.

    Waiting is left out if possible, because ranks may wait less in one place and more in another.
    """
    for name in _NAMES:
        if name in experiment and np.any(Sums(experiment).by_path(name).amounts):
            return name
    return next((each.name for each in experiment.metrics if each.unit == "sec" and each.parent is None), None)


def _total(experiment: Experiment, metric: str) -> float:
    return float(Sums(experiment).total(metric).value(0).amount or 0.0)


def _changes(experiment: Experiment, metric: str, path: int | None = None) -> Iterator[tuple[Rows, _Values]]:
    """Yield call paths and their changes, ``float64[call path, location]``; CPU time without child metrics.

    Args:
        experiment: The difference.
        metric: The metric.
        path: Index of the only call path to yield; None for all, in blocks.
    """
    parts = added_parts(experiment, metric) if metric == _BUSY else ()
    blocks = (
        experiment.blocks(metric) if path is None else [(np.array([path]), experiment.rows(metric, np.array([path])))]
    )
    for rows, values in blocks:
        yield rows, np.nan_to_num(values - sum(np.nan_to_num(experiment.rows(each, rows)) for each in parts))


def _name(metric: str) -> str:
    return _NAMES.get(metric, visible(metric))


def _sentence(metric: str, change: float) -> str:
    """Return a sentence on the change of a metric, summed over the ranks."""
    whole = "" if metric == _PATH else " in total"
    said = f"unchanged{whole}" if abs(change) < _NOTHING else f"{_amount(change)}{whole} than before"
    return f"{_name(metric)}: {said}"


def _amount(change: float) -> str:
    return f"{amount(abs(change), 'sec')} {'less' if change > 0 else 'more'}"


def _of_ranks(experiment: Experiment, values: _Values) -> str:
    """Return a phrase on the ranks that changed most, ``float64[location]``; empty if there is only one location."""
    largest = float(np.abs(values).max(initial=0.0))
    changed = np.flatnonzero(np.abs(values) >= _LEAST * largest).tolist() if largest else []
    if not changed or len(values) < 2:
        return ""
    threads = any(place.thread for place in experiment.locations)
    labels: list[int | str] = [
        f"{place.process}.{place.thread}" if threads else place.process for place in experiment.locations
    ]
    sizes = np.abs(values[changed])
    are_many = len(changed) > _NAMED or (len(changed) > 1 and sizes.min() >= _ALIKE * sizes.max())
    if are_many and (np.all(values[changed] > 0) or np.all(values[changed] < 0)):
        said = f"{ranks([labels[each] for each in changed])}: {spread(float(sizes.min()), float(sizes.max()))}"
        return f"{said} {'less' if values[changed[0]] > 0 else 'more'} each"
    first = sorted(changed, key=lambda each: -abs(float(values[each])))[:_NAMED]
    more = f", and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
    return ", ".join(f"{ranks([labels[each]])} {_amount(float(values[each]))}" for each in first) + more
