"""The values of a run that a history keeps: those of the program, and of its main regions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...experiment import Experiment, Region
from ...experiment.region import DESCRIPTOR_VERSION
from ..comparison.compared_runs import metrics_to_compare, repeats, unit_of, value_of_program, values_of_paths
from ..run.foreign_metrics import with_kinds

__all__ = ["LEAST_SHARE", "KeptValue", "values_to_keep"]

LEAST_SHARE: Final = 0.01  # of the program; a region that takes 5 % of it in one run may take less in another
_COUNTS: Final = ("instructions", "mpi_bytes_sent", "mpi_calls")


@dataclass(frozen=True, slots=True)
class KeptValue:
    """A value of a run.

    Attributes:
        metric: Its metric, as ``compare`` knows it.
        unit: Its unit.
        place: Identifies the region by kind, name, file, function and ordinal, as a descriptor without lines; empty for
            the program.
        line: The region's first line in this run; 0 for the program.
        value: The exclusive value of the region, over all its call paths; of the program without ``MPI_Init`` and
            ``MPI_Finalize``.
        repeats: Whether equal runs have equal values.
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
    """
    run = with_kinds(experiment)
    found: list[KeptValue] = []
    for metric in (*metrics_to_compare([run]), *_COUNTS):
        if metric in _COUNTS and (metric not in run or np.isnan(run.exclusive(metric)).any()):
            continue
        whole = value_of_program(run, metric)
        if not 0 < whole < np.inf:
            continue
        unit, alike = unit_of([run], metric), repeats([run], metric)
        found.append(KeptValue(metric, unit, "", 0, whole, alike))
        found += [
            KeptValue(metric, unit, place, line, value, alike)
            for place, line, value in _of_regions(run, metric)
            if value >= LEAST_SHARE * whole
        ]
    return found


def _of_regions(run: Experiment, metric: str) -> Iterator[tuple[str, int, float]]:
    """Yield each region's place, line and value."""
    values: dict[Region, float] = defaultdict(float)
    for path, value in zip(run.call_paths, values_of_paths(run, metric).tolist(), strict=True):
        values[path.region] += value
    for region, value in values.items():
        yield _place(region), region.first_line, value


def _place(region: Region) -> str:
    """Return what identifies a region when lines move; loops are named by their line, so by their ordinal here."""
    name = region.kind if region.kind in ("loop", "parallel") else region.name
    nameless = region._replace(name=name, first_line=0, last_line=0, text="")
    return nameless.descriptor.removeprefix(f"{DESCRIPTOR_VERSION}|")
