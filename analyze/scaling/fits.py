"""Find models that fit a count, as a function of the number of ranks P, or of the grid that the ranks form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np

from ..run.arrays import Values
from ..run.criteria import CRITERIA, THRESHOLD
from .grids import WAYS, dimensions, grid_forms
from .models import MOST_TERMS, Model, allowed_of, combined, fitted, models_in_ranks

__all__ = ["HOLDS", "Counted", "fits", "grids_shown"]

HOLDS: Final = 0.03
"""The largest relative error with which a prediction counts as correct."""

_FEWEST: Final = 3  # minimum number of runs that can show a grid
_EXACT: Final = 0.1  # largest error of a model that counts as exact, as a share of the 1 % that is allowed


@dataclass(frozen=True)
class Counted:
    """A count in one call path, for different numbers of ranks; arrays are ``float64[run]``.

    Attributes:
        ranks: Numbers of ranks.
        mean: The mean over the ranks, no less than 0.
        least: The smallest count of any rank.
        most: The largest count of any rank.
        possible: The numbers of dimensions that the ranks' grid may have, if the ranks form a grid.
        known: The numbers of dimensions that the program is known to use. In grids with these numbers, counts may also
            depend on single dimensions.
    """

    ranks: tuple[int, ...]
    mean: Values
    least: Values
    most: Values
    possible: tuple[int, ...]
    known: tuple[int, ...] = ()

    @property
    def grids(self) -> tuple[int, ...]:
        """The numbers of dimensions to try: the known ones, and 1 for a chain; all possible ones if none is known."""
        return tuple(each for each in self.possible if not self.known or each in (1, *self.known))

    @property
    def differs(self) -> bool:
        """Whether a rank's count is less than nine tenths of another rank's count."""
        return bool((self.least < (1 - THRESHOLD) * self.most).any())

    @property
    def starts_with_2(self) -> bool:
        """Whether the first run has one rank, whose count is 0, and at least two other runs have counts."""
        return self.ranks[0] == 1 and not self.most[0] and int(np.count_nonzero(self.most)) > 1

    @property
    def without_1(self) -> Counted:
        """The same count without the first run."""
        rest = {name: getattr(self, name)[1:] for name in ("ranks", "mean", "least", "most")}
        return replace(self, **rest)


def fits(counted: Counted) -> list[Model]:
    """Return the simplest models that are exact within 1 %: the best one first, then others that are as good.

    If no model fits, and the count is 0 with one rank (which has no other rank to communicate with), this run is left
    out.
    """
    found = _fits(counted)
    return found if found or not counted.starts_with_2 else _fits(counted.without_1)


def _fits(counted: Counted) -> list[Model]:
    """Return the simplest models that are exact within 1 % in all runs.

    If ranks differ as they do between the middle and the edges of a grid, models of this grid are preferred. If ranks
    differ in another way, the largest and the smallest count must also have models in the number of ranks P, unless the
    total stays the same. Without evidence of a grid, models of grids must be exact and have only one term.
    """
    if not counted.mean.any():
        return [Model(())]
    numbers = range(1, min(MOST_TERMS, len(counted.ranks) - 1) + 1)
    alike = [each for number in numbers for each in _of_edges(number, counted)]
    if counted.differs and alike:
        exact = [each for each in alike if len(each[1].terms) == 1 and each[0] <= _EXACT]
        return _best(exact or alike)
    is_regular = not counted.differs or len(counted.ranks) < _FEWEST or _have_models(counted)
    for number in numbers:
        found = [*models_in_ranks(number, counted.ranks, counted.mean)]
        if not is_regular:
            found = [each for each in found if [name for name, _ in each[1].terms] == ["1/P"]]
        if not counted.differs:
            of_grids = [*(each for each in alike if len(each[1].terms) == number), *_of_grids(number, counted)]
            found += [each for each in of_grids if each[1].grid in counted.known or (number == 1 and each[0] <= _EXACT)]
        if len(counted.ranks) == number + 1 > 2:  # two terms can fit almost any three values
            found = [each for each in found if each[0] <= _EXACT]
        if found:
            return _best(found)
    return []


def grids_shown(counted: Counted) -> set[int]:
    """Return the numbers of dimensions of the grids that explain how counts differ between ranks."""
    if not counted.differs:
        return set()
    return {model.grid for number in (1, MOST_TERMS) for _, model in _of_edges(number, counted)}


def _best(found: list[tuple[float, Model]]) -> list[Model]:
    """Return the model with the smallest error, and others that are as good."""
    found = sorted(found, key=lambda each: each[0])
    allowed = max(4 * found[0][0], _EXACT)
    return [model for error, model in found if error <= allowed]


def _of_edges(number: int, counted: Counted) -> Iterator[tuple[float, Model]]:
    """Yield the models of a grid in which ranks at the edges do less, each with its error.

    The largest and the smallest count need to agree with the grid only to within a tenth, because they deviate a little
    if the grid does not divide the data evenly.
    """
    if len(counted.ranks) < _FEWEST:
        return
    amounts = np.concatenate([counted.mean, counted.most, counted.least])
    allowed = np.concatenate(
        [allowed_of(counted.mean), *2 * [allowed_of(counted.most) * THRESHOLD / CRITERIA.same_work]]
    )
    for grid in counted.grids:
        by_axis = counted.differs or grid in counted.known
        if number == 1 or by_axis:  # otherwise, several terms may fit although there is no grid
            for way in WAYS:
                columns = _columns_of_edges(counted.ranks, grid, way, by_axis=by_axis)
                for error, terms in combined(columns, number, amounts, allowed, is_grid=True):
                    if any(grid_forms(grid)[name].shares for name, _ in terms):
                        yield error, Model(terms, grid)


@cache
def _columns_of_edges(ranks: tuple[int, ...], grid: int, way: int, *, by_axis: bool) -> dict[str, Values]:
    """Map each form to an array: the means for all numbers of ranks, then the largest amounts, then the smallest."""
    found, sizes = {}, [dimensions(each, grid) for each in ranks]
    for name, form in grid_forms(grid).items():
        if not form.by_axis or (form.shares and by_axis):
            most, least = zip(*(form.extremes(each, way) for each in sizes), strict=True)
            found[name] = np.array([*map(form.mean, sizes), *most, *least])
    return found


def _of_grids(number: int, counted: Counted) -> Iterator[tuple[float, Model]]:
    """Yield the models of a grid in which all ranks have the same amount, each with its error."""
    for grid in counted.grids if len(counted.ranks) >= _FEWEST else ():
        is_known = grid in counted.known
        if is_known or number == 1:
            columns = _columns(counted.ranks, grid, by_axis=is_known)
            for error, terms in combined(columns, number, counted.mean, allowed_of(counted.mean), is_grid=True):
                yield error, Model(terms, grid)


@cache
def _columns(ranks: tuple[int, ...], grid: int, *, by_axis: bool) -> dict[str, Values]:
    """Map each form in which all ranks have the same amount to this amount: ``float64[run]``."""
    sizes = [dimensions(each, grid) for each in ranks]
    forms = (each for each in grid_forms(grid).values() if not each.shares and (by_axis or not each.by_axis))
    return {form.name: np.array([*map(form.mean, sizes)]) for form in forms}


def _have_models(counted: Counted) -> bool:
    """Return whether the largest and the smallest count of a rank have models in P; runs with one rank do not count."""
    several = np.array(counted.ranks) > 1
    ranks = [each for each in counted.ranks if each > 1]
    return all(fitted(ranks, each[several].tolist()) is not None for each in (counted.least, counted.most))
