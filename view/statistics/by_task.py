"""A counter against the task number, coloured by cluster (paper 003, figures 7 and 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...analyze.metric_space import MetricSpace
from ...analyze.statistics.materiality import separating
from ...analyze.statistics.partition import Partition
from ..html_page import Picture, shown
from ..metric_space import drawn, part_of, some_rows, value
from .clusters import colour, members

__all__ = ["called", "task_picture"]

_PANELS: Final = 6  # metrics
_ACROSS: Final = 3  # of them side by side, as in the paper
_LEGEND: Final = 12  # clusters that a legend names
_LABEL: Final = 36


def called(space: MetricSpace, partition: Partition, cluster: int) -> str:
    """Name a cluster in a legend by its number and members: ``1: ranks 0-9, 12-13``."""
    return shown(f"{cluster + 1}: {members(space, partition, cluster)}", _LABEL)


def task_picture(space: MetricSpace, partition: Partition) -> Picture:
    """Draw the metrics that tell the clusters apart, in the order in which they matter, over the tasks."""
    columns = separating(space, partition) or partition.columns
    chosen = columns[:_PANELS]
    rows = some_rows(space, partition.labels)
    across = min(len(chosen), _ACROSS)
    down = -(-len(chosen) // across)
    layout: dict[str, Any] = {
        "height": 60 + 300 * down,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"},
        "showlegend": partition.count <= _LEGEND,
    }
    looks = [_look(space, partition, cluster) for cluster in range(partition.count)]
    traces: list[dict[str, Any]] = []
    for number, column in enumerate(chosen):
        key = "" if number == 0 else str(number + 1)
        left, top = number % across, number // across
        layout[f"xaxis{key}"] = {
            "domain": [(left + 0.16) / across, (left + 1) / across],
            "anchor": f"y{key}",
            "title": {"text": _tasks(space), "font": {"size": 11}},
        }
        layout[f"yaxis{key}"] = {
            "domain": [1 - (top + 0.78) / down, 1 - top / down],
            "anchor": f"x{key}",
            "title": {"text": _title(space, column), "font": {"size": 11}},
            "nticks": 6,
        }
        axes = {"xaxis": f"x{key}", "yaxis": f"y{key}", "showlegend": number == 0}
        traces += [
            {**_points(space, rows[partition.labels[rows] == cluster].tolist(), column), **look, **axes}
            for cluster, look in enumerate(looks)
        ]
    cut = drawn(part_of(len(rows), len(space.points), "location"), part_of(len(chosen), len(columns), "metric"))
    return Picture("Metrics of each task, coloured by cluster", {"data": traces, "layout": layout}, cut)


def _look(space: MetricSpace, partition: Partition, cluster: int) -> dict[str, Any]:
    name = called(space, partition, cluster)
    return {"name": name, "legendgroup": name, "marker": {"color": colour(cluster), "size": 6}}


def _points(space: MetricSpace, rows: Sequence[int], column: int) -> dict[str, Any]:
    name, values = space.metrics[column], space.values[rows, column]
    said = [
        f"{space.labels[row]}: {name} {value(space, name, each)}"
        for row, each in zip(rows, values.tolist(), strict=True)
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [_number(space, row) for row in rows],
        "y": values,
        "text": [shown(each, 200) for each in said],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _number(space: MetricSpace, row: int) -> int:
    """Give the number of a task: its rank; where threads or samples have points of their own, its place."""
    label = space.labels[row]
    return label if isinstance(label, int) else row


def _tasks(space: MetricSpace) -> str:
    return "rank" if isinstance(space.labels[0], int) else "location, in order"


def _title(space: MetricSpace, column: int) -> str:
    name = space.metrics[column]
    unit = space.units.get(name, "")
    return f"{shown(name)}{f' ({shown(unit, 12)})' if unit else ''}"
