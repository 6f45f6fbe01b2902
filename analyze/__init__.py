"""From an experiment to findings: one analysis a module."""

from __future__ import annotations

from .compared_runs import metrics_to_compare
from .comparison import Comparison, Judgement, compare
from .crnm import DISPARITY_METRICS
from .findings import Findings, Overhead, analyze
from .performance import DISSIMILARITY_METRICS

__all__ = [
    "DISPARITY_METRICS",
    "DISSIMILARITY_METRICS",
    "Comparison",
    "Findings",
    "Judgement",
    "Overhead",
    "analyze",
    "compare",
    "metrics_to_compare",
]
