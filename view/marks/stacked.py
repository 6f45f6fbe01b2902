"""Draw stacked bars, one per row, with the same parts in the same order and colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from .mark import element, short, text, wide

__all__ = ["Part", "Stack", "Stacked"]

_WIDTH: Final = 480.0  # length of the longest bar in pixels
_HEIGHT: Final = 14
_SEEN: Final = 0.05  # minimum width in pixels at which a part is drawn


@dataclass(frozen=True)
class Part:
    """A part of each bar.

    Attributes:
        name: Name in the legend.
        colour: Class or classes in ``marks.css``.
    """

    name: str
    colour: str


@dataclass(frozen=True)
class Stack:
    """A row with a stacked bar.

    Attributes:
        name: Name of the row.
        place: Source location of the row's region; may be empty.
        values: The value of each part.
        said: The values as text.
        total: The sum of the values as text.
    """

    name: str
    place: str
    values: Sequence[float]
    said: Sequence[str]
    total: str


@dataclass(frozen=True)
class Stacked:
    """Stacked bars, from top to bottom.

    Attributes:
        parts: The parts, from left to right; parts that are too small in all rows are left out.
        rows: The rows.
    """

    parts: Sequence[Part]
    rows: Sequence[Stack]

    def html(self) -> str:
        """Return a legend, and a table with a bar and its total in each row; tooltips contain the values of parts."""
        scale = _WIDTH / (max((sum(row.values) for row in self.rows), default=0.0) or 1.0)
        shown = [
            place for place in range(len(self.parts)) if any(row.values[place] * scale >= _SEEN for row in self.rows)
        ]
        key = element("ul", *(_key(self.parts[place]) for place in shown), class_="key")
        rows = [
            element(
                "tr",
                element("th", text(short(row.name)), scope="row", title=row.name),
                element("td", self._bar(row, shown, scale)),
                element("td", text(row.total), class_="number"),
                element("td", text(row.place)),
            )
            for row in self.rows
        ]
        return key + wide(element("table", element("tbody", *rows), class_="bars"))

    def _bar(self, row: Stack, shown: Sequence[int], scale: float) -> str:
        said = "; ".join(f"{self.parts[place].name} {row.said[place]}" for place in shown if row.values[place] > 0)
        return element(
            "svg", *self._rects(row, shown, scale), width=_WIDTH, height=_HEIGHT, role="img", aria_label=said
        )

    def _rects(self, row: Stack, shown: Sequence[int], scale: float) -> Iterator[str]:
        start = 0.0
        for place in shown:
            width = row.values[place] * scale
            if width >= _SEEN:
                title = element("title", text(f"{self.parts[place].name}: {row.said[place]}"))
                colour = self.parts[place].colour
                yield element("rect", title, class_=f"part {colour}", x=start, width=width, height=_HEIGHT)
            start += width


def _key(part: Part) -> str:
    swatch = element("rect", class_=f"part {part.colour}", width=12, height=12)
    return element("li", element("svg", swatch, width=12, height=12, aria_hidden="true"), f" {text(part.name)}")
