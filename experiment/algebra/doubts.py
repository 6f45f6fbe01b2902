"""Warnings about operands that differ in structure, so that readers know which zeros were not measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ..call_path import CallPath
from ..metric import UNTIMED_VISITS, Aggregation
from .history import listed
from .integration import Integration

__all__ = ["doubts", "is_lacked", "lacking_operands", "strangers"]

_KINDS: Final[Mapping[Aggregation, str]] = {
    "sum": "additive",
    "min": "a minimum",
    "max": "a maximum",
    "none": "not additive",
}
_NAMED: Final = 3  # maximum number of missing metrics that a warning names
_OF_LIBRARIES: Final = frozenset({"mpi", "io", "math", "library"})

Namesakes = Mapping[str, Mapping[str, Sequence[str]]]


def doubts(joined: Integration, lacked: Mapping[Aggregation, str]) -> Iterator[str]:
    """Yield warnings about metrics of different units or kinds, missing metrics and ranks, and different programs.

    Args:
        joined: The operands.
        lacked: Aggregation of a metric → a phrase that describes how the metric is treated if an operand does not have
            it. Missing metrics with other aggregations cause no warning.
    """
    namesakes = _namesakes(joined)
    yield from _different_units(joined, namesakes)
    yield from _different_places(joined, namesakes)
    yield from _different_kinds(joined)
    yield from _lacked_metrics(joined, lacked)
    yield from _lacked_locations(joined)
    if joined.folding.remark:
        yield joined.folding.remark
    for other in range(1, len(joined.operands)):
        if strangers(joined, [0], [other]):
            yield (
                f"{joined.labels[0]} and {joined.labels[other]} have no regions in common except their main programs; "
                "are they runs of the same program?"
            )


def strangers(joined: Integration, one: Iterable[int], other: Iterable[int]) -> bool:
    """Return whether two groups of operands have no region in common, although both groups have regions.

    Regions of libraries do not count. Roots count only if a group has nothing else.
    """
    sides = [set().union(*(joined.rows[operand].tolist() for operand in side)) for side in (one, other)]
    own = [{path for path in side if _of_the_program(joined.call_paths[path])} for side in sides]
    if not all(own):
        own = [{path for path in side if joined.call_paths[path].parent is None} for side in sides]
    return all(own) and not own[0] & own[1]


def _of_the_program(path: CallPath) -> bool:
    return path.parent is not None and path.region.kind not in _OF_LIBRARIES


def _namesakes(joined: Integration) -> dict[str, dict[str, list[str]]]:
    """Return names that denote different metrics in different operands: name → metric → labels of its operands."""
    found: dict[str, dict[str, list[str]]] = {}
    for label, names in zip(joined.labels, joined.names, strict=True):
        for merged, own in names.items():
            found.setdefault(own, {}).setdefault(merged, []).append(label)
    return {name: several for name, several in found.items() if len(several) > 1}


def _different_units(joined: Integration, namesakes: Namesakes) -> Iterator[str]:
    roots = {metric.name: metric for metric in joined.metrics if metric.parent is None}
    for name, several in namesakes.items():
        of_roots = {merged: labels for merged, labels in several.items() if merged in roots}
        if len(of_roots) > 1:
            units = ", ".join(
                f"unit {roots[merged].unit or 'none'} in {listed(labels)}" for merged, labels in of_roots.items()
            )
            yield f"{name}: {units}, so these are different metrics: {', '.join(of_roots)}"


def _different_places(joined: Integration, namesakes: Namesakes) -> Iterator[str]:
    parents = {metric.name: metric.parent for metric in joined.metrics}
    for name, several in namesakes.items():
        if all(parents[merged] is None for merged in several):
            continue
        places = ", ".join(
            f"{f'part of {parent}' if (parent := parents[merged]) else 'at the top level'} in {listed(labels)}"
            for merged, labels in several.items()
        )
        yield f"{name}: {places}, so these are different metrics: {', '.join(several)}"


def _different_kinds(joined: Integration) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for metric in joined.metrics:
        kinds: dict[Aggregation, list[str]] = {}
        for label, operand, names in zip(joined.labels, joined.operands, joined.names, strict=True):
            if metric.name in names:
                kind = replace(operand.metric(names[metric.name]), unit=metric.unit).aggregation
                kinds.setdefault(kind, []).append(label)
        if len(kinds) > 1:
            said = ", ".join(f"{_KINDS[kind]} in {listed(labels)}" for kind, labels in kinds.items())
            found.setdefault(said, []).append(metric.name)
    for said, metrics in found.items():
        are = "it is" if len(metrics) == 1 else "they are"
        yield f"{', '.join(metrics)}: {said}, so {are} not summed in the result"


def _lacked_metrics(joined: Integration, lacked: Mapping[Aggregation, str]) -> Iterator[str]:
    lacking: dict[tuple[tuple[int, ...], str], list[str]] = {}
    for metric in joined.metrics:
        operands = lacking_operands(joined, metric.name)
        if is_lacked(joined, metric.name) and (said := lacked.get(metric.aggregation)):
            lacking.setdefault((operands, said), []).append(metric.name)
    for (operands, said), metrics in lacking.items():
        yield f"{listed(metrics, _NAMED)}: not in {listed(joined.labels[each] for each in operands)}, {said}"


def is_lacked(joined: Integration, metric: str) -> bool:
    """Return whether any operand lacks a metric; always False for ``untimed_visits``, whose absence means 0."""
    return metric != UNTIMED_VISITS.name and bool(lacking_operands(joined, metric))


def lacking_operands(joined: Integration, metric: str) -> tuple[int, ...]:
    """Return the indices of the operands that lack a metric.

    Operands with a different metric of the same name are left out, because ``doubts`` warns about them separately.
    """
    own = {names[metric] for names in joined.names if metric in names}
    return tuple(
        index for index, names in enumerate(joined.names) if metric not in names and not own & {*names.values()}
    )


def _lacked_locations(joined: Integration) -> Iterator[str]:
    unadded = [metric.name for metric in joined.metrics if metric.aggregation != "sum"]
    exception = f", except for {listed(unadded)}, for which they stay missing" if unadded else ""
    values = f"missing values count as 0{exception}"
    for operand, label in enumerate(joined.labels):
        lost = joined.lost(operand)
        there = np.zeros(len(joined.locations), dtype=bool)
        there[joined.columns[operand]] = True
        absent = [place for place, found in zip(joined.locations, there, strict=True) if not found]
        if all(place.process in lost for place in absent):
            continue
        of_it = {place.process for place, found in zip(joined.locations, there, strict=True) if found}
        ranks = len({place.process for place in joined.locations})
        part = (
            f"{len(of_it)} of {ranks} ranks"
            if len(of_it) < ranks
            else f"{int(there.sum())} of {len(joined.locations)} threads"
        )
        yield f"{label} has {part}: {values}"
