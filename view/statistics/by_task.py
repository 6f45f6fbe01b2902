"""Draw metrics by task number, coloured by cluster (Ahn and Vetter 2002, figures 7 and 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...multivariate.materiality import separating
from ...multivariate.metric_space import MetricSpace
from ...multivariate.partition import Partition
from ..marks import Axis, Chart, Series, short
from ..metric_space import drawn, part_of, some_rows, value
from ..picture import Picture
from .clusters import members
from .space import titled

__all__ = ["called", "task_picture"]

_PANELS: Final = 6  # maximum number of charts
_WIDTH: Final = 400  # width of a chart in pixels
_HEIGHT: Final = 260
_LEGEND: Final = 12  # maximum number of clusters in a legend
_LABEL: Final = 36


def called(space: MetricSpace, partition: Partition, cluster: int) -> str:
    """Return a cluster's name for a legend, with its members: ``1: ranks 0-9, 12-13``."""
    return short(f"{cluster + 1}: {members(space, partition, cluster)}", _LABEL)


def task_picture(space: MetricSpace, partition: Partition) -> Picture:
    """Return a picture with a chart for each metric that distinguishes the clusters, most important first."""
    columns = separating(space, partition) or partition.columns
    chosen = columns[:_PANELS]
    rows = some_rows(space, partition.labels)
    charts = [
        Chart(
            [
                _points(space, partition, cluster, rows[partition.labels[rows] == cluster].tolist(), column)
                for cluster in range(partition.count)
            ],
            Axis(_tasks(space), whole=True),
            Axis(titled(space, space.metrics[column])),
            width=_WIDTH,
            height=_HEIGHT,
        )
        for column in chosen
    ]
    cut = drawn(part_of(len(rows), len(space.points), "location"), part_of(len(chosen), len(columns), "metric"))
    return Picture("Metrics of each task, coloured by cluster", charts, cut)


def _points(space: MetricSpace, partition: Partition, cluster: int, rows: Sequence[int], column: int) -> Series:
    name, values = space.metrics[column], space.values[rows, column].tolist()
    said = [f"{space.labels[row]}: {name} {value(space, name, each)}" for row, each in zip(rows, values, strict=True)]
    legend = called(space, partition, cluster) if partition.count <= _LEGEND else ""
    return Series(legend, [_number(space, row) for row in rows], values, said, colour=cluster)


def _number(space: MetricSpace, row: int) -> int:
    """Return the x coordinate of a task: its rank, or its index if threads or samples are separate points."""
    label = space.labels[row]
    return label if isinstance(label, int) else row


def _tasks(space: MetricSpace) -> str:
    return "rank" if isinstance(space.labels[0], int) else "location, in order"
