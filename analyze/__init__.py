"""From an experiment to findings: one analysis a module."""

from __future__ import annotations

from .disparity.weights import DISPARITY_METRICS
from .dissimilarity.performance import DISSIMILARITY_METRICS
from .findings import METHODS, Findings, analyze

__all__ = ["DISPARITY_METRICS", "DISSIMILARITY_METRICS", "METHODS", "Findings", "analyze"]
