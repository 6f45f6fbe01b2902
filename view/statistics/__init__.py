"""Report statistics of metrics as tables, sentences, CSV, JSON and pictures, with a module per analysis."""

from __future__ import annotations

from .correlation import correlation_report
from .factors import factors_report
from .hierarchy import hierarchy_report
from .kmeans import kmeans_report
from .membership import membership_report
from .nested import nested_report
from .pca import pca_report

__all__ = [
    "correlation_report",
    "factors_report",
    "hierarchy_report",
    "kmeans_report",
    "membership_report",
    "nested_report",
    "pca_report",
]
