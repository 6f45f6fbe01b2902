"""Clusters in words, tables and pictures: what k-means, the tree and the map have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...analyze.metric_space import MetricSpace
from ...analyze.statistics.materiality import RULE, matters, separating, telling
from ...analyze.statistics.partition import LEVEL, WEAK, Partition
from ..html_page import COLOURS, DIVERGING, Picture, axis_of, shown
from ..metric_space import drawn, finite, names, part_of, value
from ..report import Table
from ..units import many, ranks

__all__ = [
    "advice",
    "colour",
    "data",
    "differences",
    "document",
    "f_ratio_table",
    "members",
    "profile_picture",
    "strength",
    "table",
    "who",
]

_LISTED: Final = 30  # clusters in a table, and in a picture
_ACROSS: Final = 8  # clusters whose means stand beside each other
_SHOWN: Final = 12  # metrics with F-ratios in a table, or numbers in a picture
_DRAWN: Final = 40  # metrics in a picture
_NEAR: Final = 0.1  # of another value: then it is told as a part of it
_TOLD: Final = 2  # metrics that clusters leave aside
_TOO_FEW: Final = 2  # locations: each alone
_TWICE: Final = 1.995  # times another value: then no percentage


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
    own = {point.process for point, each in zip(space.points, partition.labels, strict=True) if each == cluster}
    others = {point.process for point, each in zip(space.points, partition.labels, strict=True) if each != cluster}
    return ranks(labels if own & others or isinstance(labels[0], int) else sorted(own))


def differences(space: MetricSpace, partition: Partition, cluster: int, most: int = 3) -> str:
    """Say in which metrics a cluster differs most from all other points: ``stores 20 % above 1.2e8``.

    Those come first that matter most, times before all else; see ``materiality``.
    """
    inside = partition.labels == cluster
    if inside.all():
        return ""
    said = []
    for column in telling(space, partition, cluster)[:most]:
        own, others = (float(space.values[rows, column].mean()) for rows in (inside, ~inside))
        said.append(f"{space.metrics[column]} {_against(space, space.metrics[column], own, others)}")
    return "; ".join(said) or f"nothing {'that matters' if partition.by_deviation(cluster) else 'distinctive'}"


def _against(space: MetricSpace, metric: str, own: float, others: float) -> str:
    """Compare two means: as a part of the other one if both are above 0, and near to each other."""
    if min(own, others) > 0 and _NEAR < own / others < 1 / _NEAR:
        factor = own / others
        if factor >= _TWICE:
            return f"{factor:.3g} times {value(space, metric, others)}"
        return f"{100 * abs(factor - 1):.2g} % {'above' if factor > 1 else 'below'} {value(space, metric, others)}"
    texts = value(space, metric, own), value(space, metric, others)
    return " against ".join(texts if texts[0] != texts[1] else (f"{own:.9g}", f"{others:.9g}"))


def advice(space: MetricSpace, partition: Partition) -> list[str]:
    """Say what the clusters differ in most, which of them does most, and whom to look at."""
    if partition.count < 2:
        return []
    cluster = _most_different(space, partition)
    what = differences(space, partition, cluster)
    told = f"Cluster {cluster + 1}, {who(space, partition, cluster)}, compared with the others: {what}."
    if not partition.by_f_ratio:  # each location is a cluster
        return [told]
    columns = separating(space, partition)
    if not columns:
        return [f"No difference between them matters: that takes more than {RULE}.{_across(space)}"]
    best, means = columns[0], partition.means[:, columns[0]]
    low, high = (value(space, space.metrics[best], float(each)) for each in (means.min(), means.max()))
    typical = names([space.labels[row] for row in partition.typical.tolist()], 10)
    return [
        f"They differ most in {space.metrics[best]}: {low} to {high} (F = {partition.f_ratios[best]:.4g}). {told}",
        f"What helps one location helps its cluster: look at one of each, such as {typical}.",
    ]


def _across(space: MetricSpace) -> str:
    """Say what differs most between locations, whatever the clusters."""
    low, high = space.values.min(axis=0), space.values.max(axis=0)
    said = [
        f"{name} from {value(space, name, low[column])} to {value(space, name, high[column])}"
        for column, name in ((column, space.metrics[column]) for column in matters(space, low, high)[:_TOLD])
    ]
    return f" What matters lies across them: {', '.join(said)}."


def _most_different(space: MetricSpace, partition: Partition) -> int:
    """Choose the cluster whose first metric differs most from that of all other points; of equal ones the smallest."""

    def place(cluster: int) -> tuple[float, int]:
        rows = partition.members[cluster]
        columns = telling(space, partition, cluster)[:1]
        others = np.delete(space.values[:, columns], rows, axis=0).mean(axis=0)
        own = partition.means[cluster, columns]
        larger = np.maximum(np.maximum(np.abs(own), np.abs(others)), np.finfo(np.float64).tiny)
        return -float((np.abs(own - others) / larger).sum().round(12)), len(rows)

    return min(range(partition.count), key=place)


def strength(partition: Partition) -> str | None:
    """Say if clusters are not distinct, or may be chance."""
    one_kind, chance = "treat the locations as one kind", 100 * (partition.chance or 0)
    if len(partition.labels) == partition.count == _TOO_FEW:
        return f"{_TOO_FEW} locations are too few for clusters: the table says how they differ."
    if partition.silhouette is not None and partition.silhouette < WEAK:
        found = f"silhouette {partition.silhouette:.2f}, at least {WEAK} needed"
        return f"The clusters are not distinct ({found}): {one_kind}."
    if partition.by_chance:
        return (
            f"The clusters may be chance: {len(partition.labels)} locations of one kind look as clustered in "
            f"{chance:.3g} of 100 simulated cases, at most {100 * LEVEL:g} allowed: {one_kind}, or add --sample runs."
        )
    return None


def table(space: MetricSpace, partition: Partition) -> Table:
    """Show a row a cluster: how many, who, and what is different."""
    rows = [
        (
            str(cluster + 1),
            who(space, partition, cluster),
            str(int((partition.labels == cluster).sum())),
            str(space.labels[int(partition.typical[cluster])]),
            differences(space, partition, cluster),
        )
        for cluster in range(min(partition.count, _LISTED))
    ]
    cut = part_of(len(rows), partition.count, "cluster")
    title = f"Clusters of {many(len(space.points), 'location')} in {space.place}{f'; {cut}' if cut else ''}"
    return Table(title, ("cluster", "who", "size", "typical", "compared with the others"), rows)


def f_ratio_table(space: MetricSpace, partition: Partition) -> Table:
    """Show which metrics separate the clusters."""
    rows = []
    for column in partition.by_f_ratio[:_SHOWN]:
        metric = space.metrics[column]
        means = [value(space, metric, mean) for mean in partition.means[:_ACROSS, column]]
        rows.append((metric, f"{partition.f_ratios[column]:.4g}", *means))
    columns = min(partition.count, _ACROSS)
    header = ("metric", "F-ratio", *(f"cluster {number + 1}" for number in range(columns)))
    parts = (
        "What separates the clusters: variance between them over variance within them; means",
        part_of(columns, partition.count, "cluster"),
        part_of(len(rows), len(partition.by_f_ratio), "metric"),
    )
    return Table("; ".join(each for each in parts if each), header, rows)


def document(space: MetricSpace, partition: Partition) -> dict[str, Any]:
    """Give clusters for JSON; an F-ratio that is null is infinite, or there is none."""
    labels = space.labels
    return {
        "clusters": [[labels[row] for row in rows.tolist()] for rows in partition.members],
        "typical": [labels[row] for row in partition.typical.tolist()],
        "silhouette": None if partition.silhouette is None else finite(partition.silhouette),
        "chance": partition.chance,
        "means": [[finite(each) for each in row] for row in partition.means.tolist()],
        "f_ratios": [
            {"metric": space.metrics[column], "value": finite(partition.f_ratios[column])}
            for column in partition.columns
        ],
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
    columns = partition.columns[:_DRAWN]
    means = partition.deviations[:_LISTED, columns]
    most = float(np.abs(means).max()) or 1.0
    clusters = [
        shown(f"{number + 1}: {members(space, partition, number)}") for number in range(min(partition.count, _LISTED))
    ]
    figure = {
        "data": [
            {
                "type": "heatmap",
                "z": means,
                "x": list(range(len(columns))),
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
                    for row in partition.means[:_LISTED, columns].tolist()
                ],
                "texttemplate": "%{text}" if len(columns) <= _SHOWN else "",
                "customdata": [[shown(space.metrics[column], 200) for column in columns]] * len(clusters),
                "hovertemplate": "%{y}<br>%{customdata} %{text}<br>%{z:.2f} standard deviations from the mean"
                "<extra></extra>",
            }
        ],
        "layout": {
            "height": 220 + 28 * len(clusters),
            "xaxis": axis_of([space.metrics[column] for column in columns], across=True),
            "yaxis": {"automargin": True, "autorange": "reversed", "type": "category"},
        },
    }
    cut = drawn(part_of(len(clusters), partition.count, "cluster"), part_of(len(columns), len(space.metrics), "metric"))
    title = "What the clusters are like; the metric with the largest F-ratio first"
    return Picture(title, figure, [*sentences, *cut])
