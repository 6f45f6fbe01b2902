"""Why ranks, or threads, differ: the parts of the slowest ones' additional busy seconds, from the account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..account import Account
from ..dissimilarity.differences import Differences
from ..dissimilarity.dissimilarity import clusters_in
from ..dissimilarity.work import Difference
from ..evidence.attributes import Attribute
from ..run.criteria import CRITERIA
from .finding import Cause, Group, slowest
from .parts import BUSY

__all__ = ["causes_of_differences", "groups_in"]


def groups_in(
    differences: Differences, regions: Sequence[int], master: int | None, *, compared: bool = False
) -> tuple[Group, ...]:
    """Return what each cluster was measured to do in some regions, but a master, and threads with no part in any.

    If ``compared``, it is what was compared, of which gains are: without what probes took, shared out as counts are.
    """
    vectors = differences.vectors
    measured = vectors.measured(regions)
    rows = vectors.values[list(regions)] if compared else measured
    values = np.where(np.isnan(measured).all(axis=0), np.nan, np.nansum(rows, axis=0))
    if master is not None:
        values[master] = np.nan
    groups, names = [], vectors.labels
    for columns in map(np.asarray, clusters_in(vectors, differences.dissimilarity, regions)):
        present = columns[~np.isnan(values[columns])].tolist()
        if present:
            labels = tuple(names[column] for column in present)
            groups.append(Group(labels, float(values[present].mean())))
    return tuple(groups)


def causes_of_differences(
    account: Account | None,
    differences: Differences,
    executed: Attribute | None,
    apart: Mapping[int | None, Sequence[Difference]],
    groups: Mapping[int | None, Sequence[Group]],
) -> Mapping[int | None, tuple[Cause, ...]]:
    """Return what makes up the seconds that the slowest ranks are busy longer in each culprit, the largest first.

    Causes without seconds in the account, such as the bytes of messages, come last, but before what is unexplained.

    Args:
        account: None where no busy time is compared, or a rank's counts are not of the work that it was timed at.
        differences: How ranks differ.
        executed: The instructions of each; None where they were not counted.
        apart: By culprit, the differences that match their time; under None, in all culprits together, or in no region.
        groups: What each cluster of ranks does there.
    """
    named = {culprit: tuple(Cause(each.attribute) for each in found) for culprit, found in apart.items()}
    if account is None or executed is None:
        return named
    column = {label: number for number, label in enumerate(differences.vectors.labels)}
    asked: list[int | None] = []
    both_of: list[tuple[tuple[int, ...], tuple[int | str, ...]]] = []
    for culprit in named:
        regions = differences.dissimilarity.culprits or differences.vectors.top if culprit is None else (culprit,)
        if slow := slowest(groups[culprit]):
            rest = tuple(label for each in groups[culprit] if each.labels != slow for label in each.labels)
            both_of += [(tuple(regions), slow), (tuple(regions), rest)]
            asked.append(culprit)
    seconds = [_by_attribute(each) for each in account.of_groups(both_of, differences.selection)] if both_of else []
    counts = [executed.of_members(regions, [column[label] for label in labels]) for regions, labels in both_of]
    both = zip(seconds[::2], seconds[1::2], strict=True)
    for culprit, (most, least), more, less in zip(asked, both, counts[::2], counts[1::2], strict=True):
        named[culprit] = _causes_apart(named[culprit], most, least, more / less if less > 0 else None)
    return named


def _by_attribute(seconds: Mapping[str, float]) -> Mapping[str, float]:
    """Return the parts of busy time; what files take is one."""
    files = sum(each for name, each in seconds.items() if name.startswith("io"))
    return {**{BUSY[name]: each for name, each in seconds.items() if name in BUSY}, "io_bytes": files}


def _causes_apart(
    named: tuple[Cause, ...], slow: Mapping[str, float], other: Mapping[str, float], work: float | None
) -> tuple[Cause, ...]:
    """Split the difference of two times: more work at the same speed counts as instructions, the rest as slower causes.

    Args:
        named: Attributes that tell the ranks apart.
        slow: Seconds by attribute.
        other: The same of the ranks that are compared with.
        work: How many times as many instructions the slowest execute; None where the others execute none.
    """
    whole = sum(slow.values()) - sum(other.values())
    computed = [name for name in slow if name != "io_bytes"]
    there = sum(other[name] for name in computed)
    if work is None:
        more = dict.fromkeys(computed, 0.0) | {"instructions": sum(slow[name] for name in computed)}
        more["io_bytes"] = slow["io_bytes"] - other["io_bytes"]
    else:
        more = {name: slow[name] - (work if name in computed else 1.0) * other[name] for name in slow}
        more["unexplained"] += more["instructions"]  # at another price of an instruction, which no count explains
        more["instructions"] = (work - 1.0) * there
    spent = sorted(more.items(), key=lambda each: -each[1])
    found = [
        Cause(name, min(each, whole), min(each / whole, 1.0))
        for name, each in spent
        if each >= CRITERIA.part * whole > 0
    ]
    if not found:
        return named
    # If most is unexplained, it may come from the attributes that differ between ranks, at an unknown price.
    known = {each.attribute for each in found} if found[0].attribute == "unexplained" else slow
    causes = (*found, *(each for each in named if each.attribute not in known))
    telling = {each.attribute for each in named}.intersection(each.attribute for each in causes)
    return tuple(sorted(causes, key=lambda each: bool(telling) and each.attribute == "unexplained"))
