"""Draw profiles of clusters: the distance between a cluster's mean and the mean of all points, for each metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...multivariate.metric_space import MetricSpace
from ...multivariate.partition import Partition
from ..marks import Matrix
from ..metric_space import drawn, part_of, value
from ..picture import Picture
from .clusters import members

__all__ = ["profile_picture"]

_CLUSTERS: Final = 30
_METRICS: Final = 40


def profile_picture(space: MetricSpace, partition: Partition, sentences: Sequence[str] = ()) -> Picture:
    """Return a picture of the clusters' means, coloured by their distance from the mean of all points.

    Distances are measured in standard deviations.
    """
    columns = partition.columns[:_METRICS]
    names = [space.metrics[column] for column in columns]
    means = partition.means[:_CLUSTERS, columns].tolist()
    clusters = [f"{number + 1}: {members(space, partition, number)}" for number in range(len(means))]
    said = [[value(space, name, mean) for name, mean in zip(names, row, strict=True)] for row in means]
    deviations = partition.deviations[:_CLUSTERS, columns].T
    cut = drawn(part_of(len(clusters), partition.count, "cluster"), part_of(len(columns), len(space.metrics), "metric"))
    title = "Means of the clusters, with the metric with the largest F-ratio first"
    by_metric = [[*row] for row in zip(*said, strict=True)]
    return Picture(title, [Matrix(names, clusters, deviations, said=by_metric)], [*sentences, *cut])
