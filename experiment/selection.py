"""A part of an experiment."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from ..errors import InputError, way_out
from .experiment import Experiment
from .metric import Metric
from .notes import Notes
from .severities import LazySeverities, Severity

__all__ = ["select"]


def select(
    experiment: Experiment,
    *,
    subtree: str | int | None = None,
    processes: Collection[int] | None = None,
    metrics: Sequence[str] | None = None,
) -> Experiment:
    """Cut an experiment down; it is read when a metric is asked for.

    Args:
        experiment: Any.
        subtree: A call path by its index, by its ``path_name``, or by its region's name, then wherever that is
            entered first; the one procedure of a module that is called so, too. What is selected becomes a root.
        processes: Ranks.
        metrics: Names. One whose parent is left out goes to the nearest metric that includes it.

    Raises:
        InputError: There is nothing of the kind, or nothing is asked for.
    """
    if isinstance(metrics, str):
        raise InputError(f"a list of metrics wanted, found one name; write [{metrics!r}]")
    for what, chosen in (("rank", processes), ("metric", metrics)):
        if chosen is not None and not len(chosen):
            raise InputError(f"one {what} at least to be selected wanted, found none")
    paths = range(len(experiment.call_paths)) if subtree is None else _subtree(experiment, subtree)
    columns = _columns(experiment, processes)
    kept = list(experiment.metrics) if metrics is None else _metrics(experiment, metrics)
    place = {path: index for index, path in enumerate(paths)}
    call_paths = [
        replace(each, parent=None if each.parent is None else place.get(each.parent))
        for each in (experiment.call_paths[path] for path in paths)
    ]
    locations = [experiment.locations[column] for column in columns]
    there = {(each.process, each.thread) for each in locations}
    rows, cut = np.array(paths, dtype=np.intp), np.array(columns, dtype=np.intp)

    def read(name: str) -> Severity:
        return experiment.exclusive(name)[np.ix_(rows, cut)]

    return Experiment(
        metrics=kept,
        call_paths=call_paths,
        locations=locations,
        severities=LazySeverities((each.name for each in kept), read),
        notes=_notes(experiment.notes, subtree, processes, metrics),
        topologies=[
            replace(each, coordinates={key: at for key, at in each.coordinates.items() if key in there})
            for each in experiment.topologies
        ],
    )


def _subtree(experiment: Experiment, wanted: str | int) -> list[int]:
    if isinstance(wanted, int):
        if not 0 <= wanted < len(experiment.call_paths):
            raise InputError(f"a call path from 0 to {len(experiment.call_paths) - 1} wanted, found {wanted}")
        return sorted(experiment.walk(wanted))
    names = [path.region.name for path in experiment.call_paths]
    found = [path for path, name in enumerate(names) if name == wanted]
    if wanted and not found:
        found = [path for path in range(len(names)) if experiment.path_name(path) == wanted]
    if not found and len({name for name in names if _within(name, wanted)}) == 1:
        found = [path for path, name in enumerate(names) if _within(name, wanted)]
    if not found:
        raise InputError(f"no region or call path {wanted!r}; {way_out(wanted, names)}")
    kept: set[int] = set()
    for path in found:
        if path not in kept:
            kept.update(experiment.walk(path))
    return sorted(kept)


def _within(name: str, wanted: str) -> bool:
    """Tell whether a name is that of a procedure in a module or class, without which it is called."""
    return name.lower().endswith(f"::{wanted}".lower())


def _columns(experiment: Experiment, processes: Collection[int] | None) -> list[int]:
    if processes is None:
        return list(range(len(experiment.locations)))
    there = {each.process for each in experiment.locations}
    if strangers := set(processes) - there:
        raise InputError(f"no rank {min(strangers)}; there are {min(there)} to {max(there)}")
    return [column for column, each in enumerate(experiment.locations) if each.process in processes]


def _metrics(experiment: Experiment, names: Sequence[str]) -> list[Metric]:
    wanted = {experiment.metric(name).name for name in names}
    kept = []
    for metric in experiment.metrics:
        if metric.name in wanted:
            parent = metric.parent
            while parent is not None and parent not in wanted:
                parent = experiment.metric(parent).parent
            kept.append(replace(metric, parent=parent))
    return kept


def _notes(
    notes: Notes, subtree: str | int | None, processes: Collection[int] | None, metrics: Sequence[str] | None
) -> Notes:
    words = {
        "subtree": subtree,
        "processes": None if processes is None else ",".join(map(str, sorted(processes)[:20])),
        "metrics": None if metrics is None else ",".join(metrics),
    }
    step = f"select({', '.join(f'{key}={word}' for key, word in words.items() if word is not None)})"
    notes = replace(notes, history=(*notes.history, step))
    if processes is None:
        return notes
    return replace(
        notes,
        expected_processes=None if notes.expected_processes is None else len(set(processes)),
        missing=tuple(rank for rank in notes.missing if rank in processes),
        unfinished=tuple(rank for rank in notes.unfinished if rank in processes),
    )
