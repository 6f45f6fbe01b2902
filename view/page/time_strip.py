"""Draw the regions of a traced run over time, a row per rank: the picture below the findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..marks.mark import COLOURS, element, text
from ..units import percent, seconds
from .time_lines import TimeLines

__all__ = ["time_strip"]

_HIGH: Final = 96  # pixels of all rows together
_TALLEST: Final = 14  # maximum height of a row in pixels
_LEAST_NAMED: Final = 12  # minimum height in pixels of rows that all have their names
_CELLS: Final = 3200  # maximum number of coloured cells, so that the page stays small
_MOST_COLUMNS: Final = 400
_OTHERS: Final = COLOURS - 1  # colour of all regions except the largest ones; as regionColour in src/colours.js

_Paths = npt.NDArray[np.float64]


def time_strip(times: TimeLines) -> str:
    """Return a figure with the main region of each rank, or range of ranks, over time, and a legend."""
    head, regions = times.head, times.regions
    rows = slice(1 if len(regions) > 1 else 0, None)  # without the row of all ranks
    names, own = head["rows"][rows], regions[rows]
    shares = np.array([np.mean(own == path) for path in range(len(head["paths"]))])
    order = np.argsort(-shares, kind="stable").tolist()
    places = {path: min(place, _OTHERS) for place, path in enumerate(order)}
    high = max(2, min(_TALLEST, _HIGH // len(own)))
    columns = min(_MOST_COLUMNS, own.shape[1], max(1, _CELLS // len(own)))
    drawn = [
        element(
            "path", class_=f"c{places.get(int(path), _OTHERS)}", d=f"M{left} {row * high}h{wide}v{high - 1}h-{wide}z"
        )
        for row, line in enumerate(own)
        for left, wide, path in _spans(line, columns)
    ]
    first = [each for each in order[:_OTHERS] if shares[each] > 0]
    said = {each: f"{_name(head['paths'][each])} {percent(100 * shares[each])}" for each in first}
    box = {"viewBox": f"0 0 {columns} {high * len(own)}", "preserveAspectRatio": "none", "height": high * len(own)}
    picture = element(
        "svg", *drawn, role="img", aria_label=f"Regions over time: mostly {', '.join([*said.values()][:3])}", **box
    )
    has_names = high >= _LEAST_NAMED or len(names) < 3
    labels = "".join(element("li", text(each)) for each in (names if has_names else (names[0], names[-1])))
    start, end = (element("span", seconds(each) if each else "0 s") for each in head["edges"])
    key = "".join(element("li", _swatch(places[each]), f" {text(said[each])}") for each in first)
    more = element("li", _swatch(_OTHERS), " others") if (shares[order[_OTHERS:]] > 0).any() or (own < 0).any() else ""
    return element(
        "figure",
        element("ol", labels, class_=None if has_names else "ends"),
        picture,
        element("p", start, element("span", "the region with the most time; more in the tab Time"), end),
        element("figcaption", element("ul", key, more, class_="key")),
        class_="time-strip",
    )


def _spans(line: _Paths, columns: int) -> list[tuple[int, int, float]]:
    """Return the first column, the number of columns and the call path of each span with the same main call path."""
    edges = np.linspace(0, len(line), columns + 1).astype(int)
    spans: list[tuple[int, int, float]] = []
    for column in range(columns):
        values, counts = np.unique(line[edges[column] : edges[column + 1]], return_counts=True, equal_nan=True)
        path = float(values[counts.argmax()])
        if spans and (spans[-1][2] == path or (np.isnan(path) and np.isnan(spans[-1][2]))):
            left, wide, _ = spans.pop()
            spans.append((left, wide + 1, path))
        else:
            spans.append((column, 1, path))
    return [each for each in spans if not np.isnan(each[2])]


def _name(path: Mapping[str, Any]) -> str:
    """Return the name of a region; the place of a loop, whose name has only its line."""
    name, place = str(path["name"]), str(path["place"])
    return place if place and "@" in name else name


def _swatch(colour: int) -> str:
    return element(
        "svg", element("rect", class_=f"c{colour}", width=12, height=12), width=12, height=12, aria_hidden="true"
    )
