"""Describe the difference between two experiments: how much the program changed, where, and on which ranks."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..analyze.comparison import BUSY_TIME, PATH_TIME, Change, Changes
from ..experiment import Experiment
from .callers import called
from .place import Place, source_among, visible
from .units import amount, ranks, spread
from .verdict import Entry, Highlight

__all__ = ["gain_entries", "labels_of", "name_of", "total_gains"]

_LATER: Final = "analyze the later run"
_CAUSES: Final = {  # metric → the words for a decrease, for an increase, and for the metric
    "io_time": ("less", "more", "time in file I/O"),
    "instructions": ("fewer", "more", "instructions"),
    "l2_misses": ("fewer", "more", "L2 misses"),
    "io_bytes": ("less", "more", "file I/O"),
    "mpi_bytes": ("less", "more", "data in MPI"),
}
_NAMED: Final = 3  # maximum number of ranks whose changes are shown separately
_NAMES: Final = {PATH_TIME: "critical path", BUSY_TIME: "busy time", "wall_time": "wall time"}


def total_gains(experiment: Experiment) -> list[str]:
    """Return sentences about the changes in the critical path or the busy time, and in the wall time."""
    changes = Changes.of(experiment)
    if changes is None:
        return []
    said = []
    for metric in changes.totals:
        sentence = _sentence(changes, metric, changes.totals[metric])
        of_ranks = _of_ranks(experiment, changes, changes.program) if metric == changes.of_ranks else ""
        said.append("; ".join(filter(None, [sentence, of_ranks])))
    for metric, lacked in changes.unknown.items():
        said.append(f"{name_of(metric)}: change unknown, because only one of the experiments has {', '.join(lacked)}")
    return said


def gain_entries(experiment: Experiment) -> list[Entry]:
    """Return entries for the call paths that changed most on the critical path or, if it is unknown, on any rank."""
    changes = Changes.of(experiment)
    return [_entry(experiment, changes, each) for each in changes.paths] if changes else []


def _entry(experiment: Experiment, changes: Changes, change: Change) -> Entry:
    assert change.path is not None
    place = Place.of_path(experiment.call_paths, change.path)
    of_ranks = "" if change.is_of_path_alone else _of_ranks(experiment, changes, change)
    named = f"{name_of(changes.of_ranks)} of " * (changes.of_ranks != changes.metric)
    is_busy = changes.of_ranks == BUSY_TIME and bool(of_ranks or changes.metric == BUSY_TIME)
    in_files = next(iter(change.causes), "") in ("io_time", "io_bytes") and "io_time" in experiment
    shown = Highlight("cpu_time" if is_busy else changes.metric, is_busy, path=change.path)
    return Entry(
        change.kind.upper(),
        source_among(experiment, place) if place.file else "",
        place.title,
        called(experiment.call_paths, [change.path]),
        saving=_sentence(changes, changes.metric, change.amount),
        lines=[*([f"{named}{of_ranks}"] if of_ranks else []), _why(experiment, changes, change), _fix(change)],
        highlight=Highlight("io_time", path=change.path) if in_files else shown,
    )


def _why(experiment: Experiment, changes: Changes, change: Change) -> str:
    """Return the line that explains why a call path's time changed."""
    if change.is_of_path_alone:
        less = "less" if change.amount > 0 else "more"
        most = amount(float(np.abs(change.by_location).max(initial=0.0)), changes.unit)
        whose = "each thread's" if any(place.thread for place in experiment.locations) else "each rank's"
        return f"why: {less} of this work is on the critical path; {whose} busy time changed by at most {most}"
    if change.is_moved and changes.of_ranks == BUSY_TIME:
        labels = labels_of(experiment)
        sides = ([labels[each] for each in side] for side in change.sides)
        return f"why: work moved from {' to '.join(map(ranks, sides))}"
    if change.causes:
        said = []
        for name, value in change.causes.items():
            less, more, what = _CAUSES[name]
            said.append(f"{amount(abs(value), experiment.metric(name).unit)} {less if value > 0 else more} {what}")
        return f"why: {', '.join(said)} in total"
    if change.is_contrary:
        return f"why: unknown: {name_of(changes.of_ranks)} changed in the opposite direction"
    return f"why: unknown{_why_unknown(changes)}"


def _why_unknown(changes: Changes) -> str:
    """Return why a cause is unknown, as the end of a line."""
    if not changes.is_counted:
        return ", because instructions were not counted in both runs"
    if not changes.is_priced:
        return ", because the runs do not have the same calibration (autoanalyzer calibrate)"
    return ": no count changed enough"


def _fix(change: Change) -> str:
    """Return the line with the next step after a change."""
    if change.kind == "gain":
        return f"no fix is needed here; to see what is slow now, {_LATER}"
    return f"no fix is known, because this file has only differences; to find one, {_LATER}"


def labels_of(experiment: Experiment) -> list[int | str]:
    """Return the name of each location: the rank or, if there are several threads, ``rank.thread``."""
    threads = any(place.thread for place in experiment.locations)
    return [f"{place.process}.{place.thread}" if threads else place.process for place in experiment.locations]


def name_of(metric: str) -> str:
    """Return the name of a metric in texts about changes."""
    return _NAMES.get(metric, visible(metric))


def _sentence(changes: Changes, metric: str, change: float) -> str:
    """Return a sentence about the change in a metric, summed over the ranks."""
    whole = "" if metric == PATH_TIME else " in total"
    is_same = Change(change, np.zeros(0)).kind == "change"
    said = f"unchanged{whole}" if is_same else f"{_amount(changes, change)}{whole} than before"
    return f"{name_of(metric)}: {said}"


def _amount(changes: Changes, change: float) -> str:
    return f"{amount(abs(change), changes.unit)} {'less' if change > 0 else 'more'}"


def _of_ranks(experiment: Experiment, changes: Changes, change: Change) -> str:
    """Return a phrase with the ranks that changed most; empty if there is only one location."""
    most = change.locations
    if not most:
        return ""
    labels, values = labels_of(experiment), change.by_location
    if change.is_one_way and (len(most) > _NAMED or change.is_alike):
        sizes = np.abs(values[most])
        each = spread(float(sizes.min()), float(sizes.max()), lambda value: amount(value, changes.unit))
        return f"{ranks([labels[each] for each in most])}: {each} {'less' if values[most[0]] > 0 else 'more'} each"
    first = sorted(most, key=lambda each: -abs(float(values[each])))[:_NAMED]
    more = f", and {len(most) - _NAMED} more" if len(most) > _NAMED else ""
    return ", ".join(f"{ranks([labels[each]])}: {_amount(changes, float(values[each]))}" for each in first) + more
