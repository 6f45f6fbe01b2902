"""Draw rows of horizontal bars, with a number beside each bar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite, log10
from typing import Final

from .mark import COLOURS, element, short, text, wide

__all__ = ["Bar", "Bars"]

_WIDTH: Final = 240  # length of the longest bar in pixels
_HEIGHT: Final = 12


@dataclass(frozen=True)
class Bar:
    """A row with one or several bars.

    Attributes:
        name: Name of the row.
        values: The value of each bar; the bar of an infinite value is as long as the longest bar.
        said: The values as text.
        colours: Index of each bar's colour; by default, the index of the bar.
    """

    name: str
    values: Sequence[float]
    said: Sequence[str]
    colours: Sequence[int] = ()


@dataclass(frozen=True)
class Bars:
    """Bars, from top to bottom.

    Attributes:
        rows: The rows.
        title: The quantity that the bars show.
        names: Names of the bars of a row; empty for a single bar.
        log: Whether lengths are logarithmic.
    """

    rows: Sequence[Bar]
    title: str
    names: Sequence[str] = field(default=())
    log: bool = False

    def html(self) -> str:
        """Return a table with a bar and a number in each row."""
        sizes = [abs(value) for row in self.rows for value in row.values if isfinite(value) and value]
        titles = [element("th", text(name), scope="col", colspan=2) for name in self.names or (self.title,)]
        rows = [
            element("tr", element("th", text(short(row.name)), scope="row", title=row.name), *self._cells(row, sizes))
            for row in self.rows
        ]
        said = ", ".join([*([self.title] if self.names else []), *(["bars are logarithmic"] if self.log else [])])
        head = element("thead", element("tr", element("td"), *titles))
        table = wide(element("table", head, element("tbody", *rows), class_="bars"))
        return f"{element('p', text(said)) if said else ''}{table}"

    def _cells(self, row: Bar, sizes: Sequence[float]) -> Iterator[str]:
        for place, (value, said) in enumerate(zip(row.values, row.said, strict=True)):
            width = _WIDTH * self._part(value, sizes) / max(1, len(row.values))
            colour = (row.colours[place] if row.colours else place) % COLOURS
            bar = element("rect", class_=f"c{colour}{' less' if value < 0 else ''}", width=width, height=_HEIGHT)
            yield element("td", element("svg", bar, width=width, height=_HEIGHT, aria_hidden="true"))
            yield element("td", text(said), class_="number")

    def _part(self, value: float, sizes: Sequence[float]) -> float:
        most = max(sizes, default=1.0)
        if not isfinite(value):
            return 1.0
        if not self.log or not value:
            return abs(value) / most
        least = min(sizes) / 10  # so that the shortest bar is visible
        return log10(abs(value) / least) / log10(most / least)
