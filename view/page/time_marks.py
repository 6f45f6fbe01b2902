"""Marks on time lines and beside them: intervals, lines, and how two traces were warped."""

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

_POINTS: Final = 1000  # per line, and pairs of a path: a window has no room for more


@dataclass(frozen=True, slots=True)
class Interval:
    """A shaded interval.

    Attributes:
        start: Seconds.
        end: Likewise.
        label: A short label.
        kind: Intervals of one kind have one colour.
    """

    start: float
    end: float
    label: str
    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A line over the chart of a metric.

    Attributes:
        metric: Its name.
        label: What the line is.
        times: ``float64[point]``, seconds.
        values: ``float64[point]``, in the unit of the chart.
    """

    metric: str
    label: str
    times: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """The times of a region's entries: a separate chart among those of metrics.

    Attributes:
        name: What it is called.
        about: What it is.
        begin: ``float64[location, part]``, seconds.
        end: Likewise.
        seconds: ``float64[location, part]``, seconds per entry.
    """

    name: str
    about: str
    begin: npt.NDArray[np.float64]
    end: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Warping:
    """The matching of two series (Hauswirth et al. 2005, Figures 2 and 3).

    Attributes:
        x: The reference, without missing values.
        y: The other series, likewise.
        path: Their matching samples.
    """

    x: Series
    y: Series
    path: Warp


@dataclass(frozen=True, slots=True)
class TimeMarks:
    """Marks on and beside the time lines of a trace.

    Attributes:
        intervals: Times that are shaded.
        lines: Lines over charts.
        warpings: How the trace was aligned with others.
        metrics: Metrics that are shown at the start in any case.
        entries: Of regions; shown at the start, too, before metrics.
    """

    intervals: Sequence[Interval] = ()
    lines: Sequence[Line] = ()
    warpings: Sequence[Warping] = ()
    metrics: Sequence[str] = ()
    entries: Sequence[Entries] = ()

    def written(self) -> dict[str, Any]:
        """Return the data for the page; long lines and paths are thinned out."""
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
    """Choose points, including the first and the last."""
    return np.unique(np.linspace(0, count - 1, min(count, _POINTS)).round().astype(np.intp))
