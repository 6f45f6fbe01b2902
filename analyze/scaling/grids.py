"""Counts of ranks that form a grid: what they send to neighbours, and how often they enter loops over the grid.

Grids are as even as possible, like those of MPI_Dims_create. From 4 to 8 ranks, only one dimension of a grid grows. So
counts with 2, 4 and 8 ranks may fit a form in the number of ranks P that is wrong for 16 ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import prod
from typing import Final

__all__ = ["GRIDS", "WAYS", "GridForm", "dimensions", "grid_forms"]

GRIDS: Final = (1, 2, 3)
"""The numbers of dimensions that are tried."""

WAYS: Final = (0, 1)
"""Ranks send only to the next rank in each dimension (0), or to both neighbours (1)."""

_Sizes = tuple[int, ...]
_Amount = Callable[[_Sizes], float]


@dataclass(frozen=True)
class GridForm:
    """An amount per rank in a grid, as a function of the grid's sizes.

    Attributes:
        name: Name of the form, with the number of dimensions.
        mean: Computes the mean over the ranks from the sizes of the grid.
        shares: For each of ``WAYS``, functions that compute the largest and the smallest amount of a rank; empty if all
            ranks have the same amount.
        by_axis: Whether the amount depends on one of several dimensions.
    """

    name: str
    mean: _Amount
    shares: tuple[tuple[_Amount, _Amount], ...] = ()
    by_axis: bool = False

    def extremes(self, sizes: _Sizes, way: int) -> tuple[float, float]:
        """Return the largest and the smallest amount of a rank."""
        if not self.shares:
            return self.mean(sizes), self.mean(sizes)
        most, least = self.shares[way]
        return most(sizes), least(sizes)


@cache
def dimensions(ranks: int, number: int) -> _Sizes:
    """Return the sizes of the most even grid with a given number of dimensions, the largest first."""
    if number == 1:
        return (ranks,)
    root = round(ranks ** (1 / number))
    root -= root**number > ranks
    least = next(each for each in range(root, 0, -1) if ranks % each == 0)
    return tuple(sorted((*dimensions(ranks // least, number - 1), least), reverse=True))


@cache
def grid_forms(number: int) -> Mapping[str, GridForm]:
    """Return the forms of grids with the given number of dimensions, by name; any program may have ``1`` and ``1/P``.

    A cut through the whole grid has the area 1. If it is across the dimension of size p, each rank's part of it has the
    area p / P. With one dimension, all forms except the cuts are forms in P.
    """
    every = (*range(number),)
    found = [GridForm("1", lambda _: 1.0), GridForm("1/P", lambda sizes: 1 / prod(sizes))]
    found.append(_cuts(f"{number}-D cuts", every, _area))
    if number > 1:
        found.append(_cuts(f"{number}-D neighbours", every, _one))
        found.append(GridForm(f"{number}-D faces", lambda sizes: sum(_area(sizes, axis) for axis in every)))
        for axis in every:
            found.append(_cuts(f"{number}-D cuts of p{axis + 1}", (axis,), _area, by_axis=True))
            found.append(_cuts(f"{number}-D neighbours along p{axis + 1}", (axis,), _one, by_axis=True))
            found.append(GridForm(f"1/p{axis + 1} in {number}-D", partial(_inverse, axis), by_axis=True))
            if number > 2:  # in two dimensions, this is the inverse of the other size
                found.append(GridForm(f"p{axis + 1}/P in {number}-D", partial(_area, axis=axis), by_axis=True))
    return {each.name: each for each in found}


def _one(sizes: _Sizes, axis: int) -> float:
    return 1.0


def _area(sizes: _Sizes, axis: int) -> float:
    return sizes[axis] / prod(sizes)


def _inverse(axis: int, sizes: _Sizes) -> float:
    return 1 / sizes[axis]


def _cuts(name: str, axes: Sequence[int], amount: Callable[[_Sizes, int], float], *, by_axis: bool = False) -> GridForm:
    """Return the form of an amount per neighbour along the given axes; ranks at the edges have fewer neighbours."""

    def mean(sizes: _Sizes) -> float:
        return sum((sizes[axis] - 1) / sizes[axis] * amount(sizes, axis) for axis in axes)

    def most(sizes: _Sizes, neighbours: int) -> float:
        return sum(min(sizes[axis] - 1, neighbours) * amount(sizes, axis) for axis in axes) / neighbours

    def least(sizes: _Sizes, neighbours: int) -> float:
        return sum(amount(sizes, axis) for axis in axes if sizes[axis] > 1) / neighbours if neighbours > 1 else 0.0

    shares = tuple((partial(most, neighbours=each), partial(least, neighbours=each)) for each in (1, 2))
    return GridForm(name, mean, shares, by_axis)
