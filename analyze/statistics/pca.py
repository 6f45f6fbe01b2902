"""Principal components: the few directions in which the points differ most (paper 003, sections 3.5 and 4.9)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import PCA

from ..metric_space import MetricSpace, Scale, Values
from .kmeans import kmeans
from .partition import Partition

__all__ = ["Components", "pca"]


@dataclass(frozen=True)
class Components:
    """Principal components of a space.

    Attributes:
        space: The points.
        explained: ``float64[component]``, each one's share of the variance.
        components: ``float64[component, metric]``, unit vectors; the largest entry of each is positive.
        scores: ``float64[point, component]``.
        partition: Clusters of the points, to be seen in the projection.
    """

    space: MetricSpace
    explained: Values
    components: Values
    scores: Values
    partition: Partition


def pca(space: MetricSpace, *, clusters: int | None = None, scale: Scale = "standard", seed: int = 0) -> Components:
    """Find the principal components, in O(points × metrics²), and clusters by k-means.

    Args:
        space: The points.
        clusters: How many clusters; if None, as the silhouette says.
        scale: How metrics are made comparable; with ``none`` those of the largest numbers weigh most.
        seed: Of k-means.
    """
    found = PCA(svd_solver="full").fit(space.scaled(scale))
    components, scores = np.asarray(found.components_), np.asarray(found.transform(space.scaled(scale)))
    largest = np.abs(components).argmax(axis=1)
    signs = np.sign(components[np.arange(len(components)), largest])
    partition = kmeans(space, clusters=clusters, scale=scale, seed=seed).partition
    explained = np.asarray(found.explained_variance_ratio_)
    return Components(space, explained, components * signs[:, None], scores * signs, partition)
