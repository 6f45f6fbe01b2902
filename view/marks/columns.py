"""Draw stacked columns, one for each run, with the same parts in the same order and colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from .mark import element, folded, table, text
from .plot import Plot, at, key_item
from .stacked import Part

__all__ = ["Column", "Columns"]

_FULL: Final = 0.62  # width of a column as a share of the distance between columns
_SEEN: Final = 0.5  # minimum height in pixels at which a part is drawn
_MOST_LABELS: Final = 8  # maximum number of columns that are wide enough for the value of the first part
_LETTERS: Final = 20  # minimum height in pixels of a part that contains its value
_STEP: Final = 0.25  # distance between labels on the vertical axis, up to a height of _MOST_STEPS
_MOST_STEPS: Final = 2


@dataclass(frozen=True)
class Column:
    """A column of a chart, stacked from parts.

    Attributes:
        name: Name of the column.
        values: The value of each part, as a share of the total. The values add up to 1, and some may be negative.
        said: The values as text.
        amounts: The values in the unit of the total instead of shares, as text.
    """

    name: str
    values: Sequence[float]
    said: Sequence[str]
    amounts: Sequence[str]


@dataclass(frozen=True)
class Columns:
    """Stacked columns of shares, from left to right.

    Attributes:
        parts: The parts, from the bottom to the top; parts that are too small in all columns are left out.
        columns: The columns.
        title: Title of the vertical axis.
        noun: Plural noun for the names of columns, such as ``ranks``.
        unit: Unit of the amounts, such as ``rank-seconds``.
        gain: Name in the legend for the part of a column that negative values offset.
    """

    parts: Sequence[Part]
    columns: Sequence[Column]
    title: str
    noun: str
    unit: str
    gain: str

    def html(self) -> str:
        """Return the legend, the picture, and a table of the numbers; values of parts are also tooltips."""
        top = max([1.0, *(sum(value for value in each.values if value > 0) for each in self.columns)])
        number = len(self.columns)
        step = _STEP * ceil(top / _MOST_STEPS)
        marks = [each * step for each in range(int(top / step + 1e-9) + 1)]
        plot = Plot(
            self.title,
            self.noun,
            [(each / top, f"{100 * each:.0f} %") for each in marks],
            [((place + 0.5) / number, each.name) for place, each in enumerate(self.columns)],
        )
        listed = [
            place
            for place in range(len(self.parts))
            if any(abs(plot.high(each.values[place] / top)) >= _SEEN for each in self.columns)
        ]
        shown = [place for place in listed if any(each.values[place] > 0 for each in self.columns)]
        has_gain = any(plot.high(_gain(each) / top) >= _SEEN for each in self.columns)
        swatches = [(self.parts[place].colour, self.parts[place].name) for place in shown]
        key = [
            key_item(element("rect", class_=f"part {colour}", width=12, height=12), name)
            for colour, name in [*swatches, *([("gain", self.gain)] if has_gain else [])]
        ]
        drawn = (
            part for place, each in enumerate(self.columns) for part in self._column(plot, place, each, shown, top)
        )
        rows = [
            (each.name, self.parts[part].name, each.amounts[part], each.said[part])
            for each in self.columns
            for part in listed
        ]
        numbers = table((self.noun, "part", self.unit, "share"), rows)
        return element("ul", *key, class_="key") + plot.html(*drawn) + folded("numbers", numbers)

    def _column(self, plot: Plot, place: int, column: Column, shown: Sequence[int], top: float) -> Iterator[str]:
        slot = 1 / len(self.columns)
        left, wide = plot.x((place + (1 - _FULL) / 2) * slot), plot.wide(_FULL * slot)
        top_of = 0.0
        for part in shown:
            value = column.values[part]
            if plot.high(value / top) < _SEEN:
                continue
            top_of += value
            said = f"{at(column.name, self.noun)}: {self.parts[part].name} {column.said[part]}, {column.amounts[part]}"
            box = {"x": left, "width": wide, "y": plot.y(top_of / top), "height": plot.high(value / top)}
            yield element("rect", element("title", text(said)), class_=f"part {self.parts[part].colour}", **box)
        gain = _gain(column)
        if plot.high(gain / top) >= _SEEN:
            box = {"x": left, "width": wide, "y": plot.y(top_of / top), "height": plot.high(gain / top)}
            said = f"{at(column.name, self.noun)}: {self.gain}"
            yield element("rect", element("title", text(said)), class_="gain", **box)
        if shown and len(self.columns) <= _MOST_LABELS:
            first = column.values[shown[0]] / top
            if plot.high(first) >= _LETTERS:
                middle = plot.x((place + 0.5) * slot)
                yield element("text", text(column.said[shown[0]]), x=middle, y=plot.y(first) + 15, text_anchor="middle")


def _gain(column: Column) -> float:
    return -sum(value for value in column.values if value < 0)
