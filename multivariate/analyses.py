"""Import point for code that needs every analysis of a metric space; each has its own module."""

from __future__ import annotations

from .correlation import Correlation, correlation
from .factors import Factors, Rotation, factors
from .hierarchy import Hierarchy, Linkage, hierarchy
from .kmeans import Clusters, Criterion, kmeans
from .materiality import dimensions
from .membership import Membership, grid_of, membership
from .partition import Part, Partition, recursively
from .pca import Components, pca

__all__ = [
    "Clusters",
    "Components",
    "Correlation",
    "Criterion",
    "Factors",
    "Hierarchy",
    "Linkage",
    "Membership",
    "Part",
    "Partition",
    "Rotation",
    "correlation",
    "dimensions",
    "factors",
    "grid_of",
    "hierarchy",
    "kmeans",
    "membership",
    "pca",
    "recursively",
]
