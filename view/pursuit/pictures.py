"""Draw pictures of projection pursuit: best metrics over time, indices, and points in the best projection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ...timelines.pursuit import Outcome, Period, Pursuit, PursuitOverTime, Telling, View
from ..marks import Axis, Bar, Bars, Chart, Matrix, Series, short
from ..metric_space import drawn, part_of, some_rows
from ..picture import Picture
from ..units import percent
from .periods import span

__all__ = ["pictures"]

Rows = npt.NDArray[np.intp]

_LABELLED: Final = 8
_ROW: Final = 24  # height of a row in pixels
_PERIODS: Final = 24  # maximum number of periods in a table


def pictures(periods: Sequence[Period], state: PursuitOverTime, said: Sequence[str]) -> list[Picture]:
    """Return the pictures for a page.

    Args:
        periods: The periods, at least one.
        state: The state of the pursuit after the last period.
        said: Sentences to show with the first picture.
    """
    found: list[Picture] = []
    if len(periods) > 1:
        found += [_selections(periods, state, said), _indices(periods), _importance(periods, state), _reduction(state)]
    elif periods[0].found:
        found.append(_ranking(periods[0].found, said))
    if state.telling and state.telling.found.view:
        found += _locations(state.telling, state.telling.found.view)
    return found or [Picture("Nothing to draw", [], said)]


def _selections(periods: Sequence[Period], state: PursuitOverTime, said: Sequence[str]) -> Picture:
    """Return a picture of the three best metrics of each period (Vetter and Reed, figure 8)."""
    rows = {name: row for row, name in enumerate(state.metrics)}
    x: list[float] = []
    y: list[float] = []
    for period, following in zip(periods, [*periods[1:], None], strict=True):
        until = following.end if following else period.end
        for name in period.selected:
            x += [period.end, until, np.nan]
            y += [rows[name], rows[name], np.nan]
    series = [Series("recorded", x, y, style="band", colour=4)]
    for name, worth in (("structure", True), ("no structure, or too few locations", False)):
        own = [each for each in periods if each.found and each.found.worth == worth]
        places = [(period.end, metric, period) for period in own if period.found for metric in period.found.metrics]
        series.append(
            Series(
                name,
                [end for end, _, _ in places],
                [rows[metric] for _, metric, _ in places],
                [f"{span(period)} s, {period.status}: {metric}" for _, metric, period in places],
                style="points" if worth else "hollow",
            )
        )
    chart = Chart(series, Axis("seconds"), Axis("metric", state.metrics), height=90 + _ROW * len(rows))
    return Picture("The three best metrics of each period, and the recorded metrics", [chart], said)


def _indices(periods: Sequence[Period]) -> Picture:
    viewed = [(each, each.found) for each in periods if each.found and each.found.has_index]
    ends = [each.end for each, _ in viewed]
    said = [f"{span(each)} s: {each.status}" for each, _ in viewed]
    series = [
        Series("best projection", ends, [found.index for _, found in viewed], said, style="both"),
        Series(
            "maximum for points without structure",
            ends,
            [found.critical for _, found in viewed],
            style="dashed",
            colour=1,
        ),
    ]
    chart = Chart(series, Axis("seconds"), Axis("index", log=True))
    return Picture("How far the best projection is from a normal distribution", [chart])


def _importance(periods: Sequence[Period], state: PursuitOverTime) -> Picture:
    rows = {name: row for row, name in enumerate(state.metrics)}
    shown = periods[-_PERIODS:]
    table = np.full((len(rows), len(shown)), np.nan)
    for column, period in enumerate(shown):
        for each in period.found.ranking if period.found else ():
            table[rows[each.metric], column] = each.importance
    matrix = Matrix(state.metrics, [f"{each.end:g} s" for each in shown], table, signed=False)
    said = ["Pale: the metric has no structure of its own. Hatched: the metric does not differ between locations."]
    last = [f"The last {len(shown)} of {len(periods)} periods are drawn."] if len(shown) < len(periods) else []
    return Picture("Importance of all metrics", [matrix], [*said, *last])


def _reduction(state: PursuitOverTime) -> Picture:
    """Return a picture of the amount of data that the selections save over time (Vetter and Reed, figure 18)."""
    course = state.reduction.course
    line = Series("", [end for end, _ in course], [100 * share for _, share in course], style="line", colour=2)
    chart = Chart([line], Axis("seconds"), Axis("% of fields left out", zero=True), height=280)
    said = f"{percent(100 * state.reduction.share)} of {state.reduction.fields} fields are not recorded."
    return Picture("Data saved by the selections", [chart], [said])


def _ranking(found: Outcome, said: Sequence[str]) -> Picture:
    rows = [
        Bar(each.metric, [each.importance], [f"{each.importance:.3g}"], [0 if row < len(found.metrics) else 5])
        for row, each in enumerate(found.ranking)
    ]
    return Picture("All metrics, ranked", [Bars(rows, "importance")], said)


def _locations(telling: Telling, view: View) -> list[Picture]:
    """Return pictures of the points; if there are too many, only some are drawn, including those far from the mean."""
    far = np.argsort(-np.linalg.norm(view.points, axis=1), kind="stable")[:_LABELLED]
    found = telling.found
    rows = np.union1d(some_rows(found.seen), far)
    same = found.seen is found.space
    best = _best_metrics(found, rows if same else some_rows(found.space))
    return [_projection(telling, view, rows, set(far.tolist())), best]


def _projection(telling: Telling, view: View, rows: Rows, far: set[int]) -> Picture:
    points, space = view.points, telling.found.seen
    flat = points.shape[1] == 1
    axes = [space.metrics[row] for row in np.abs(view.loadings).argmax(axis=0).tolist()]
    titles = ["location", f"mostly {short(axes[0])}"] if flat else [f"mostly {short(name)}" for name in axes[:2]]
    drawn_points = Series(
        "",
        (np.arange(len(points), dtype=float)[rows] if flat else points[rows, 0]).tolist(),
        (points[rows, 0] if flat else points[rows, 1]).tolist(),
        [str(space.labels[row]) for row in rows.tolist()],
        [str(space.labels[row]) if row in far else "" for row in rows.tolist()],
    )
    said = f"{span(telling.period)} s: deviations from the mean; axes are rotated so that each depends on few metrics."
    return Picture(
        "Locations in the best projection",
        [Chart([drawn_points], Axis(titles[0]), Axis(titles[1]), height=440)],
        [said, *drawn(part_of(len(rows), len(space.points), "location"))],
    )


def _best_metrics(found: Pursuit, rows: Rows) -> Picture:
    """Return a picture of the best metrics' values at each location."""
    space = found.space
    series = []
    for place, name in enumerate(found.metrics):
        values = space.along([name]).values[:, 0]
        parts = (values[rows] / (np.abs(values).max() or 1.0)).tolist()
        said = [f"{space.labels[row]}: {values[row]:.4g}" for row in rows.tolist()]
        series.append(Series(name, rows.tolist(), parts, said, colour=place))
    chart = Chart(series, Axis("location", whole=True), Axis("share of the largest value"))
    said = drawn(part_of(len(rows), len(space.points), "location"))
    return Picture("The best metrics on each location", [chart], said)
