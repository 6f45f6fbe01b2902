"""Merge runs that counted different events into one experiment with the metrics of all runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ..experiment import Experiment, load
from ..experiment.algebra import merge
from ..experiment.algebra.integration import Integration, integrate
from ..experiment.storage import save_of_run
from .folder import RunFolder

__all__ = ["save_merged"]

_VISITS: Final = 0.01
"""The relative difference in visits that is tolerated, because polling loops vary."""

_TIME: Final = 0.1
"""The time difference, relative to the first run, that is tolerated as noise on a machine with other load."""

_NAMED: Final = 3  # maximum number of call paths named in a warning; the others are only counted


def save_merged(folder: RunFolder, runs: int) -> Experiment:
    """Merge runs 1 to ``runs`` in a folder, and write the result as the folder's experiment.

    Common metrics, notes and time lines are taken from the first run; warnings report how the other runs differ from
    it.

    Args:
        folder: The folder, in which each run has its own folder.
        runs: The number of runs.

    Raises:
        InputError: A run cannot be read, or the result cannot be written.
    """
    folders = [folder.run(number) for number in range(1, runs + 1)]
    every = [load(each.experiment) for each in folders]
    labels = [each.path.name for each in folders]
    found = merge(*every, exact=True, labels=labels)
    traced = folder.take_time_lines(folders[0])
    remarks = [_counted_where(every, labels, traced=traced), *_unlike(integrate(every, exact=True, labels=labels))]
    notes = replace(every[0].notes, remarks=(*found.notes.remarks, *remarks), history=found.notes.history)
    return load(save_of_run(found.replaced(notes=notes), folder.path))


def _counted_where(every: Sequence[Experiment], labels: Sequence[str], *, traced: bool) -> str:
    """Return a warning that lists which metrics come from which run."""
    known = {metric.name for metric in every[0].metrics}
    said = []
    for experiment, label in zip(every[1:], labels[1:], strict=True):
        own = [metric.name for metric in experiment.metrics if metric.name not in known]
        known.update(own)
        said.append(f"{', '.join(own)} from {label}")
    return (
        f"metrics come from different runs: {', '.join(said)}, all others from "
        f"{labels[0]}{', whose time lines are in trace.npz' if traced else ''}"
    )


def _unlike(joined: Integration) -> Iterator[str]:
    """Yield warnings about differences from the first run in visits and time."""
    others = range(1, len(joined.operands))
    unlike: dict[int, list[int]] = {each: [] for each in others}
    start = 0
    for first, *blocks in joined.blocks("visits"):
        for other, values in zip(others, blocks, strict=True):
            differ = np.abs(values - first) > _VISITS * np.maximum(values, first)
            unlike[other] += (start + np.flatnonzero(differ.any(axis=1))).tolist()
        start += len(first)
    times = np.zeros(len(joined.operands))
    for blocks in joined.blocks("wall_time"):
        times += [values.sum() for values in blocks]
    for other in others:
        label = joined.labels[other]
        if unlike[other]:
            named = ", ".join(joined.path_name(path) for path in unlike[other][:_NAMED])
            more = f" and {len(unlike[other]) - _NAMED} more" if len(unlike[other]) > _NAMED else ""
            yield (
                f"{label} entered some call paths more or less often than {joined.labels[0]}, which affects the "
                f"counts: {named}{more}"
            )
        if abs(times[other] - times[0]) > _TIME * times[0]:
            much = f"{abs(times[other] / times[0] - 1):.0%}".replace("%", " %")
            what = "longer" if times[other] > times[0] else "shorter"
            yield f"{label} took {much} {what} than {joined.labels[0]}, whose times are used"
