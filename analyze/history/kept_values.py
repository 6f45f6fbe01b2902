"""The values of a run that a history keeps: those of the program and of its main regions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ...experiment import Experiment, Region
from ...experiment.region import DESCRIPTOR_VERSION
from ..comparison.compared_runs import (
    BUSY_TIME,
    PATH_TIME,
    check_values,
    metrics_to_compare,
    repeats,
    unit_of,
    value_of_program,
    values_of_groups,
)
from ..run.foreign_metrics import with_kinds

__all__ = ["LEAST_SHARE", "KeptValue", "in_utf8", "values_to_keep"]

LEAST_SHARE: Final = 0.01  # share of the program; less than the 5 % that are judged, because times vary between runs
_COUNTS: Final = ("instructions", "mpi_bytes_sent", "mpi_calls")


@dataclass(frozen=True, slots=True)
class KeptValue:
    """A value of a run.

    Attributes:
        metric: Name of the metric, as in ``compare``.
        unit: The metric's unit.
        place: Identifies the region by kind, name, file, function and ordinal, as a descriptor without lines; empty for
            the program.
        line: The region's first line in this run; 0 for the program.
        value: The exclusive value of the region, over all its call paths; or the value of the program without
            ``MPI_Init`` and ``MPI_Finalize``.
        repeats: Whether repeated runs of the same program have the identical value.
    """

    metric: str
    unit: str
    place: str
    line: int
    value: float
    repeats: bool


def values_to_keep(experiment: Experiment) -> list[KeptValue]:
    """Return the values of a run that a history keeps.

    Args:
        experiment: A complete run.

    Raises:
        InputError: Values of some ranks are missing, or negative.
    """
    run = with_kinds(experiment)
    places = [_place(path.region) for path in run.call_paths]
    lines: dict[str, int] = {}
    for place, path in zip(places, run.call_paths, strict=True):
        lines[place] = min(path.region.first_line, lines.get(place, path.region.first_line))
    numbers = {place: number for number, place in enumerate(lines)}
    groups = [numbers[place] for place in places]
    times = metrics_to_compare([run])
    if PATH_TIME in times:
        times = (*times, BUSY_TIME)  # later runs may lack the end of the critical path
    found: list[KeptValue] = []
    for metric in (*times, *_COUNTS):
        if metric in _COUNTS and (metric not in run or np.isnan(run.exclusive(metric)).any()):
            continue
        check_values(run.notes.program or "the run", run, metric)
        whole = value_of_program(run, metric)
        if not 0 < whole < np.inf:
            continue
        unit, alike = unit_of([run], metric), repeats([run], metric)
        found.append(KeptValue(metric, unit, "", 0, whole, alike))
        values = values_of_groups(run, metric, groups).tolist()
        found += [
            KeptValue(metric, unit, place, lines[place], value, alike)
            for place, value in zip(lines, values, strict=True)
            if value >= LEAST_SHARE * whole
        ]
    return found


def in_utf8(text: str) -> str:
    """Return the text in a form that a database can store: bytes that are not valid UTF-8 become escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def _place(region: Region) -> str:
    """Return an identifier of a region that stays valid when lines move: a loop has its ordinal instead of its line."""
    name = region.kind if region.kind in ("loop", "parallel") else region.name
    nameless = region._replace(name=name, first_line=0, last_line=0, text="")
    return in_utf8(nameless.descriptor.removeprefix(f"{DESCRIPTOR_VERSION}|"))
