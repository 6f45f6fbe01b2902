"""Causes in seconds: the parts of a region's busy time, and of the time by which ranks differ, from the account."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ..account import seconds_of_groups
from ..evidence.attributes import MISS_RATES
from ..run.criteria import CRITERIA
from .analysis import Analysis
from .finding import Cause, Finding

__all__ = ["causes_of_weight", "waits_for_memory", "with_causes_of_difference"]

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
_COMPARED: Final = ("compute_time", "cpu_time")  # what is busy time
_MOST: Final = 0.5  # of the busy time: what explains as much is the reason


def _busy_parts(analysis: Analysis, region: int) -> Mapping[str, float]:
    """Return the seconds of a region by attribute, means over the ranks; empty if computing is one part.

    Args:
        analysis: What was found.
        region: Its position; a region around the whole program counts without its parts, as it is weighed.
    """
    if "instructions" in analysis.lacking:
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


def with_causes_of_difference(analysis: Analysis, findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with what makes up the seconds that the slowest ranks are busy longer, the largest first.

    What has no seconds in the account, such as the bytes of messages, follows. Causes stay as they are where threads
    are compared, or no busy time, nothing was counted, or a rank's counts are not of the work that it was timed at.

    Args:
        analysis: What was found.
        findings: Regions in which ranks differ, with the attributes that tell them apart as causes.
    """
    counted = "instructions" not in analysis.lacking and analysis.experiment.notes.counts_by_rank
    counted = counted and analysis.performance.metric in _COMPARED
    asked = [number for number, each in enumerate(findings) if counted and _is_of_ranks(each)]
    groups = [group for number in asked for group in _compared(analysis, findings[number])]
    seconds = seconds_of_groups(analysis.run, groups) if groups else []
    found = [*findings]
    for number, slow, other in zip(asked, seconds[::2], seconds[1::2], strict=True):
        causes = _causes_apart(found[number].causes, slow, other)
        found[number] = replace(found[number], causes=causes)
    return [replace(each, apart=each.causes) for each in found]


def _is_of_ranks(finding: Finding) -> bool:
    """Return whether ranks, not threads, are of several groups."""
    return bool(finding.slowest) and all(isinstance(label, int) for each in finding.groups for label in each.labels)


def _compared(analysis: Analysis, finding: Finding) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the regions of a finding with the slowest ranks, and with the others."""
    regions = analysis.performance.top if finding.difference is None else (finding.difference,)
    others = (label for group in finding.groups if group.labels != finding.slowest for label in group.labels)
    for labels in (finding.slowest, others):
        yield tuple(regions), tuple(map(int, labels))


def _causes_apart(named: Sequence[Cause], slow: Mapping[str, float], other: Mapping[str, float]) -> tuple[Cause, ...]:
    """Split the difference of two times: more work at the same speed is of instructions, the rest of what is slower.

    Args:
        named: Attributes that tell the ranks apart.
        slow: Seconds by part of the account.
        other: The same of the ranks that are compared with.
    """
    parts = [name for name in slow if name in _ATTRIBUTES]
    if "instructions" not in parts:
        return tuple(named)
    whole = sum(slow[name] - other[name] for name in parts)
    computed = [name for name in parts if not name.startswith("io")]
    there = sum(other[name] for name in computed)
    work = slow["instructions"] / other["instructions"] if other["instructions"] > 0 else 1.0
    more = {name: slow[name] - (work if name in computed else 1.0) * other[name] for name in parts}
    more["instructions"] += (work - 1.0) * there
    if there <= 0:  # the others do nothing there
        more |= dict.fromkeys(computed, 0.0) | {"instructions": sum(slow[name] for name in computed)}
    spent = sorted(more.items(), key=lambda each: -each[1])
    large = [(name, min(each, whole)) for name, each in spent if each >= CRITERIA.part * whole > 0]
    known = {_ATTRIBUTES[name] for name in parts}
    found = [Cause(_ATTRIBUTES[name], each, each / whole) for name, each in large]
    if found and found[0].attribute == "unexplained":  # what tells the ranks apart may take it, at an unknown price
        large_ones = {each.attribute for each in found}
        return (*(each for each in named if each.attribute not in large_ones), *found)
    return (*found, *(each for each in named if each.attribute not in known)) if found else tuple(named)


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
