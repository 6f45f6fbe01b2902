"""Draw the regions of a traced run over time, one row per rank: the picture below the findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..marks.mark import COLOURS, element, text
from ..units import percent, seconds
from .time_lines import TimeLines

__all__ = ["time_strip"]

_HIGH: Final = 96  # height of all rows together in pixels
_TALLEST: Final = 14  # maximum height of a row in pixels
_LEAST_NAMED: Final = 12  # minimum height in pixels at which all rows show their names
_CELLS: Final = 2400  # maximum number of coloured cells, so that the page stays small
_MOST_COLUMNS: Final = 400
_OTHERS: Final = COLOURS - 1  # colour of all regions except the largest ones; twin: regionColour in src/colours.js
_STARTUP: Final = ("MPI_Init", "MPI_Init_thread")
_NAMED_BY_PLACE: Final = ("loop", "parallel")  # kinds of regions whose names contain only a line number

_Paths = npt.NDArray[np.float64]


def time_strip(times: TimeLines) -> str:
    """Return a figure with the main region of each rank, or range of ranks, over time, and a legend."""
    head = times.head
    rows = slice(1 if len(times.regions) > 1 else 0, None)  # without the row of all ranks
    regions, own = _by_region(head["paths"], times.regions[rows])
    names = head["rows"][rows]
    shares = np.array([np.mean(own == region) for region in range(len(regions))])
    order = np.argsort(-shares, kind="stable").tolist()
    colours = {region: min(place, _OTHERS) for place, region in enumerate(order)}
    high = max(2, min(_TALLEST, _HIGH // len(own)))
    columns = min(_MOST_COLUMNS, own.shape[1], max(1, _CELLS // len(own)))
    drawn: dict[int, list[str]] = {}
    for row, line in enumerate(own):
        for left, wide, region in _spans(line, columns):
            box = f"M{left} {row}h{wide}v.9h-{wide}z"
            drawn.setdefault(colours.get(int(region), _OTHERS), []).append(box)
    first = [each for each in order[:_OTHERS] if shares[each] > 0]
    said = {each: f"{regions[each]} {percent(100 * shares[each])}" for each in first}
    picture = element(
        "svg",
        *(element("path", class_=f"c{colour}", d="".join(boxes)) for colour, boxes in sorted(drawn.items())),
        role="img",
        aria_label=f"Regions over time in {head['title']}: mostly {', '.join([*said.values()][:3])}",
        viewBox=f"0 0 {columns} {len(own)}",
        preserveAspectRatio="none",
        height=high * len(own),
    )
    has_names = high >= _LEAST_NAMED or len(names) < 3
    labels = "".join(element("li", text(each)) for each in (names if has_names else (names[0], names[-1])))
    start, end = (element("span", seconds(each) if each else "0 s") for each in head["edges"])
    key = "".join(element("li", _swatch(colours[each]), f" {text(said[each])}") for each in first)
    more = element("li", _swatch(_OTHERS), " others") if (shares[order[_OTHERS:]] > 0).any() or (own < 0).any() else ""
    startup = ", with MPI startup and shutdown" * any(each["name"] in _STARTUP for each in head["paths"])
    title = f"{head['title']}{startup}: the main region at each moment; the tab Time shows more"
    return element(
        "figure",
        element("ol", labels, class_=None if has_names else "ends"),
        picture,
        element("p", start, element("span", text(title)), end),
        element("figcaption", element("ul", key, more, class_="key")),
        class_="time-strip",
    )


def _by_region(paths: Sequence[Mapping[str, Any]], own: _Paths) -> tuple[list[str], _Paths]:
    """Return distinct names of the regions, and ``own`` with indices of regions instead of call paths."""
    found: dict[tuple[str, str, str], float] = {}
    of_path = np.array([found.setdefault((each["kind"], each["name"], each["place"]), len(found)) for each in paths])
    names = [place if kind in _NAMED_BY_PLACE and place else name for kind, name, place in found]
    several = {name for name in names if names.count(name) > 1}
    shown = [
        f"{name} ({full if name == place else place or kind})" if name in several else name
        for name, (kind, full, place) in zip(names, found, strict=True)
    ]
    regions = own.copy()
    is_path = own >= 0
    regions[is_path] = of_path[own[is_path].astype(int)]
    return shown, regions


def _spans(line: _Paths, columns: int) -> list[tuple[int, int, float]]:
    """Return spans with the same main region: the first column, the number of columns, and the region of each."""
    edges = np.linspace(0, len(line), columns + 1).astype(int)
    spans: list[tuple[int, int, float]] = []
    for column in range(columns):
        values, counts = np.unique(line[edges[column] : edges[column + 1]], return_counts=True, equal_nan=True)
        region = float(values[counts.argmax()])
        if spans and (spans[-1][2] == region or (np.isnan(region) and np.isnan(spans[-1][2]))):
            left, wide, _ = spans.pop()
            spans.append((left, wide + 1, region))
        else:
            spans.append((column, 1, region))
    return [each for each in spans if not np.isnan(each[2])]


def _swatch(colour: int) -> str:
    return element(
        "svg", element("rect", class_=f"c{colour}", width=12, height=12), width=12, height=12, aria_hidden="true"
    )
