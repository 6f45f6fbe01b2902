"""Models of counts over the number of ranks: the simplest sum of few forms that is exact within 1 %.

The forms are those that regular programs have (Calotoiu et al., SC 2013, section 3). A model has fewer coefficients
than it was fitted to numbers of ranks; otherwise it would fit noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from ..run.criteria import CRITERIA

__all__ = ["FORMS", "Model", "fitted"]

FORMS: Final[dict[str, Callable[[float], float]]] = {
    "1": lambda ranks: 1.0,
    "1/P": lambda ranks: 1 / ranks,
    "log P": lambda ranks: float(np.log2(ranks)),
    "P": float,
    "sqrt P": lambda ranks: float(np.sqrt(ranks)),
}
"""Of the number of ranks P, simplest first; the logarithm is to base 2."""

_MOST_TERMS: Final = 2
_ROUNDING: Final = 1e-9  # relative to the largest value, where a value is 0


@dataclass(frozen=True)
class Model:
    """A sum of forms.

    Attributes:
        terms: Form → its coefficient.
    """

    terms: tuple[tuple[str, float], ...]

    def at(self, ranks: float) -> float:
        """Return the value for a number of ranks."""
        return sum(coefficient * FORMS[form](ranks) for form, coefficient in self.terms)


def fitted(ranks: Sequence[int], values: Sequence[float]) -> Model | None:
    """Return the simplest model that is exact within 1 % for all values; None if there is none.

    Args:
        ranks: Numbers of ranks.
        values: A count for each, no less than 0. If all are 0, the model has no terms.
    """
    amounts = np.array(values, dtype=np.float64)
    largest = float(amounts.max(initial=0.0))
    if largest == 0:
        return Model(())
    allowed = np.maximum(CRITERIA.same_work * amounts, _ROUNDING * largest)
    columns = {form: np.array([at(each) for each in ranks]) for form, at in FORMS.items()}
    for number in range(1, min(_MOST_TERMS, len(ranks) - 1) + 1):
        found: list[tuple[float, Model]] = []
        for forms in combinations(FORMS, number):
            matrix = np.stack([columns[form] for form in forms], axis=1)
            if np.count_nonzero(matrix.any(axis=1)) <= number:  # the logarithm of 1 rank shows nothing
                continue
            coefficients, _, rank, _ = np.linalg.lstsq(matrix / allowed[:, None], amounts / allowed, rcond=None)
            error = float((np.abs(matrix @ coefficients - amounts) / allowed).max())
            if rank == number and error <= 1:
                found.append((error, Model(tuple(zip(forms, coefficients.tolist(), strict=True)))))
        if found:
            return min(found, key=lambda each: each[0])[1]
    return None
