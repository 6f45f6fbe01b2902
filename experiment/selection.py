"""Select a part of an experiment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from ..errors import InputError, UsageError, way_out
from .experiment import Experiment
from .metric import Metric
from .notes import Notes
from .severities import LazySeverities, Severity

__all__ = ["check_ranks", "named_paths", "paths_named", "select"]


def select(
    experiment: Experiment,
    *,
    subtree: str | int | None = None,
    processes: Collection[int] | None = None,
    metrics: Sequence[str] | None = None,
) -> Experiment:
    """Return a part of an experiment; values are read when a metric is used.

    Args:
        experiment: The experiment.
        subtree: The index of a call path, or a name for ``paths_named``, which selects each outermost call path with
            this name. Selected call paths become roots and keep their descendants.
        processes: The ranks to keep; None for all.
        metrics: Names of the metrics to keep; None for all. If a metric's parent is left out, the metric moves below
            its nearest ancestor that is kept.

    Raises:
        InputError: A name has no match, or nothing is selected.
    """
    if isinstance(metrics, str):
        raise InputError(f"expected a list of metrics, found one name; write [{metrics!r}]")
    for what, chosen in (("rank", processes), ("metric", metrics)):
        if chosen is not None and not len(chosen):
            raise InputError(f"expected at least one {what} to select, found none")
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
        notes=replace(
            _notes(experiment.notes, subtree, processes, metrics),
            left_out=_left_out(experiment, {each.name for each in kept}),
        ),
        topologies=[
            replace(each, coordinates={key: at for key, at in each.coordinates.items() if key in there})
            for each in experiment.topologies
        ],
    )


def _subtree(experiment: Experiment, wanted: str | int) -> list[int]:
    if isinstance(wanted, int):
        if not 0 <= wanted < len(experiment.call_paths):
            raise InputError(f"expected a call path number from 0 to {len(experiment.call_paths) - 1}, found {wanted}")
        return sorted(experiment.walk(wanted))
    found = paths_named(experiment, wanted)
    if not found:
        names = (path.region.name for path in experiment.call_paths)
        raise InputError(f"no region or call path {wanted!r}; {way_out(wanted, names)}")
    kept: set[int] = set()
    for path in found:
        if path not in kept:
            kept.update(experiment.walk(path))
    return sorted(kept)


def paths_named(experiment: Experiment, name: str) -> list[int]:
    """Return the indices of the call paths that match a name; an empty list if there are none.

    The name may be the name of a region or a call path, ``FILE:LINE``, or the end of one region's qualified name. In
    Fortran, case is ignored, and a module's procedure may be named without the module.

    Raises:
        InputError: ``FILE:LINE`` matches several files.
    """
    regions = [path.region for path in experiment.call_paths]
    exact = [index for index, each in enumerate(regions) if name in (each.name, experiment.path_name(index))]
    if exact or not name:
        return exact if name else []
    placed = [index for index, each in enumerate(regions) if each.is_at(name)]
    files = {regions[index].file for index in placed}
    exact = [index for index in placed if name.startswith(f"{regions[index].file}:")]
    if len(files) > 1 and not exact:
        raise InputError(f"{name} is in {' and in '.join(sorted(files))}; add the folder to the name")
    if placed:
        return exact or placed
    meant = [index for index, each in enumerate(regions) if f"::{each.name}".lower().endswith(f"::{name}".lower())]
    return meant if len({regions[index].name for index in meant}) == 1 else []


def named_paths(experiment: Experiment, name: str) -> list[int]:
    """Return the indices of the call paths that match a user's name for a region; see ``paths_named``.

    Raises:
        UsageError: There is no such region.
        InputError: ``FILE:LINE`` matches several files.
    """
    if found := paths_named(experiment, name):
        return found
    raise UsageError(
        f"no region {name or repr(name)}; {way_out(name, (each.region.name for each in experiment.call_paths))}"
    )


def _columns(experiment: Experiment, processes: Collection[int] | None) -> list[int]:
    if processes is None:
        return list(range(len(experiment.locations)))
    check_ranks(processes, {each.process for each in experiment.locations}, experiment.notes.missing)
    return [column for column, each in enumerate(experiment.locations) if each.process in processes]


def check_ranks(ranks: Iterable[int], there: Collection[int], missing: Collection[int] = ()) -> None:
    """Check that ranks exist.

    Raises:
        InputError: A rank does not exist.
    """
    for rank in ranks:
        if rank in missing:
            raise InputError(f"rank {rank} is missing: no data came back from this rank")
        if rank not in there:
            known = f"; there are ranks {min(there)} to {max(there)}" if there else ""
            raise InputError(f"no rank {rank}{known}")


def _metrics(experiment: Experiment, names: Sequence[str]) -> list[Metric]:
    wanted = {experiment.metric(name).name for name in names}
    return [
        replace(metric, parent=_nearest(experiment, metric.parent, wanted))
        for metric in experiment.metrics
        if metric.name in wanted
    ]


def _nearest(experiment: Experiment, metric: str | None, kept: Collection[str]) -> str | None:
    """Return a metric if it is kept, else its nearest ancestor that is kept; None if there is none."""
    while metric is not None and metric not in kept:
        metric = experiment.metric(metric).parent
    return metric


def _left_out(experiment: Experiment, kept: Collection[str]) -> dict[str, str]:
    """Map each metric that this or an earlier selection left out to the kept metric that includes it."""
    parts = {each.name: each.parent for each in experiment.metrics if each.name not in kept}
    wholes = {part: _nearest(experiment, whole, kept) for part, whole in {**experiment.notes.left_out, **parts}.items()}
    return {part: whole for part, whole in wholes.items() if whole is not None}


def _notes(
    notes: Notes, subtree: str | int | None, processes: Collection[int] | None, metrics: Sequence[str] | None
) -> Notes:
    words = {
        "subtree": subtree,
        "processes": None if processes is None else ",".join(map(str, sorted(processes)[:20])),
        "metrics": None if metrics is None else ",".join(metrics),
    }
    step = f"select({', '.join(f'{key}={word}' for key, word in words.items() if word is not None)})"
    messages = notes.messages if subtree is None else None  # the matrix is known only for the whole program
    notes = replace(notes, history=(*notes.history, step), messages=messages)
    if processes is None:
        return notes
    return replace(
        notes,
        expected_processes=None if notes.expected_processes is None else len(set(processes)),
        started=tuple(process for process in notes.started if process in processes),
        missing=tuple(rank for rank in notes.missing if rank in processes),
        unfinished=tuple(rank for rank in notes.unfinished if rank in processes),
        messages=messages.among(processes) if messages is not None else None,
    )
