"""Draw a grid of processes, each with the colour and letter of its cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..units import letters
from .mark import COLOURS, element, text, wide

__all__ = ["Grid"]


@dataclass(frozen=True, eq=False)
class Grid:
    """One plane of a grid.

    Attributes:
        clusters: ``float64[row, column]``: the cluster at each position; NaN for an empty position.
        labels: The process at each position.
        names: Names of the clusters.
        title: Title of the plane.
    """

    clusters: npt.NDArray[np.float64]
    labels: Sequence[Sequence[str]]
    names: Sequence[str]
    title: str = ""

    def html(self) -> str:
        """Return the plane as an HTML table, with a legend of its letters."""
        rows = [
            element("tr", *map(self._cell, row, labels))
            for row, labels in zip(self.clusters.tolist(), self.labels, strict=True)
        ]
        key = [
            element("li", element("b", letters(number), class_=f"c{number % COLOURS}"), f" {text(name)}")
            for number, name in enumerate(self.names)
        ]
        title = element("caption", text(self.title)) if self.title else ""
        table = wide(element("table", title, element("tbody", *rows), class_="places"))
        return f"{element('ul', *key, class_='key') if key else ''}{table}"

    @staticmethod
    def _cell(cluster: float, label: str) -> str:
        if np.isnan(cluster):
            return element("td")
        who = element("small", text(label))
        return element("td", f"{letters(int(cluster))} {who}", class_=f"c{int(cluster) % COLOURS}")
