"""Draw a chart of points and lines as SVG, with a table of its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, isfinite, log10
from typing import Final, Literal

from .mark import COLOURS, element, folded, short, table, text, wide

__all__ = ["Axis", "Chart", "Series"]

_LEFT: Final = 66
_NAMED: Final = 170  # left margin with names on the axis
_BOTTOM: Final = 42
_SLANTED: Final = 74  # bottom margin with names on the axis
_TOP: Final = 12
_RIGHT: Final = 16
_TICKS: Final = 6
_AROUND: Final = 0.04  # margin between values and axes, as a share of the range of values
_LISTED: Final = 200  # maximum number of rows in the table
_MOST_NAMES: Final = 40  # maximum number of names that fit below a chart
_SHORT: Final = 12  # maximum length of a name in a chart
_FULL: Final = 200  # maximum length of a tooltip
_SIZE: Final = 3.5  # radius of a point
# SVG paths around the centre of a point. The first shape is a circle, which needs no path.
_OUTLINES: Final = ("", "m-3.5-3.5h7v7h-7z", "m0-5l5 5-5 5-5-5z", "m0-4.5l4.2 7.6h-8.4z")


@dataclass(frozen=True)
class Series:
    """Points, or a line through them.

    Attributes:
        name: Name in the legend; empty to leave the series out of the legend.
        x: Horizontal coordinates; NaN and infinity break a line.
        y: Vertical coordinates.
        said: Tooltips of the points.
        labels: Labels beside points; empty for none.
        style: The style in which the series is drawn.
        colour: Index of the colour, ``c0`` … ``c7``; -1 for grey.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    said: Sequence[str] = ()
    labels: Sequence[str] = ()
    style: Literal["points", "line", "dashed", "both", "band", "hollow"] = "points"
    colour: int = 0


@dataclass(frozen=True)
class Axis:
    """An axis of a chart.

    Attributes:
        title: The quantity, with its unit.
        names: Names to show at 0, 1, … instead of numbers; on the vertical axis, from top to bottom.
        log: Whether the axis is logarithmic.
        zero: Whether the axis begins at 0.
        whole: Whether only whole numbers are marked, as for ranks.
    """

    title: str = ""
    names: Sequence[str] = field(default=())
    log: bool = False
    zero: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Chart:
    """Series on two axes.

    Attributes:
        series: The series; later ones are drawn over earlier ones.
        x: The horizontal axis.
        y: The vertical axis.
        width: Width in pixels.
        height: Height in pixels.
        table: Whether to add a table of the numbers.
    """

    series: Sequence[Series]
    x: Axis = Axis()
    y: Axis = Axis()
    width: int = 680
    height: int = 360
    table: bool = True

    def html(self) -> str:
        """Return the legend, the chart and the table as HTML."""
        across = _Scale.of(self.x, [value for each in self.series for value in each.x])
        up = _Scale.of(self.y, [value for each in self.series for value in each.y])
        frame = _Frame(self, across, up)
        drawn = [*frame.axes()]
        for number, each in enumerate(self.series):
            drawn += frame.drawn(each, number)
        what = f"{self.y.title or 'values'} against {self.x.title or 'position'}"
        box = f"0 0 {self.width} {self.height}"
        size = {"width": self.width, "height": self.height}
        chart = element("svg", *drawn, class_="chart", viewBox=box, role="img", aria_label=what, **size)
        return f"{self._key()}{wide(chart)}{self._numbers() if self.table else ''}"

    def _key(self) -> str:
        items = []
        for number, each in enumerate(self.series):
            if each.name:
                mark = element("svg", _shape(number, (7, 7), each), width=14, height=14, aria_hidden="true")
                items.append(element("li", f"{mark} {text(each.name)}"))
        return element("ul", *items, class_="key") if items else ""

    def _numbers(self) -> str:
        rows = [
            (each.name, each.said[place] if place < len(each.said) else "", _called(self.x, x), _called(self.y, y))
            for each in self.series
            for place, (x, y) in enumerate(zip(each.x, each.y, strict=True))
            if isfinite(x) and isfinite(y) and each.style != "band"
        ]
        titles = ("series", "what", self.x.title or "x", self.y.title or "y")
        more = element("p", f"and {len(rows) - _LISTED} more: --csv contains all") if len(rows) > _LISTED else ""
        return folded("numbers", table(titles, rows[:_LISTED]) + more)


def _called(axis: Axis, value: float) -> str:
    if axis.names and 0 <= round(value) < len(axis.names):
        return axis.names[round(value)]
    return f"{value:.4g}"


@dataclass(frozen=True)
class _Scale:
    """Maps the values of an axis to positions from 0 to 1."""

    low: float
    high: float
    log: bool
    ticks: tuple[float, ...]

    @classmethod
    def of(cls, axis: Axis, values: Sequence[float]) -> _Scale:
        if axis.names:
            return cls(-0.5, len(axis.names) - 0.5, log=False, ticks=tuple(range(len(axis.names))))
        known = [each for each in values if isfinite(each) and (each > 0 or not axis.log)]
        least, most = min(known, default=0.0), max(known, default=1.0)
        if axis.log:
            return cls._powers(floor(log10(least)) if known else 0, ceil(log10(most)) if known else 1)
        least = min(0.0, least) if axis.zero else least
        room = _AROUND * ((most - least) or abs(most) or 1.0)
        low, high = least if axis.zero else least - room, most + room
        step = max(_step((high - low) / _TICKS), float(axis.whole))
        ticks = range(ceil(low / step), floor(high / step) + 1)
        return cls(low, high, log=False, ticks=tuple(step * number for number in ticks))

    @classmethod
    def _powers(cls, low: int, high: int) -> _Scale:
        high = max(high, low + 1)
        powers = range(low, high + 1, max(1, ceil((high - low) / _TICKS)))
        return cls(low, high, log=True, ticks=tuple(10.0**power for power in powers))

    def holds(self, value: float) -> bool:
        """Return whether the axis can show a value; a logarithmic axis shows only positive values."""
        return isfinite(value) and (value > 0 or not self.log)

    def part(self, value: float) -> float:
        at = log10(value) if self.log else value
        return (at - self.low) / (self.high - self.low)


