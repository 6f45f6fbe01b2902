"""Values of a metric at several places, and how much of them was measured."""

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
    """What a node shows.

    Attributes:
        amount: None if there is no number, which is not 0.
        gap: Why there is none, or ``partial`` where a part of it was not measured; empty where all of it was.
    """

    amount: float | None
    gap: Gap = ""


@dataclass(frozen=True, eq=False)
class Tally:
    """Values at places 0, 1, …: call paths, locations or the nodes of a tree.

    Of a metric that does not add up, the sum is kept along but never given: a single cell is its own sum. Cells of a
    metric that is known of whole processes alone count where they stand; elsewhere they are neither known nor gaps.

    Attributes:
        aggregation: How several become one.
        amounts: ``float64[place]`` of what was measured. Nothing measured is 0, or NaN of minima and maxima.
        known: ``int64[place]``, how many cells were measured.
        gaps: ``int64[place]``, how many were not.
    """

    aggregation: Aggregation
    amounts: _Numbers
    known: _Counts
    gaps: _Counts

    def __len__(self) -> int:
        return len(self.amounts)

    @classmethod
    def nothing(cls, aggregation: Aggregation, places: int) -> Tally:
        """Give a tally of no cells."""
        start = 0.0 if _OPERATIONS[aggregation] is np.add else np.nan
        return cls(aggregation, np.full(places, start), np.zeros(places, np.int64), np.zeros(places, np.int64))

    def value(self, place: int, *, has_cells: bool = False) -> Value:
        """Say what a place shows.

        Args:
            place: Which one.
            has_cells: Whether it stands for cells, so that without any these are of whole processes.
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
        """Give one place alone."""
        one = slice(place, place + 1)
        return replace(self, amounts=self.amounts[one], known=self.known[one], gaps=self.gaps[one])

    def plus(self, other: Tally) -> Tally:
        """Put two tallies together, place by place."""
        amounts = _OPERATIONS[self.aggregation](self.amounts, other.amounts)
        return replace(self, amounts=amounts, known=self.known + other.known, gaps=self.gaps + other.gaps)

    def less(self, part: Tally) -> Tally:
        """Take a part away that was counted along. Where it was not measured, it is still in the rest."""
        return replace(self, amounts=self.amounts - part.amounts, gaps=self.gaps + part.gaps)

    def at_home(self, tree: Tree) -> Tally:
        """Put together what each node of a tree holds itself."""
        found = self.nothing(self.aggregation, len(tree))
        _OPERATIONS[self.aggregation].at(found.amounts, tree.home, self.amounts)
        np.add.at(found.known, tree.home, self.known)
        np.add.at(found.gaps, tree.home, self.gaps)
        return found

    def up(self, tree: Tree) -> Tally:
        """Add to each node of a tree all that is below it."""
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
        """Put all places together, in their order, as one."""
        one = self.nothing(self.aggregation, 1)
        _OPERATIONS[self.aggregation].at(one.amounts, np.zeros(len(self), np.intp), self.amounts)
        return replace(one, known=self.known.sum(keepdims=True), gaps=self.gaps.sum(keepdims=True))
