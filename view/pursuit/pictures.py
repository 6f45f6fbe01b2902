"""Pictures of projection pursuit: which metrics when, how sure, and the points as the best projection shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...analyze.pursuit import Outcome, Period, Pursuit, PursuitOverTime, Telling, View
from ..html_page import COLOURS, Picture, axis_of, bars, shown
from ..metric_space import drawn, part_of, some_rows
from ..units import percent
from .periods import span

__all__ = ["pictures"]

Rows = npt.NDArray[np.intp]

_LABELLED: Final = 8
_RISING: Final = ((0, "#f7f7f7"), (0.5, "#92c5de"), (1, "#2166ac"))


def pictures(periods: Sequence[Period], state: PursuitOverTime, said: Sequence[str]) -> list[Picture]:
    """Draw the pictures of a page.

    Args:
        periods: One at least.
        state: After the last of them.
        said: The sentences, which stand at the top.
    """
    found: list[Picture] = []
    if len(periods) > 1:
        found += [_selections(periods, state, said), _indices(periods), _importance(periods, state), _reduction(state)]
    elif periods[0].found:
        found.append(_ranking(periods[0].found, said))
    if state.telling and state.telling.found.view:
        found += _locations(state.telling, state.telling.found.view)
    return found or [Picture("Nothing to draw", {"data": [], "layout": {"height": 80}}, said)]


def _selections(periods: Sequence[Period], state: PursuitOverTime, said: Sequence[str]) -> Picture:
    """Draw the paper's figure 8: three marks a period."""
    rows = {name: row for row, name in enumerate(state.metrics)}
    recorded: dict[str, Any] = {"x": [], "y": []}
    for period, following in zip(periods, [*periods[1:], None], strict=True):
        until = following.end if following else period.end
        for name in period.selected:
            recorded["x"] += [period.end, until, None]
            recorded["y"] += [rows[name], rows[name], None]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "recorded",
            "line": {"color": COLOURS[4], "width": 9},
            "opacity": 0.5,
            "hoverinfo": "skip",
            **recorded,
        }
    ]
    for name, worth, symbol in (("structure", True, "circle"), ("none, or too few locations", False, "circle-open")):
        own = [each for each in periods if each.found and each.found.worth == worth]
        places = [(period.end, metric, period) for period in own if period.found for metric in period.found.metrics]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": [end for end, _, _ in places],
                "y": [rows[metric] for _, metric, _ in places],
                "text": [f"{span(period)} s, {period.status}: {shown(metric)}" for _, metric, period in places],
                "hovertemplate": "%{text}<extra></extra>",
                "marker": {"color": COLOURS[0], "size": 8, "symbol": symbol},
            }
        )
    layout = {
        "height": 200 + 26 * len(rows),
        "xaxis": {"title": {"text": "seconds"}},
        "yaxis": axis_of(state.metrics),
        "legend": {"orientation": "h", "y": 1.1},
    }
    return Picture(
        "The three best metrics of each period, and those recorded", {"data": traces, "layout": layout}, said
    )


def _indices(periods: Sequence[Period]) -> Picture:
    viewed = [(each, each.found) for each in periods if each.found and each.found.has_index]
    ends = [each.end for each, _ in viewed]
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": "best projection",
            "x": ends,
            "y": [found.index for _, found in viewed],
            "text": [f"{span(each)} s: {each.status}" for each, _ in viewed],
            "hovertemplate": "%{text}, %{y:.3g}<extra></extra>",
            "marker": {"color": COLOURS[0]},
        },
        {
            "type": "scatter",
            "mode": "lines",
            "name": "points without structure stay below this",
            "x": ends,
            "y": [found.critical for _, found in viewed],
            "line": {"color": COLOURS[1], "dash": "dash"},
            "hovertemplate": "%{y:.3g}<extra></extra>",
        },
    ]
    layout = {
        "xaxis": {"title": {"text": "seconds"}},
        "yaxis": {"title": {"text": "index"}, "type": "log", "exponentformat": "power"},
        "legend": {"orientation": "h", "y": 1.1},
    }
    return Picture("How far the best projection is from normal", {"data": traces, "layout": layout})


