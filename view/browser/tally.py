"""Aggregated values of a metric, with the numbers of measured and missing values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ...experiment.metric import Aggregation
from .tree import Tree

__all__ = ["Gap", "Tally", "Value"]

Gap = Literal["", "partial", "not measured", "not summed", "shown below", "no share", "per rank"]

_Numbers = npt.NDArray[np.float64]
_Counts = npt.NDArray[np.int64]

_OPERATIONS: Final[dict[Aggregation, np.ufunc]] = {"sum": np.add, "none": np.add, "min": np.fmin, "max": np.fmax}


@dataclass(frozen=True, slots=True)
class Value:
    """The value that a node shows.

    Attributes:
        amount: The number; None if it is missing, which is not the same as 0.
        gap: The reason why the number is missing, or ``partial`` if a part was not measured; empty if complete.
    """

    amount: float | None
    gap: Gap = ""


@dataclass(frozen=True, eq=False)
class Tally:
    """Aggregated values at places: call paths, locations or the nodes of a tree.

    The value at a place is aggregated over cells; a cell is the value of one call path on one location. If a metric is
    not additive, a place has a value only if it has a single cell. A metric of whole processes has cells only at roots.

    Attributes:
        aggregation: How several values are aggregated.
        amounts: ``float64[place]``: the aggregated values. Without measured cells, 0; for minima and maxima, NaN.
        known: ``int64[place]``: the number of measured cells.
        gaps: ``int64[place]``: the number of missing cells.
    """

    aggregation: Aggregation
    amounts: _Numbers
    known: _Counts
    gaps: _Counts

    def __len__(self) -> int:
        return len(self.amounts)

    @classmethod
    def nothing(cls, aggregation: Aggregation, places: int) -> Tally:
        """Return a tally with a number of places and no cells."""
        start = 0.0 if _OPERATIONS[aggregation] is np.add else np.nan
        return cls(aggregation, np.full(places, start), np.zeros(places, np.int64), np.zeros(places, np.int64))

    def value(self, place: int, *, has_cells: bool = False) -> Value:
        """Return the value at a place.

        Args:
            place: Index of the place.
            has_cells: Whether the place should have cells. If it has none, the metric was measured only for whole
                processes.
        """
        known, gaps = int(self.known[place]), int(self.gaps[place])
        if self.aggregation == "none" and known + gaps > 1:
            return Value(None, "not summed")
        if has_cells and not known + gaps:
            return Value(None, "per rank")
        if not known + gaps:
            return Value(0.0) if self.aggregation == "sum" else Value(None, "shown below")
        if not known:
            return Value(None, "not measured")
        return Value(float(self.amounts[place]), "partial" if gaps else "")

    def at(self, place: int) -> Tally:
        """Return a tally of only one place."""
        one = slice(place, place + 1)
        return replace(self, amounts=self.amounts[one], known=self.known[one], gaps=self.gaps[one])

    def plus(self, other: Tally) -> Tally:
        """Return the sum, minimum or maximum of two tallies, place by place."""
        amounts = _OPERATIONS[self.aggregation](self.amounts, other.amounts)
        return replace(self, amounts=amounts, known=self.known + other.known, gaps=self.gaps + other.gaps)

    def less(self, part: Tally) -> Tally:
        """Return the tally with a part subtracted from its sums; where the part is unknown, nothing is subtracted."""
        return replace(self, amounts=self.amounts - part.amounts, gaps=self.gaps + part.gaps)

    def at_home(self, tree: Tree) -> Tally:
        """Return a tally with one place per node of a tree, aggregated over the places that belong to that node."""
        found = self.nothing(self.aggregation, len(tree))
        _OPERATIONS[self.aggregation].at(found.amounts, tree.home, self.amounts)
        np.add.at(found.known, tree.home, self.known)
        np.add.at(found.gaps, tree.home, self.gaps)
        return found

    def up(self, tree: Tree) -> Tally:
        """Return the tally in which the value of each node of a tree includes its descendants' values."""
        found = replace(self, amounts=self.amounts.copy(), known=self.known.copy(), gaps=self.gaps.copy())
        operation = _OPERATIONS[self.aggregation]
        for node in range(len(tree) - 1, -1, -1):
            parent = tree.parents[node]
            if parent is not None:
                found.amounts[parent] = operation(found.amounts[parent], found.amounts[node])
                found.known[parent] += found.known[node]
                found.gaps[parent] += found.gaps[node]
        return found

    def together(self) -> Tally:
        """Return a tally with one place, aggregated over all places."""
        one = self.nothing(self.aggregation, 1)
        _OPERATIONS[self.aggregation].at(one.amounts, np.zeros(len(self), np.intp), self.amounts)
        return replace(one, known=self.known.sum(keepdims=True), gaps=self.gaps.sum(keepdims=True))
