"""Clusters in words, tables and pictures: what k-means, the tree and the map have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...analyze.metric_space import MetricSpace
from ...analyze.statistics.partition import WEAK, Partition
from ..metric_space import finite, names, value
from ..page import COLOURS, DIVERGING, Picture, shown
from ..report import Table
from ..units import ranks

__all__ = [
    "colour",
    "data",
    "differences",
    "f_ratio_rows",
    "f_ratio_table",
    "members",
    "members_document",
    "profile_picture",
    "strength",
    "table",
    "who",
]

_TOLD: Final = 3  # metrics, of a cluster
_SHOWN: Final = 12
_NEAR: Final = 0.1  # of another value: then it is told as a part of it


def who(space: MetricSpace, partition: Partition, cluster: int) -> str:
    """Say who is in a cluster: all first threads, or ranks."""
    inside = partition.labels == cluster
    first = np.array([point.thread == 0 for point in space.points])
    if not first.all() and not (first == first[0]).all():
        if (inside == first).all():
            return "the first thread of each process"
        if (inside == ~first).all():
            return "all threads but the first of each process"
    return members(space, partition, cluster)


def members(space: MetricSpace, partition: Partition, cluster: int) -> str:
    """Name the members of a cluster: ``ranks 0-3, 7``; of threads the ranks whose they are, if no other has these."""
    labels = [space.labels[row] for row in np.flatnonzero(partition.labels == cluster)]
    if all(isinstance(label, int) for label in labels):
        return ranks(labels)
    own = {point.process for point, each in zip(space.points, partition.labels, strict=True) if each == cluster}
    others = {point.process for point, each in zip(space.points, partition.labels, strict=True) if each != cluster}
    if not own & others:
        return ranks(sorted(own))
    return names(labels)


def differences(space: MetricSpace, partition: Partition, cluster: int) -> list[str]:
    """Say in which metrics a cluster differs most from all other points: ``stores 20 % above``."""
    inside = partition.labels == cluster
    if inside.all():
        return []
    said = []
    for column in partition.by_f_ratio[:_TOLD]:
        own, others = space.values[inside, column].mean(), space.values[~inside, column].mean()
        metric = space.metrics[column]
        if own == others:
            continue
        factor = own / others if others else 0.0
        if _NEAR < factor < 1 / _NEAR:
            share = f"{abs(100 * (factor - 1)):.2g} % {'above' if factor > 1 else 'below'}"
            said.append(f"{metric} {share if factor < 2 else f'{factor:.3g} times'} {value(space, metric, others)}")
        else:
            said.append(f"{metric} {value(space, metric, own)} against {value(space, metric, others)}")
    return said


def strength(partition: Partition) -> str | None:
    """Say if clusters are hardly any."""
    if partition.silhouette is None or partition.silhouette >= WEAK:
        return None
    return (
        f"These are no clear clusters (silhouette {partition.silhouette:.2f}, {WEAK} is the least): take the locations "
        "for one kind."
    )


def table(space: MetricSpace, partition: Partition) -> Table:
    """Show a row a cluster: how many, who, and what is different."""
    rows = [
        (
            str(cluster + 1),
            who(space, partition, cluster),
            str(int((partition.labels == cluster).sum())),
            str(space.labels[int(partition.typical[cluster])]),
            "; ".join(differences(space, partition, cluster)),
        )
        for cluster in range(min(partition.count, 30))
    ]
    title = f"Clusters of {len(space.points)} locations in {space.place}"
    return Table(title, ("cluster", "who", "size", "typical", "against the others"), rows)


def f_ratio_rows(space: MetricSpace, partition: Partition) -> list[dict[str, Any]]:
    """List the F-ratios for JSON, largest first; null is infinite, or that there is none."""
    order = partition.by_f_ratio
    rest = [column for column in range(len(space.metrics)) if column not in order]
    return [
        {"metric": space.metrics[column], "value": finite(partition.f_ratios[column])} for column in [*order, *rest]
    ]


def f_ratio_table(space: MetricSpace, partition: Partition) -> Table:
    """Show which metrics part the clusters."""
    rows = []
    for column in partition.by_f_ratio[:_SHOWN]:
        metric = space.metrics[column]
        means = [value(space, metric, mean) for mean in partition.means[:8, column]]
        rows.append((metric, f"{partition.f_ratios[column]:.4g}", *means))
    header = ("metric", "F-ratio", *(f"cluster {number + 1}" for number in range(min(partition.count, 8))))
    return Table("What parts the clusters: variability between over that within them; means", header, rows)


def members_document(space: MetricSpace, partition: Partition) -> dict[str, Any]:
    """Give clusters for JSON."""
    labels = space.labels
    return {
        "clusters": [[labels[row] for row in rows.tolist()] for rows in partition.members],
        "typical": [labels[row] for row in partition.typical.tolist()],
        "silhouette": None if partition.silhouette is None else finite(partition.silhouette),
        "means": [[finite(each) for each in row] for row in partition.means.tolist()],
    }


def data(space: MetricSpace, partition: Partition) -> Table:
    """Give a row a point: its cluster, and its values."""
    rows = [
        (label, cluster + 1, *values)
        for label, cluster, values in zip(space.labels, partition.labels.tolist(), space.values.tolist(), strict=True)
    ]
    return Table("clusters", ("location", "cluster", *space.metrics), rows)


def colour(cluster: int) -> str:
    """Give a cluster's colour, the same in all pictures."""
    return COLOURS[cluster % len(COLOURS)]


def profile_picture(space: MetricSpace, partition: Partition, sentences: Sequence[str] = ()) -> Picture:
    """Draw how far the mean of each cluster is from that of all points, in standard deviations."""
    columns = partition.by_f_ratio[:40] or list(range(min(len(space.metrics), 40)))
    scaled = space.scaled()
    means = np.array([scaled[rows].mean(axis=0)[columns] for rows in partition.members[:30]])
    most = float(np.abs(means).max()) or 1.0
    clusters = [f"cluster {number + 1} ({len(rows)})" for number, rows in enumerate(partition.members[:30])]
    metrics = [shown(space.metrics[column]) for column in columns]
    figure = {
        "data": [
            {
                "type": "heatmap",
                "z": means,
                "x": list(range(len(metrics))),
                "y": clusters,
                "colorscale": DIVERGING,
                "zmin": -most,
                "zmax": most,
                "colorbar": {"title": {"text": "std. dev."}},
                "text": [
                    [
                        shown(value(space, space.metrics[column], mean))
                        for column, mean in zip(columns, row, strict=True)
                    ]
                    for row in partition.means[:30][:, columns].tolist()
                ],
                "texttemplate": "%{text}" if len(columns) <= _SHOWN else "",
                "hovertemplate": "%{y}: %{text}<br>%{z:.2f} standard deviations from the mean<extra></extra>",
            }
        ],
        "layout": {
            "height": 220 + 28 * len(clusters),
            "xaxis": {"tickvals": list(range(len(metrics))), "ticktext": metrics, "tickangle": 40, "automargin": True},
            "yaxis": {"automargin": True, "autorange": "reversed", "type": "category"},
        },
    }
    return Picture("What the clusters are like; the metric with the largest F-ratio first", figure, sentences)
