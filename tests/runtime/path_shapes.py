"""The known critical path of each shape in ``programs/path_shapes.c``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from autoanalyzer.experiment import Experiment

__all__ = ["ALL", "FURTHER", "SHAPES", "VISITS", "in_units", "of_functions", "of_parts"]

Severity = npt.NDArray[np.float64]

ALL: Final = -1

# Shape → length of the path, and its share in each function on a rank or on all ranks, in units of work, as expressions
# in the number of ranks P. Functions are missing on single ranks if the path may pass any of several ranks.
SHAPES: Final[Mapping[str, tuple[str, Mapping[tuple[str, int], str]]]] = {
    "chain": (
        "3 * (P + 3)",
        {("before", ALL): "6", ("between", ALL): "3 * P", ("between", 1): "3", ("after", ALL): "3"},
    ),
    "one_late": ("9", {("before", 1): "9"}),
    "alternating": ("8", {("before", 0): "4", ("before", 1): "4"}),
    "full_pipeline": ("P + 5", {("between", ALL): "P + 5"}),
    "empty_pipeline": ("P", {("between", 0): "1", ("between", 1): "1", ("between", ALL): "P"}),
    "wavefront": ("P / 2 + 3", {("between", ALL): "P / 2 + 3"}),
    "hidden": ("5", {("between", ALL): "4", ("after", ALL): "1"}),
    "exposed": ("4", {("before", 0): "3", ("after", ALL): "1"}),
    "late_root": ("4", {("before", 0): "3", ("after", ALL): "1"}),
    "early_root": ("4", {("before", 1): "3", ("after", 1): "1"}),
    "root_works": ("4", {("before", ALL): "2", ("between", 0): "1", ("after", ALL): "1"}),
    "halves": ("3", {("before", ALL): "2", ("after", ALL): "1"}),
    "lower_ranks": ("3", {("before", 0): "2", ("after", ALL): "1"}),
    "higher_rank": ("4", {("before", ALL): "3", ("after", ALL): "1"}),
    "begun": ("4", {("before", 1): "3", ("after", ALL): "1"}),
    "token": ("P", {("between", 0): "1", ("between", 1): "1", ("between", ALL): "P"}),
    "neighbours": ("8", {("before", ALL): "8"}),
}

# Shape and function → how often the path enters the function, and how often each rank does.
VISITS: Final[Mapping[tuple[str, str], tuple[str, str]]] = {
    ("chain", "before"): ("3", "3"),
    ("chain", "between"): ("3 * P", "3"),
    ("alternating", "before"): ("4", "4"),
    ("neighbours", "before"): ("4", "4"),
    ("full_pipeline", "between"): ("P + 5", "6"),
    ("empty_pipeline", "between"): ("P", "1"),
    ("wavefront", "between"): ("P / 2 + 3", "3"),
    ("token", "between"): ("P", "1"),
}


# Shape → length of the path in units of work on four ranks or more. These shapes have calls that few programs use.
FURTHER: Final[Mapping[str, str]] = {
    **{"copied": "5", "grouped": "5", "connected": "5", "merged": "5", "across_all": "4", "across_root": "4"},
    **{"beside": "4", "windowed": "5", "unwindowed": "5", "fenced": "5", "unfenced": "3", "posted": "12"},
    **{"repeated": "14", "filed": "25", "ordered": "4"},
    **{"synchronous": "15", "answered": "4"},
}


def in_units(text: str, ranks: int) -> float:
    """Evaluate an expression of ``SHAPES`` for a number of ranks."""
    return float(eval(text, {}, {"P": ranks}))


def of_functions(experiment: Experiment, values: Severity, names: Iterable[str]) -> dict[str, float]:
    """Return the inclusive value of each function, summed over locations.

    Args:
        experiment: The experiment.
        values: Exclusive values, ``float64[path, location]``.
        names: The functions.
    """
    within = _within(experiment)
    return {name: float(values[[name in names for names in within]].sum()) for name in names}


def of_parts(
    experiment: Experiment, values: Severity, shape: str, ranks: Iterable[int] = (ALL, 0, 1)
) -> dict[tuple[str, int], float]:
    """Return the inclusive values of a shape's functions ``before``, ``between`` and ``after``, by rank and in total.

    Args:
        experiment: The experiment.
        values: Exclusive values, ``float64[path, location]``.
        shape: The shape.
        ranks: The ranks; ``ALL`` stands for the total.
    """
    processes = np.array([place.process for place in experiment.locations])
    found = {}
    for part, rank in product(("before", "between", "after"), ranks):
        rows = [{part, shape} <= names for names in _within(experiment)]
        found[part, rank] = float(values[rows][:, (processes == rank) | (rank == ALL)].sum())
    return found


def _within(experiment: Experiment) -> list[set[str]]:
    """Return the names of the regions on each call path, from its root to itself."""
    found: list[set[str]] = []
    for path in experiment.call_paths:
        above = found[path.parent] if path.parent is not None else set()
        found.append(above | {path.region.name})
    return found
