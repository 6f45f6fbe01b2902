"""Describe clusters in sentences and tables, regardless of the method that found them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...multivariate.materiality import RULE, matters, separating, telling
from ...multivariate.metric_space import MetricSpace
from ...multivariate.partition import LEVEL, WEAK, Partition
from ..metric_space import finite, names, part_of, value
from ..report import Table
from ..units import many, ranges, ranks

__all__ = [
    "across",
    "advice",
    "by_difference",
    "data",
    "differences",
    "document",
    "f_ratio_table",
    "members",
    "strength",
    "table",
    "tables",
    "told",
    "who",
]

_LISTED: Final = 30  # maximum number of clusters in a table
_ACROSS: Final = 8  # maximum number of clusters whose means are shown side by side
_SHOWN: Final = 12  # maximum number of metrics with F-ratios in a table
_NEAR: Final = 0.1  # minimum ratio at which two values are compared in percent
_TOLD: Final = 2  # maximum number of metrics to name if differences do not depend on clusters
_NAMED: Final = 16  # maximum number of ranks, or ranges of ranks, in a list
_TOO_FEW: Final = 2  # number of locations that is too small for clusters
_TWICE: Final = 1.995  # minimum ratio at which two values are compared by a factor rather than in percent
_FIRST: Final = "the first thread of each process"
_OTHERS: Final = "all threads but the first of each process"


def who(space: MetricSpace, partition: Partition, cluster: int) -> str:
    """Return the members of a cluster as text: all first threads, all other threads, or a list of ranks or threads."""
    inside = partition.labels == cluster
    first = np.array([point.thread == 0 for point in space.points])
    if not first.all() and not (first == first[0]).all():
        if (inside == first).all():
            return _FIRST
        if (inside == ~first).all():
            return _OTHERS
    return members(space, partition, cluster)


def members(space: MetricSpace, partition: Partition, cluster: int) -> str:
    """Return the members of a cluster as text: ``ranks 0-3, 7``; threads if one of the ranks is in several clusters."""
    labels = [space.labels[row] for row in np.flatnonzero(partition.labels == cluster)]
    own = {point.process for point, each in zip(space.points, partition.labels, strict=True) if each == cluster}
    others = {point.process for point, each in zip(space.points, partition.labels, strict=True) if each != cluster}
    return ranks(labels if own & others or isinstance(labels[0], int) else sorted(own), _NAMED)


def differences(
    space: MetricSpace, partition: Partition, cluster: int, most: int = 3, *, first: int | None = None
) -> str:
    """Return the metrics in which a cluster differs most from all other points: ``stores 20 % above 1.2e8``.

    Args:
        space: The metric space.
        partition: The clusters.
        cluster: Index of the cluster.
        most: The maximum number of metrics.
        first: Column of the metric to name first; may be None. Metrics with material differences follow, times before
            other metrics, and larger differences before smaller ones.
    """
    inside = partition.labels == cluster
    if inside.all():
        return ""
    said = []
    columns = dict.fromkeys([*([] if first is None else [first]), *telling(space, partition, cluster)])
    for column in list(columns)[:most]:
        own, others = (float(space.values[rows, column].mean()) for rows in (inside, ~inside))
        said.append(f"{space.metrics[column]} {_against(space, space.metrics[column], own, others)}")
    return "; ".join(said) or "no difference that matters"


def _against(space: MetricSpace, metric: str, own: float, others: float) -> str:
    """Return a comparison of two means as text.

    If both means are positive and of similar size, the text contains a percentage or a factor, otherwise both values.
    """
    if min(own, others) > 0 and _NEAR < own / others < 1 / _NEAR:
        factor = own / others
        if factor >= _TWICE:
            return f"{factor:.3g} times {value(space, metric, others)}"
        return f"{100 * abs(factor - 1):.2g} % {'above' if factor > 1 else 'below'} {value(space, metric, others)}"
    texts = value(space, metric, own), value(space, metric, others)
    return " against ".join(texts if texts[0] != texts[1] else (f"{own:.9g}", f"{others:.9g}"))


def advice(space: MetricSpace, partition: Partition) -> list[str]:
    """Return sentences about the main difference between clusters, the extreme cluster, and locations to look at."""
    if partition.count < 2:
        return []
    if len(partition.labels) == _TOO_FEW:
        return [f"{_TOO_FEW} locations are too few for clusters: the table shows how they differ."]
    if not partition.by_f_ratio:  # each location is a separate cluster
        return [told(space, partition, by_difference(space, partition)[0])]
    columns = separating(space, partition)
    if not columns:
        return [f"No difference between the clusters matters (limits: {RULE}).{across(space)}"]
    best = columns[0]
    said = (
        f"The clusters differ most in {space.metrics[best]} (F = {partition.f_ratios[best]:.4g}): "
        f"{_farthest(space, partition, best)}"
    )
    typical = names([space.labels[row] for row in partition.typical.tolist()], 10)
    return [said, f"Look at one location of each cluster, such as {typical}."]


def told(space: MetricSpace, partition: Partition, cluster: int, called: str = "", most: int = 3) -> str:
    """Return a sentence with the metrics in which a cluster differs most from the others.

    Args:
        space: The metric space.
        partition: The clusters.
        cluster: Index of the cluster.
        called: A description of the cluster; empty for a list of its members.
        most: The maximum number of metrics.
    """
    what = differences(space, partition, cluster, most)
    return f"Cluster {cluster + 1}, {called or who(space, partition, cluster)}, compared with the others: {what}."


def across(space: MetricSpace) -> str:
    """Return a sentence about the largest differences between locations, regardless of clusters; may be empty."""
    low, high = space.values.min(axis=0), space.values.max(axis=0)
    said = [
        f"{space.metrics[column]} from {_whose(space, column, low[column])} to {_whose(space, column, high[column])}"
        for column in matters(space, low, high)[:_TOLD]
    ]
    return f" Locations differ regardless of the clusters: {', '.join(said)}." if said else ""


def _whose(space: MetricSpace, column: int, number: float) -> str:
    """Return a value of a metric as text, with the location if only one location has this value."""
    rows = np.flatnonzero(space.values[:, column] == number)
    place = f" on {ranks([space.labels[int(rows[0])]])}" if len(rows) == 1 else ""
    return f"{value(space, space.metrics[column], float(number))}{place}"


def by_difference(space: MetricSpace, partition: Partition) -> list[int]:
    """Return the clusters, sorted by how much each differs from the others in its most characteristic metric.

    Clusters that differ in a time come first, and clusters without a material difference last. Among clusters that
    differ equally, the smallest comes first.
    """

    def place(cluster: int) -> tuple[bool, float, int]:
        rows = partition.members[cluster]
        if not (columns := telling(space, partition, cluster)):
            return True, 0.0, len(rows)
        own = float(partition.means[cluster, columns[0]])
        others = float(np.delete(space.values[:, columns[0]], rows).mean())
        away = abs(own - others) / max(abs(own), abs(others), float(np.finfo(np.float64).tiny))
        return space.units.get(space.metrics[columns[0]]) != "sec", -round(away, 12), len(rows)

    return sorted(range(partition.count), key=place)


def _farthest(space: MetricSpace, partition: Partition, column: int) -> str:
    """Return a sentence about the clusters on one side of a metric's widest gap: the side with fewer locations.

    It also names the location on this side that is farthest from the gap.

    Args:
        space: The metric space.
        partition: The clusters.
        column: Column of the metric.
    """
    means = partition.means[:, column]
    order = np.argsort(means, kind="stable")
    upper = order[int(np.diff(means[order]).argmax()) + 1 :]
    beyond = np.isin(partition.labels, upper)
    most = 2 * beyond.sum() <= len(beyond)  # whether the side above the gap has fewer locations
    halves = Partition.of(space, beyond == most, space.scaled())
    inside = int(halves.labels[int((beyond == most).argmax())])
    own = [cluster + 1 for cluster in range(partition.count) if (cluster in upper) == most]
    which = f"cluster{'' if len(own) == 1 else 's'} {ranges(own, _NAMED)}"
    what = differences(space, halves, inside, first=column)
    return f"{which}, {who(space, halves, inside)}: {what}.{_extreme(space, halves, inside, column, most=bool(most))}"


def _extreme(space: MetricSpace, partition: Partition, cluster: int, column: int, *, most: bool) -> str:
    """Return a sentence about the location with a cluster's largest or smallest value, if it differs from the mean.

    Args:
        space: The metric space.
        partition: The clusters.
        cluster: Index of the cluster.
        column: Column of the metric.
        most: Whether to name the location with the largest value, rather than the smallest.
    """
    rows, metric = partition.members[cluster], space.metrics[column]
    own = space.values[rows, column]
    row = int(rows[own.argmax() if most else own.argmin()])
    number = value(space, metric, space.values[row, column])
    if number == value(space, metric, float(own.mean())):
        return ""
    return f" Among these, {ranks([space.labels[row]])} has the {'largest' if most else 'smallest'} value: {number}."


def strength(space: MetricSpace, partition: Partition, *, advise: bool = True) -> str | None:
    """Return a warning if clusters are not distinct, may be due to chance, or do not differ materially; otherwise None.

    Without ``advise``, the warning contains no advice, because it may contradict the verdict on the same page.
    """
    if partition.silhouette is not None and partition.silhouette < WEAK:
        found = f"silhouette {partition.silhouette:.2f}; at least {WEAK} is needed"
        return f"The clusters are not distinct ({found}){': treat the locations as one group' if advise else ''}."
    if partition.by_chance:
        return (
            f"The clusters may be due to chance: in {100 * (partition.chance or 0):.3g} of 100 simulations, "
            f"{len(partition.labels)} locations of a single group looked just as clustered (the limit is "
            f"{100 * LEVEL:g}). {'Treat them as one group, or add runs' if advise else 'More runs may confirm them'} "
            "(stats --sample)."
        )
    if not matters(space, space.values.min(axis=0), space.values.max(axis=0)):
        alike = " Treat them as one group." if advise else ""
        return f"No difference between the locations matters (limits: {RULE}).{alike}"
    return None


def tables(space: MetricSpace, partition: Partition, *, wanted: bool) -> list[Table]:
    """Return a table of clusters, and a table of the metrics that separate them; empty unless ``wanted``."""
    if not wanted:
        return []
    return [table(space, partition), *([f_ratio_table(space, partition)] if partition.by_f_ratio else [])]


def table(space: MetricSpace, partition: Partition) -> Table:
    """Return a table of clusters with their members, sizes, typical locations, and differences."""
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
    """Return a table of the metrics that separate the clusters, with F-ratios and means."""
    rows = []
    # The table must contain the metrics that sentences name, so these are selected first.
    first = dict.fromkeys([*separating(space, partition), *partition.by_f_ratio])
    shown_columns = {*list(first)[:_SHOWN]}
    for column in (each for each in partition.by_f_ratio if each in shown_columns):
        metric = space.metrics[column]
        means = [value(space, metric, mean) for mean in partition.means[:_ACROSS, column]]
        rows.append((metric, f"{partition.f_ratios[column]:.4g}", *means))
    columns = min(partition.count, _ACROSS)
    header = ("metric", "F-ratio", *(f"cluster {number + 1}" for number in range(columns)))
    parts = (
        "What separates the clusters: F-ratio (variance between clusters / variance within them), and means",
        part_of(columns, partition.count, "cluster"),
        part_of(len(rows), len(partition.by_f_ratio), "metric"),
    )
    return Table("; ".join(each for each in parts if each), header, rows)


def document(space: MetricSpace, partition: Partition) -> dict[str, Any]:
    """Return clusters as JSON data; infinite and undefined F-ratios are None."""
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
    """Return the table for CSV, with the cluster and the values of each point."""
    rows = [
        (label, cluster + 1, *values)
        for label, cluster, values in zip(space.labels, partition.labels.tolist(), space.values.tolist(), strict=True)
    ]
    return Table("clusters", ("location", "cluster", *space.metrics), rows)
