"""What operands do not share, so that whoever reads a result knows which zeros were never measured."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

import numpy as np

from ..experiment import CallPath
from ..metric import Aggregation
from .integration import Integration

__all__ = ["doubts", "strangers"]

_OF_LIBRARIES: Final = frozenset({"mpi", "io", "math", "library"})


def doubts(joined: Integration, *, combined: bool, of_owners: bool = False) -> Iterator[str]:
    """Say what only some operands have of the metrics, of the ranks, and of the program.

    Args:
        joined: The operands.
        combined: Whether values of all are put together, and a metric that one lacks counts as 0.
        of_owners: Whether minima and maxima are of those alone that have them.
    """
    if combined:
        yield from _lacked_metrics(joined, {"none", "min", "max"} if of_owners else {"none"})
    yield from _lacked_locations(joined)
    for other in range(1, len(joined.operands)):
        if strangers(joined, [0], [other]):
            yield (
                f"{joined.labels[0]} and {joined.labels[other]} have no region in common but their main programs: "
                f"are they one program?"
            )


def strangers(joined: Integration, one: Iterable[int], other: Iterable[int]) -> bool:
    """Tell whether operands have regions, and none that those of another side have; libraries' do not count."""
    sides = [set().union(*(joined.rows[operand].tolist() for operand in side)) for side in (one, other)]
    own = [{path for path in side if _of_the_program(joined.call_paths[path])} for side in sides]
    return all(own) and not own[0] & own[1]


def _of_the_program(path: CallPath) -> bool:
    return path.parent is not None and path.region.kind not in _OF_LIBRARIES


def _lacked_metrics(joined: Integration, exempt: Collection[Aggregation]) -> Iterator[str]:
    lacking: dict[tuple[int, ...], list[str]] = {}
    for metric in joined.metrics:
        operands = tuple(index for index, names in enumerate(joined.names) if metric.name not in names)
        if operands and metric.aggregation not in exempt:
            lacking.setdefault(operands, []).append(metric.name)
    for operands, metrics in lacking.items():
        yield f"not in {_listed(joined.labels[each] for each in operands)}, and 0 there: {', '.join(metrics)}"


def _lacked_locations(joined: Integration) -> Iterator[str]:
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
        yield f"{label} is of {part}: its values on the others count as 0"


def _listed(labels: Iterable[str]) -> str:
    first, *others = labels
    return f"{first} and {len(others)} more" if others else first
