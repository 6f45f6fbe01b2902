"""Models of counts over the number of ranks P: the simplest sum of a few forms that is exact within 1 %.

The forms occur in regular programs (Calotoiu et al., SC 2013, section 3), or describe grids of ranks. A model has fewer
coefficients than the number of runs that it is fitted to; otherwise it would fit noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from ..run.arrays import Values
from ..run.criteria import CRITERIA
from .grids import dimensions, grid_forms

__all__ = ["FORMS", "MOST_TERMS", "Model", "allowed_of", "combined", "fitted", "models_in_ranks"]

_Form = Callable[[float], float]
_Terms = tuple[tuple[str, float], ...]

FORMS: Final[dict[str, _Form]] = {
    "1": lambda ranks: 1.0,
    "1/P": lambda ranks: 1 / ranks,
    "log P": lambda ranks: float(np.log2(ranks)),
    "P": float,
    "sqrt P": lambda ranks: float(np.sqrt(ranks)),
}
"""Forms in the number of ranks P, simplest first; the logarithm is to base 2."""

MOST_TERMS: Final = 2
_ROUNDING: Final = 1e-9  # allowed error of a value of 0, relative to the largest value
_ROUGH: Final = 1e-3  # allowed error in a rough test that rules out most models, relative to the largest value
_NOTHING: Final = 1e-6  # smallest size of a term, relative to the largest value


@dataclass(frozen=True)
class Model:
    """A sum of forms.

    Attributes:
        terms: Names of forms with their coefficients.
        grid: The number of dimensions of the ranks' grid; 0 if all forms are functions of the number of ranks P.
    """

    terms: _Terms
    grid: int = 0

    def at(self, ranks: float) -> float:
        """Return the value for a number of ranks."""
        if not self.grid:
            return sum(coefficient * FORMS[form](ranks) for form, coefficient in self.terms)
        forms, sizes = grid_forms(self.grid), dimensions(int(ranks), self.grid)
        return sum(coefficient * forms[form].mean(sizes) for form, coefficient in self.terms)


def fitted(ranks: Sequence[int], values: Sequence[float]) -> Model | None:
    """Return the simplest model in P that is exact within 1 % for all values; None if there is none.

    Args:
        ranks: Numbers of ranks.
        values: A count for each number of ranks, no less than 0. If all are 0, the model has no terms.
    """
    amounts = np.array(values, dtype=np.float64)
    if not amounts.any():
        return Model(())
    for number in range(1, min(MOST_TERMS, len(ranks) - 1) + 1):
        found = [*models_in_ranks(number, ranks, amounts)]
        if found:
            return min(found, key=lambda each: each[0])[1]
    return None


def models_in_ranks(number: int, ranks: Sequence[int], amounts: Values) -> Iterator[tuple[float, Model]]:
    """Yield the models in P that are exact within 1 %, each with its largest error as a share of the allowed error.

    Args:
        number: Number of terms.
        ranks: Numbers of ranks.
        amounts: ``float64[run]``, not all 0.
    """
    columns = {form: np.array([at(each) for each in ranks]) for form, at in FORMS.items()}
    for error, terms in combined(columns, number, amounts, allowed_of(amounts)):
        yield error, Model(terms)


def allowed_of(amounts: Values) -> Values:
    """Return the allowed error of each amount: 1 % of the amount, or a rounding error of the largest amount."""
    return np.maximum(CRITERIA.same_work * amounts, _ROUNDING * float(amounts.max()))


def combined(
    columns: Mapping[str, Values], number: int, amounts: Values, allowed: Values, *, is_grid: bool = False
) -> Iterator[tuple[float, _Terms]]:
    """Yield weighted sums of columns that fit the amounts, each with its largest error as a share of ``allowed``.

    Args:
        columns: Name of a form → its value for each amount.
        number: Number of terms, 1 or 2.
        amounts: The amounts to fit.
        allowed: The allowed error of each amount.
        is_grid: Whether the models are of a grid: at least one form is not in P, and no coefficient is negative.
    """
    for names in _promising(columns, number, amounts, allowed):
        if is_grid and all(name in FORMS for name in names):
            continue
        matrix = np.stack([columns[name] for name in names], axis=1)
        if np.count_nonzero(matrix.any(axis=1)) <= number:  # the logarithm of 1 rank is 0 and shows nothing
            continue
        coefficients, _, rank, _ = np.linalg.lstsq(matrix / allowed[:, None], amounts / allowed, rcond=None)
        error = float((np.abs(matrix @ coefficients - amounts) / allowed).max())
        least = float((coefficients * matrix.max(axis=0)).min())
        if rank == number and error <= 1 and not (is_grid and least < _NOTHING * float(amounts.max())):
            yield error, tuple(zip(names, coefficients.tolist(), strict=True))


def _promising(
    columns: Mapping[str, Values], number: int, amounts: Values, allowed: Values
) -> Iterator[tuple[str, ...]]:
    """Yield the combinations of columns that may be exact; all their normal equations are solved at once."""
    allowed = np.maximum(allowed, _ROUGH * float(amounts.max()))
    weighed = np.stack([*columns.values()]) / allowed
    scaled = amounts / allowed
    products, by_amounts = weighed @ weighed.T, weighed @ scaled
    every = [*combinations(range(len(columns)), number)]
    first, last = np.array([each[0] for each in every]), np.array([each[-1] for each in every])
    if number == 1:
        parts = [by_amounts / np.maximum(np.diag(products), 1e-300)]
    else:
        one, other, both = products[first, first], products[last, last], products[first, last]
        whole = one * other - both**2
        whole = np.where(whole > 1e-12 * one * other, whole, np.inf)
        parts = [
            (by_amounts[first] * other - by_amounts[last] * both) / whole,
            (by_amounts[last] * one - by_amounts[first] * both) / whole,
        ]
    sums = sum(part[:, None] * weighed[place] for part, place in zip(parts, (first, last), strict=False))
    is_near = np.abs(sums - scaled).max(axis=1) <= 2
    names = [*columns]
    yield from (tuple(names[place] for place in every[each]) for each in np.flatnonzero(is_near))
