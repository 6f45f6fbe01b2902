"""The factors of a program's efficiency over numbers of ranks, as the POP centre defines them.

Global efficiency = parallel efficiency x computation scaling. Parallel efficiency = load balance x serialisation x
transfer, from the critical path. Computation scaling = instructions x time per instruction, relative to the run with
the fewest ranks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Final

import numpy as np

from ..run.criteria import THRESHOLD
from .series import Series

__all__ = ["COMPUTATION", "FACTORS", "Factors", "factors_of", "falls_first", "is_low"]

Factors = Mapping[str, tuple[float | None, ...]]
FACTORS: Final = ("load_balance", "serialisation", "transfer", "instructions", "time_per_instruction", "efficiency")
COMPUTATION: Final = "computation"
"""The product of instructions and time per instruction, which is also known without counts."""


def factors_of(series: Series, growth: np.ndarray) -> Factors:
    """Map the names of the factors, and ``computation``, to their values in all runs; None if not measured.

    Args:
        series: The runs.
        growth: ``float64[run]``: the total work with perfect scaling, relative to the first run: 1 for strong scaling.
    """
    busy, lengths = series.busy.sum(axis=1), series.lengths
    ranks = np.array(series.ranks)
    computation = growth * busy[0] / busy
    found: dict[str, Sequence[float | None]] = {
        "load_balance": (busy / ranks / series.busiest).tolist(),
        "serialisation": (series.busiest / lengths).tolist(),
        "transfer": [
            float(length / time) if alone else None
            for length, time, alone in zip(lengths, series.times, series.alone, strict=True)
        ],
        "instructions": [None] * len(ranks),
        "time_per_instruction": [None] * len(ranks),
    }
    if series.instructions is not None:
        executed = growth * series.instructions[0].sum() / series.instructions.sum(axis=1)
        found |= {"instructions": executed.tolist(), "time_per_instruction": (computation / executed).tolist()}
    if not all(series.alone):
        found["transfer"] = [None] * len(ranks)
    parallel = ("load_balance", "serialisation", "transfer")
    found["efficiency"] = [
        float(prod(each for name in parallel if (each := found[name][run]) is not None) * computation[run])
        for run in range(len(ranks))
    ]
    found[COMPUTATION] = computation.tolist()
    return {name: tuple(values) for name, values in found.items()}


def falls_first(factors: Factors) -> str | None:
    """Return the first factor that falls below 0.9 as ranks are added; None if no factor does.

    If several factors fall below 0.9 at the same number of ranks, the smallest of them is returned.
    """
    names = [name for name in FACTORS[:-1] if factors[name][0] is not None]
    if "instructions" not in names:
        names.append(COMPUTATION)
    for values in zip(*(factors[name] for name in names), strict=True):
        known = {name: value for name, value in zip(names, values, strict=True) if value is not None}
        name = min(known, key=known.__getitem__)
        if is_low(known[name]):
            return name
    return None


def is_low(factor: float | None) -> bool:
    """Return whether a factor is below 0.9; false if it was not measured."""
    return factor is not None and factor < 1 - THRESHOLD
