"""Draw curves on two logarithmic axes, with the line of perfect scaling."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import Final

from .mark import element, folded, table, text
from .plot import Plot, at, key_item

__all__ = ["Curve", "Curves"]

_FEW: Final = 9  # maximum number of marks on an axis; if there are more, only powers of ten are marked
_LETTERS: Final = 12  # height in pixels of a number beside the end of a curve
_SIZE: Final = 3.5  # radius of a point


@dataclass(frozen=True)
class Curve:
    """A curve.

    Attributes:
        name: Name in the legend.
        values: The value at each position on the horizontal axis; values of 0 are not drawn.
        colour: Class in ``marks.css``: a colour, ``total`` for the sum of other curves, or ``ideal`` for a dashed line
            without points.
        label: Text at the end of the curve, and before its name in the legend; may be empty.
    """

    name: str
    values: Sequence[float]
    colour: str
    label: str = ""


@dataclass(frozen=True)
class Curves:
    """Curves over a common horizontal axis.

    Attributes:
        at: The positions on the horizontal axis, positive and in ascending order.
        curves: The curves.
        title: Title of the vertical axis.
        noun: Title of the horizontal axis.
        write: Returns a value as text.
    """

    at: Sequence[int]
    curves: Sequence[Curve]
    title: str
    noun: str
    write: Callable[[float], str]

    def html(self) -> str:
        """Return the legend, the picture, and a table of the numbers; values are also tooltips."""
        known = [value for each in self.curves for value in each.values if value > 0]
        marks = _marks(min(known, default=1.0), max(known, default=1.0))
        low, high = log10(marks[0]), log10(marks[-1])
        ticks = marks if len(marks) <= _FEW else [each for each in marks if log10(each).is_integer()]
        first, last = log10(self.at[0]), log10(self.at[-1])
        across = [(log10(each) - first) / (last - first) for each in self.at]
        plot = Plot(
            self.title,
            self.noun,
            [((log10(each) - low) / (high - low), self.write(each)) for each in ticks],
            [(place, str(each)) for place, each in zip(across, self.at, strict=True)],
            height=340,
        )
        drawn: list[str] = []
        key: list[str] = []
        ends: list[tuple[float, str]] = []
        for each in self.curves:
            points = [
                (x, plot.y((log10(value) - low) / (high - low)), f"{at(ranks, self.noun)}: {self.write(value)}")
                for x, ranks, value in zip(map(plot.x, across), self.at, each.values, strict=True)
                if value > 0
            ]
            if each.label and each.values[-1] > 0:
                ends.append((points[-1][1], each.label))
            drawn += _drawn(points, each)
            sample = element("line", class_=f"line {each.colour}", x1=0, x2=14, y1=6, y2=6)
            dot = "" if each.colour == "ideal" else element("circle", class_=each.colour, cx=7, cy=6, r=_SIZE)
            key.append(key_item(sample + dot, f"{each.label} {each.name}".strip()))
        for y, said in _apart(ends, plot.y(0)):
            drawn.append(element("text", text(said), x=plot.x(1), dx=8, y=y + 4))
        rows = [(each.name, *map(self.write, each.values)) for each in self.curves]
        numbers = table((self.noun, *self.at), rows)
        return element("ul", *key, class_="key") + plot.html(*drawn) + folded("numbers", numbers)


def _drawn(points: Sequence[tuple[str, float, str]], curve: Curve) -> Iterator[str]:
    for (x1, y1, _), (x2, y2, _) in pairwise(points):
        yield element("line", class_=f"line {curve.colour}", x1=x1, y1=y1, x2=x2, y2=y2)
    if curve.colour != "ideal":
        for x, y, said in points:
            title = element("title", text(f"{curve.name}, {said}"))
            yield element("circle", title, class_=curve.colour, cx=x, cy=y, r=_SIZE)


def _marks(least: float, most: float) -> list[float]:
    """Return axis marks at 1, 2 and 5 times powers of ten, which enclose the range from ``least`` to ``most``."""
    low, high = floor(log10(least)), ceil(log10(most))
    every = [step * 10.0**power for power in range(low, max(high, low + 1) + 1) for step in (1, 2, 5)]
    first = max(place for place, each in enumerate(every) if each <= least * (1 + 1e-9))
    last = min(place for place, each in enumerate(every) if each >= most * (1 - 1e-9))
    return every[first : max(last, first + 1) + 1]


def _apart(ends: Sequence[tuple[float, str]], lowest: float) -> list[tuple[float, str]]:
    """Return labels with their y coordinates, sorted and moved so that they do not overlap or go below ``lowest``."""
    found: list[tuple[float, str]] = []
    for y, said in sorted(ends):
        found.append((max(y, found[-1][0] + _LETTERS) if found else y, said))
    for place, (y, said) in reversed([*enumerate(found)]):
        found[place] = min(y, lowest), said
        lowest = found[place][0] - _LETTERS
    return found