def _importance(periods: Sequence[Period], state: PursuitOverTime) -> Picture:
    rows = {name: row for row, name in enumerate(state.metrics)}
    table = np.full((len(rows), len(periods)), np.nan)
    for column, period in enumerate(periods):
        for each in period.found.ranking if period.found else ():
            table[rows[each.metric], column] = each.importance
    traces = [
        {
            "type": "heatmap",
            "x": [each.end for each in periods],
            "y": list(range(len(rows))),
            "z": [[None if np.isnan(value) else value for value in row] for row in table.tolist()],
            "colorscale": _RISING,
            "zmin": 0,
            "hovertemplate": "%{x} s: %{z:.3g}<extra></extra>",
        }
    ]
    layout = {
        "height": 160 + 26 * len(rows),
        "xaxis": {"title": {"text": "seconds"}},
        "yaxis": axis_of(state.metrics),
    }
    said = ["White: no structure of its own. Empty: the metric does not differ between locations."]
    return Picture("Importance of all metrics", {"data": traces, "layout": layout}, said)


def _reduction(state: PursuitOverTime) -> Picture:
    """Draw the paper's figure 18."""
    course = state.reduction.course
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [end for end, _ in course],
            "y": [100 * share for _, share in course],
            "line": {"color": COLOURS[2]},
            "hovertemplate": "%{x} s: %{y:.3g} %<extra></extra>",
        }
    ]
    layout = {
        "height": 320,
        "xaxis": {"title": {"text": "seconds"}},
        "yaxis": {"title": {"text": "% of fields left out"}, "rangemode": "tozero"},
    }
    said = f"{percent(100 * state.reduction.share)} of {state.reduction.fields} fields are not recorded."
    return Picture("Data saved by the selections", {"data": traces, "layout": layout}, [said])


def _ranking(found: Outcome, said: Sequence[str]) -> Picture:
    colours = [COLOURS[0] if row < len(found.metrics) else COLOURS[5] for row in range(len(found.ranking))]
    lengths = {"x": [each.importance for each in found.ranking], "hovertemplate": "%{x:.3g}<extra></extra>"}
    figure = bars([each.metric for each in found.ranking], "importance", {**lengths, "marker": {"color": colours}})
    return Picture("All metrics, ranked", figure, said)


def _locations(telling: Telling, view: View) -> list[Picture]:
    """Draw points, of many some, those among them that lie farthest out in the projection."""
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
    traces = [
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": np.arange(len(points))[rows] if flat else points[rows, 0],
            "y": points[rows, 0] if flat else points[rows, 1],
            "text": [shown(space.labels[row]) if row in far else "" for row in rows.tolist()],
            "hovertext": [shown(space.labels[row]) for row in rows.tolist()],
            "textposition": "top center",
            "hovertemplate": "%{hovertext}<extra></extra>",
            "marker": {"color": COLOURS[0], "size": 8, "opacity": 0.75},
        }
    ]
    titles = ["location", f"mostly {shown(axes[0])}"] if flat else [f"mostly {shown(name)}" for name in axes[:2]]
    layout = {
        "height": 480,
        "xaxis": {"title": {"text": titles[0]}},
        "yaxis": {"title": {"text": titles[1]}},
    }
    when = span(telling.period)
    said = f"{when} s: deviations from the mean; the axes are rotated so that each is made of few metrics."
    return Picture(
        "Locations in the best projection",
        {"data": traces, "layout": layout},
        [said, *drawn(part_of(len(rows), len(space.points), "location"))],
    )


def _best_metrics(found: Pursuit, rows: Rows) -> Picture:
    """Draw the values themselves of the metrics that were named."""
    space = found.space
    traces = []
    for place, name in enumerate(found.metrics):
        values = space.along([name]).values[:, 0]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": shown(name),
                "x": rows,
                "y": values[rows] / (np.abs(values).max() or 1.0),
                "text": [f"{shown(space.labels[row])}: {values[row]:.4g}" for row in rows.tolist()],
                "hovertemplate": "%{text}<extra></extra>",
                "marker": {"color": COLOURS[place], "size": 7, "symbol": ("circle", "square", "diamond")[place]},
            }
        )
    layout = {
        "xaxis": {"title": {"text": "location"}},
        "yaxis": {"title": {"text": "of the largest value"}},
        "legend": {"orientation": "h", "y": 1.1},
    }
    return Picture(
        "The best metrics on each location",
        {"data": traces, "layout": layout},
        drawn(part_of(len(rows), len(space.points), "location")),
    )
