"""Marks on time lines, and charts beside them: intervals, lines, times of entries, and warp paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...experiment.trace import Series
from ...timelines.warping import Warp
from ..place import visible

__all__ = ["Entries", "Interval", "Line", "TimeMarks", "Warping"]

_POINTS: Final = 1000  # maximum number of points in a line or pairs in a warp path, as many as a window can show


@dataclass(frozen=True, slots=True)
class Interval:
    """A shaded interval.

    Attributes:
        start: Start in seconds.
        end: End in seconds.
        label: A short label.
        kind: Name of the kind, which determines the colour.
    """

    start: float
    end: float
    label: str
    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A line over the chart of a metric.

    Attributes:
        metric: Name of the metric.
        label: Label of the line.
        times: ``float64[point]``, seconds.
        values: ``float64[point]``, in the unit of the chart.
    """

    metric: str
    label: str
    times: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """The times of a region's entries, which are shown in a separate chart.

    Attributes:
        name: Name of the chart.
        about: Description of the chart.
        begin: ``float64[location, part]``: time in seconds at which each part of the entries begins.
        end: ``float64[location, part]``: time in seconds at which each part ends.
        seconds: ``float64[location, part]``: seconds per entry.
    """

    name: str
    about: str
    begin: npt.NDArray[np.float64]
    end: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Warping:
    """Two series and their warp path (Hauswirth et al. 2005, Figures 2 and 3).

    Attributes:
        x: The reference, without missing values.
        y: The other series, without missing values.
        path: The warp path.
    """

    x: Series
    y: Series
    path: Warp


@dataclass(frozen=True, slots=True)
class TimeMarks:
    """Marks on and beside the time lines of a trace.

    Attributes:
        intervals: Intervals to shade.
        lines: Lines to draw over charts.
        warpings: Warp paths between this trace and other traces.
        metrics: Metrics that are always shown initially.
        entries: Times of regions' entries, which are shown initially, before the metrics.
    """

    intervals: Sequence[Interval] = ()
    lines: Sequence[Line] = ()
    warpings: Sequence[Warping] = ()
    metrics: Sequence[str] = ()
    entries: Sequence[Entries] = ()

    def written(self) -> dict[str, Any]:
        """Return the marks as JSON data; long lines and paths are thinned out."""
        return {
            "intervals": [
                {"start": each.start, "end": each.end, "label": visible(each.label), "kind": visible(each.kind)}
                for each in self.intervals
            ],
            "lines": [
                {"metric": visible(each.metric), "label": visible(each.label), **_points(each.times, each.values)}
                for each in self.lines
            ],
            "warpings": [_warping(each) for each in self.warpings],
        }


def _warping(warping: Warping) -> dict[str, Any]:
    x, y, path = warping.x, warping.y, warping.path
    kept = _some(len(path.x))
    return {
        "metric": visible(x.name),
        "unit": visible(x.unit),
        "error": path.error,
        "pairs": len(path.x),
        "kept": [path.x[kept].tolist(), path.y[kept].tolist()],
        "x": {"name": visible(x.source), "samples": len(x), **_points(x.times, x.values)},
        "y": {"name": visible(y.source), "samples": len(y), **_points(y.times, y.values)},
    }


def _points(times: npt.NDArray[np.float64], values: npt.NDArray[np.float64]) -> dict[str, Any]:
    kept = _some(len(times))
    return {"times": times[kept].tolist(), "values": values[kept].tolist()}


def _some(count: int) -> npt.NDArray[np.intp]:
    """Return the indices of at most 1000 evenly spaced points, including the first and the last."""
    return np.unique(np.linspace(0, count - 1, min(count, _POINTS)).round().astype(np.intp))
