"""Create marks for time lines: changes in a run, an interval in several runs, or the shape of a target metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .page import Entries, Interval, Line, TimeMarks, Warping
from .timeline import change_of, region_of

if TYPE_CHECKING:
    from ..experiment.trace import Series, Trace
    from ..timelines.anomalies import Anomaly
    from ..timelines.correlators import Ranking
    from ..timelines.warping import Alignment, TimeMap

__all__ = ["marks_of_alignment", "marks_of_changes", "marks_of_ranking"]


def marks_of_changes(
    anomalies: Sequence[Anomaly], trace: Trace, source: str, times: TimeMap | None = None
) -> TimeMarks:
    """Return marks for changes: shaded intervals, and charts of the time per entry of the changed regions.

    Args:
        anomalies: The changes, with call paths and times of the first run.
        trace: The trace of the first run.
        source: Name of the run on whose time lines the marks are drawn.
        times: Maps times of the first run to times of ``source``; None if this is the first run.
    """
    processes = len({place.process for place in trace.locations})
    found = []
    for each in anomalies:
        start, end = (each.start, each.end) if times is None else times.carried((each.start, each.end))
        found.append(Interval(start, end, change_of(each, trace.call_paths, processes), each.kind))
    entries = {
        name: Entries(name, f"busy time per entry: {where}", course.begin, course.end, course.seconds)
        for each in anomalies
        for course in each.courses
        if each.path is not None and course.source == source
        for where in (region_of(trace.call_paths, each.path),)
        for name in (f"an entry of {where}",)
    }
    return TimeMarks(found, entries=[*entries.values()])


def marks_of_alignment(
    reference: Series, interval: tuple[float, float], found: Sequence[Alignment]
) -> Mapping[str, TimeMarks]:
    """Return marks for an aligned interval in each trace (Hauswirth et al. 2005, Figure 1), and for warp paths.

    Args:
        reference: The metric in the trace in which the interval is known.
        interval: Start and end in seconds.
        found: The alignment with each of the other traces.

    Returns:
        Name of the trace → its marks; warp paths are among the marks of the reference.
    """
    warpings = [Warping(reference.known(), each.other.known(), each.path) for each in found if each.path]
    shown = [reference.name]
    mine = TimeMarks([Interval(*interval, "the interval", "interval")], (), warpings, shown)
    return {reference.source: mine} | {
        each.other.source: TimeMarks(
            [Interval(*each.times.carried(interval), f"the interval of {reference.source}", "interval")],
            metrics=shown,
        )
        for each in found
    }


def marks_of_ranking(ranking: Ranking, intervals: Sequence[tuple[float, float]]) -> TimeMarks:
    """Return marks for a target metric: its pattern and its segments, as lines (Hauswirth et al. 2005, Figs. 6 to 8).

    Args:
        ranking: The ranking.
        intervals: The compared intervals, in seconds.
    """
    name = ranking.target.name
    lines = [
        Line(name, label, *np.array(points, dtype=float).reshape(-1, 2).T)
        for label, points in (
            ("the shape that metrics are compared with", ranking.pattern),
            (f"the target's segments, {ranking.segments}", ranking.lines),
        )
    ]
    return TimeMarks([Interval(*each, f"compared with {name}", "interval") for each in intervals], lines, (), [name])
