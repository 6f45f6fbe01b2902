"""What the busy time of a region consists of, by the account of the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..analysis import Analysis
from ..attributes import MISS_RATES
from ..criteria import CRITERIA
from .finding import Cause

__all__ = ["causes_of_weight", "waits_for_memory"]

# Parts of the account that are busy time, and the attribute of each.
_ATTRIBUTES: Final = {
    "instructions": "instructions",
    "l1_misses": "l1_miss_rate",
    "l2_misses": "l2_miss_rate",
    "unexplained": "unexplained",
    "io_calls": "io_calls",
    "io_bytes": "io_bytes",
    "io_rest": "io_rest",
    "io": "io_bytes",
}
_MOST: Final = 0.5  # of the busy time: what explains as much is the reason


def _busy_parts(analysis: Analysis, region: int) -> Mapping[str, float]:
    """Return the seconds of a region by attribute, means over the ranks; empty if computing is one part.

    Args:
        analysis: What was found.
        region: Its position; a region around the whole program counts without its parts, as it is weighed.
    """
    if "instructions" in analysis.run.lacking:
        return {}
    account = analysis.account
    values = account.own if analysis.run.weighed.regions[region].own_code else account.inclusive
    return {_ATTRIBUTES[name]: float(values[name][region]) for name in account.parts if name in _ATTRIBUTES}


def causes_of_weight(analysis: Analysis, region: int) -> tuple[Cause, ...]:
    """Return the large parts of a region's busy time, the largest first; unless it stalls, those of its root causes.

    Args:
        analysis: What was found.
        region: Its position among those that were weighed.
    """
    parts = _busy_parts(analysis, region) if _stalls(analysis, region) else {}
    if not parts:
        seconds = analysis.explanation.seconds
        found = analysis.explanation.of_regions.causes.get(region, ())
        parts = {each.attribute: float(seconds.of[each.attribute][region]) for each in found}
        whole = float(seconds.time[region])
    else:
        whole = sum(parts.values())
    spent = sorted(parts.items(), key=lambda each: -each[1])
    return tuple(Cause(name, each, min(each / whole, 1.0)) for name, each in spent if each >= CRITERIA.part * whole > 0)


def waits_for_memory(analysis: Analysis, region: int) -> bool:
    """Return whether cache misses take half of a region's busy time or more, and it stalls.

    It does if an instruction takes longer than one that waits for the result of the one before. A walk through an
    array does not: processors fetch ahead, and nothing in the region can avoid these misses.
    """
    if not _stalls(analysis, region):
        return False
    parts = _busy_parts(analysis, region)
    return sum(parts.get(name, 0.0) for name in MISS_RATES) >= _MOST * sum(parts.values()) > 0


def _stalls(analysis: Analysis, region: int) -> bool:
    """Return whether an instruction takes longer than one that waits for the result of the one before."""
    cycles = analysis.weights.cpi[0][region] if analysis.weights.cpi else None
    return cycles is not None and cycles > CRITERIA.dependent