def _step(rough: float) -> float:
    """Return a number rounded up to a power of ten, or 2 or 5 times a power of ten."""
    power = 10.0 ** floor(log10(rough)) if rough > 0 else 1.0
    return next(power * each for each in (1, 2, 5, 10) if power * each >= rough * (1 - 1e-9))


class _Frame:
    """The area between the axes of a chart. It converts values to pixels, and draws the axes and series."""

    def __init__(self, chart: Chart, across: _Scale, up: _Scale) -> None:
        self.chart, self.across, self.up = chart, across, up
        self.left = _NAMED if chart.y.names else _LEFT
        self.bottom = chart.height - (_SLANTED if chart.x.names else _BOTTOM)

    def x(self, value: float) -> float:
        return self.left + self.across.part(value) * (self.chart.width - _RIGHT - self.left)

    def y(self, value: float) -> float:
        part = self.up.part(value)
        return _TOP + part * (self.bottom - _TOP) if self.chart.y.names else self.bottom - part * (self.bottom - _TOP)

    def axes(self) -> Iterator[str]:
        """Yield the SVG elements of the axes: grid lines, numbers or names, and titles."""
        chart, right = self.chart, self.chart.width - _RIGHT
        for tick in self.up.ticks:
            y = self.y(tick)
            name = chart.y.names[int(tick)] if chart.y.names else _written(tick)
            yield element("line", class_="rule", x1=self.left, x2=right, y1=y, y2=y)
            yield element("text", text(short(name)), x=self.left - 6, y=y + 4, text_anchor="end")
        yield from self._names_below() if chart.x.names else self._numbers_below()
        yield element("text", text(chart.x.title), x=(self.left + right) / 2, y=chart.height - 6, text_anchor="middle")
        if chart.y.title and not chart.y.names:
            y = (self.bottom + _TOP) / 2
            turned = f"rotate(-90 13 {y:.0f})"
            yield element("text", text(chart.y.title), x=13, y=y, text_anchor="middle", transform=turned)

    def _numbers_below(self) -> Iterator[str]:
        for tick in self.across.ticks:
            x = self.x(tick)
            yield element("line", class_="rule", x1=x, x2=x, y1=_TOP, y2=self.bottom)
            yield element("text", _written(tick), x=x, y=self.bottom + 16, text_anchor="middle")

    def _names_below(self) -> Iterator[str]:
        every = max(1, ceil(len(self.across.ticks) / _MOST_NAMES))
        y = self.bottom + 12
        for tick in self.across.ticks[::every]:
            x = self.x(tick)
            name = text(short(self.chart.x.names[int(tick)], _SHORT))
            yield element("text", name, x=x, y=y, text_anchor="end", transform=f"rotate(-40 {x:.1f} {y})")

    def drawn(self, series: Series, number: int) -> Iterator[str]:
        """Yield the SVG elements of a series."""
        points = [
            (self.x(x), self.y(y)) if self.across.holds(x) and self.up.holds(y) else None
            for x, y in zip(series.x, series.y, strict=True)
        ]
        if series.style in ("line", "dashed", "both", "band"):
            yield _line(points, series)
        if series.style in ("points", "both", "hollow"):
            for row, point in enumerate(points):
                if point:
                    yield _shape(number, point, series, series.said[row] if row < len(series.said) else "")
        for label, point in zip(series.labels, points, strict=False):
            if label and point:
                yield element("text", text(short(label, _SHORT)), x=point[0], y=point[1] - 6, text_anchor="middle")


_Point = tuple[float, float]


def _line(points: Sequence[_Point | None], series: Series) -> str:
    """Return a line through points as SVG, interrupted at missing points."""
    pieces: list[str] = []
    pen = "M"
    for point in points:
        pieces += [f"{pen}{point[0]:.1f} {point[1]:.1f}"] if point else []
        pen = "L" if point else "M"
    dash = "6 4" if series.style == "dashed" else None
    return element("path", class_=f"{series.style} line {_colour(series)}", d="".join(pieces), stroke_dasharray=dash)


def _shape(number: int, at: _Point, series: Series, said: str = "") -> str:
    """Return a series' symbol at a point as SVG: a circle, square, diamond or triangle; for a line, a short line."""
    x, y = at
    if series.style in ("line", "dashed", "band"):
        return _line([(x - 6, y), (x + 6, y)], series)
    colour = f"{_colour(series)}{' hollow' if series.style == 'hollow' else ''}"
    title = element("title", text(short(said, _FULL))) if said else ""
    outline = _OUTLINES[number % len(_OUTLINES)]
    if not outline:
        return element("circle", title, class_=colour, cx=x, cy=y, r=_SIZE)
    return element("path", title, class_=colour, d=f"M{x:.1f} {y:.1f}{outline}")


def _colour(series: Series) -> str:
    return "grey" if series.colour < 0 else f"c{series.colour % COLOURS}"


def _written(value: float) -> str:
    return f"{value:.4g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e") if value else "0"
