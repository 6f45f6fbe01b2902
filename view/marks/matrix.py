"""Draw a matrix: a table whose cells are coloured by their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Final

import numpy as np
import numpy.typing as npt

from .mark import element, short, text, wide

__all__ = ["Matrix"]

_STEPS: Final = 5  # number of colours for positive values, and for negative values
_SIZES: Final = 9


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix of coloured values.

    Attributes:
        rows: Names of the rows.
        columns: Names of the columns.
        values: ``float64[row, column]``: the values; NaN if missing.
        largest: Absolute value at the end of the colour scale; None for the largest absolute value in the matrix.
        signed: Whether colours distinguish positive and negative values.
        said: Texts to show in the cells instead of the values; empty for the values.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    values: npt.NDArray[np.float64]
    largest: float | None = None
    signed: bool = True
    said: Sequence[Sequence[str]] = ()

    def html(self) -> str:
        """Return the matrix as an HTML table; values are written with two decimals."""
        titles = [element("th", element("span", text(short(name))), scope="col", title=name) for name in self.columns]
        most = self.largest or float(np.nanmax(np.abs(self.values), initial=0.0)) or 1.0
        rows = [
            element(
                "tr",
                element("th", text(short(name)), scope="row", title=name),
                *(self._cell(value / most, words) for value, words in zip(row, said, strict=True)),
            )
            for name, row, said in zip(self.rows, self.values.tolist(), self._words(), strict=True)
        ]
        head = element("thead", element("tr", element("td"), *titles))
        return wide(element("table", head, element("tbody", *rows), class_="matrix"))

    def _words(self) -> Sequence[Sequence[str]]:
        return self.said or [[f"{value:.2f}" for value in row] for row in self.values.tolist()]

    def _cell(self, part: float, said: str) -> str:
        if isnan(part):
            return element("td", "–", class_="none")
        step = round(max(-1.0, min(1.0, part)) * _STEPS) if self.signed else round(max(0.0, min(1.0, part)) * _SIZES)
        return element("td", text(said), class_=f"{'s' if self.signed else 'r'}{step}")
