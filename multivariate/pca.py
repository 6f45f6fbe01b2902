"""Principal components: the few directions in which the points differ most (Ahn and Vetter, sections 3.5 and 4.9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..analyze.run.arrays import Values
from ..errors import InputError
from .kmeans import kmeans
from .metric_space import MetricSpace, Scale
from .partition import Partition
from .single_threaded_blas import single_threaded_blas

__all__ = ["Components", "pca"]


@dataclass(frozen=True)
class Components:
    """Principal components of a space.

    Attributes:
        space: The points.
        explained: ``float64[component]``, share of the variance.
        components: ``float64[component, metric]``, unit vectors; the largest entry of each is positive (the first, if
            several are equal).
        scores: ``float64[point, component]``.
        partition: Clusters of the points, for the projection.
        given: Whether the number of clusters was given.
    """

    space: MetricSpace
    explained: Values
    components: Values
    scores: Values
    partition: Partition
    given: bool


_ROUNDING: Final = 1e-9  # entries that differ by less count as equal


@single_threaded_blas
def pca(space: MetricSpace, *, clusters: int | None = None, scale: Scale = "standard", seed: int = 0) -> Components:
    """Compute the principal components, in O(points × metrics²), and clusters by k-means.

    Args:
        space: At least two metrics.
        clusters: The number of clusters; if None, the silhouette decides.
        scale: How metrics are scaled; with ``none``, the metrics with the largest numbers dominate.
        seed: Seed of k-means.

    Raises:
        InputError: There is only one metric.
    """
    if len(space.metrics) < 2:
        raise InputError(f"pca: need at least two metrics that differ, found only {space.metrics[0]}")
    from scipy.linalg import svd  # noqa: PLC0415 - takes a third of a second

    values = space.scaled(scale)
    centred = values - values.mean(axis=0)
    _, singular, components = svd(centred, full_matrices=False)
    scores = centred @ components.T
    sizes = np.abs(components)
    largest = (sizes >= sizes.max(axis=1, keepdims=True) - _ROUNDING).argmax(axis=1)
    signs = np.sign(components[np.arange(len(components)), largest])
    return Components(
        space,
        singular**2 / (singular**2).sum(),
        components * signs[:, None],
        scores * signs,
        kmeans(space, clusters=clusters, scale=scale, seed=seed).partition,
        clusters is not None,
    )
