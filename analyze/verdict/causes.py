"""The causes of a difference: why the slowest ranks, or threads, are busy longer than the others, in seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..account import Account
from ..dissimilarity.differences import Differences
from ..dissimilarity.dissimilarity import clusters_in
from ..dissimilarity.rank_vectors import RankVectors
from ..dissimilarity.work import Difference
from ..evidence.attributes import Attribute
from ..run.arrays import Values
from ..run.criteria import CRITERIA
from .finding import Cause, Group, slowest
from .parts import BUSY

__all__ = ["causes_of_differences", "groups_in", "sums_in"]


def groups_in(
    differences: Differences, regions: Sequence[int], master: int | None, *, compared: bool = False
) -> tuple[Group, ...]:
    """Return the groups of ranks, or threads, that are alike in the given regions, with their sums over these regions.

    A master is in no group, and neither are threads that do not work in these regions.

    Args:
        differences: How ranks differ.
        regions: Positions of the regions; none is below another.
        master: The column of the master; None if there is none.
        compared: Whether to return the values that were compared, from which savings are computed: without the
            overhead of probes, and distributed over ranks like their counts. By default, the measured values are
            returned.
    """
    vectors, values = differences.vectors, sums_in(differences.vectors, regions, compared=compared)
    if master is not None:
        values[master] = np.nan
    groups, names = [], vectors.labels
    for columns in map(np.asarray, clusters_in(vectors, differences.dissimilarity, regions)):
        present = columns[~np.isnan(values[columns])].tolist()
        if present:
            labels, of_group = tuple(names[column] for column in present), values[present]
            groups.append(Group(labels, *(float(each) for each in (of_group.mean(), of_group.min(), of_group.max()))))
    return tuple(groups)


def sums_in(vectors: RankVectors, regions: Sequence[int], *, compared: bool = False) -> Values:
    """Return the sums over the given regions, ``float64[rank]``; NaN for threads that do not work in these regions.

    Args:
        vectors: The compared values.
        regions: Positions of the regions; none is below another.
        compared: As in ``groups_in``.
    """
    measured = vectors.measured(regions)
    rows = vectors.values[list(regions)] if compared else measured
    # Clocks may make sums slightly negative.
    return np.where(np.isnan(measured).all(axis=0), np.nan, np.maximum(np.nansum(rows, axis=0), 0.0))


def causes_of_differences(
    account: Account | None,
    differences: Differences,
    executed: Attribute | None,
    apart: Mapping[int | None, Sequence[Difference]],
    groups: Mapping[int | None, Sequence[Group]],
) -> Mapping[int | None, tuple[Cause, ...]]:
    """Return, for each culprit, why the slowest ranks are busy longer there than the others; largest cause first.

    Causes without seconds in the account, such as the bytes of messages, come last, but before ``unexplained``. The
    key None stands for all culprits together, or for the whole program if there is no culprit.

    Args:
        account: The time of each region, split by cause; None if no busy time was compared, or a rank's counts do not
            belong to the work that was timed on this rank.
        differences: How ranks differ.
        executed: The instructions of each rank; None if they were not counted. Only measured times, such as system
            time and the time of file I/O, can be causes then.
        apart: By culprit, the attributes that differ between ranks as their times do.
        groups: By culprit, the groups of ranks that are alike.
    """
    named = {culprit: tuple(Cause(each.attribute) for each in found) for culprit, found in apart.items()}
    if account is None:
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
    both = zip(seconds[::2], seconds[1::2], strict=True)
    if executed is None:
        return named | {
            culprit: _causes_measured(named[culprit], *each) for culprit, each in zip(asked, both, strict=True)
        }
    counts = [executed.of_members(regions, [column[label] for label in labels]) for regions, labels in both_of]
    for culprit, (most, least), more, less in zip(asked, both, counts[::2], counts[1::2], strict=True):
        named[culprit] = _causes_apart(named[culprit], most, least, more / less if less > 0 else None)
    return named


def _by_attribute(seconds: Mapping[str, float]) -> Mapping[str, float]:
    """Return the seconds of busy time by attribute, with all parts of file I/O under ``io_bytes``.

    Without counts, ``unexplained`` is all computing time.
    """
    files = sum(each for name, each in seconds.items() if name.startswith("io"))
    computing = {"unexplained": seconds["computing"]} if "computing" in seconds else {}
    return {**{BUSY[name]: each for name, each in seconds.items() if name in BUSY}, **computing, "io_bytes": files}


def _causes_measured(
    named: tuple[Cause, ...], slow: Mapping[str, float], other: Mapping[str, float]
) -> tuple[Cause, ...]:
    """Split a difference by cause, as ``_causes_apart`` does, if instructions were not counted.

    If most of the difference is computing time, its causes are unknown.
    """
    found = _largest({name: slow[name] - other[name] for name in slow}, sum(slow.values()) - sum(other.values()))
    if not found or found[0].attribute == "unexplained":
        return named
    known = {each.attribute for each in found}
    return (
        *(each for each in found if each.attribute != "unexplained"),
        *(each for each in named if each.attribute not in known),
    )


def _largest(seconds: Mapping[str, float], whole: float) -> tuple[Cause, ...]:
    """Return the causes that explain a large enough part of a difference, the largest first.

    Args:
        seconds: Attribute → its part of the difference, in seconds.
        whole: The difference, in seconds.
    """
    spent = sorted(seconds.items(), key=lambda each: -each[1])
    enough = CRITERIA.part * whole
    return tuple(Cause(name, min(each, whole), min(each / whole, 1.0)) for name, each in spent if each >= enough > 0)


def _causes_apart(
    named: tuple[Cause, ...], slow: Mapping[str, float], other: Mapping[str, float], work: float | None
) -> tuple[Cause, ...]:
    """Split the difference between two groups' busy times by cause; return the causes, the largest first.

    The time that the slow group's additional instructions would take at the speed of the other ranks is due to
    ``instructions``. The rest of the difference is due to causes that take more time per instruction.

    Args:
        named: The attributes that differ between ranks as their times do.
        slow: The seconds of the slow group by attribute, mean over its ranks.
        other: The seconds of all other ranks by attribute, mean over these ranks.
        work: Instructions of the slow group, divided by those of the other ranks; None if the other ranks execute no
            instructions.
    """
    whole = sum(slow.values()) - sum(other.values())
    computed = [name for name in slow if name != "io_bytes"]
    there = sum(other[name] for name in computed)
    if work is None:
        more = dict.fromkeys(computed, 0.0) | {"instructions": sum(slow[name] for name in computed)}
        more["io_bytes"] = slow["io_bytes"] - other["io_bytes"]
    else:
        more = {name: slow[name] - (work if name in computed else 1.0) * other[name] for name in slow}
        more["unexplained"] += more["instructions"]  # no count explains why instructions are slower
        more["instructions"] = (work - 1.0) * there
    found = _largest(more, whole)
    if not found:
        return named
    # An attribute that differs between ranks, but has no known price, may be the cause of an unexplained difference.
    known = {each.attribute for each in found} if found[0].attribute == "unexplained" else slow
    causes = (*found, *(each for each in named if each.attribute not in known))
    telling = {each.attribute for each in named}.intersection(each.attribute for each in causes)
    return tuple(sorted(causes, key=lambda each: bool(telling) and each.attribute == "unexplained"))
