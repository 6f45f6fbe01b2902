"""From an experiment to findings: one analysis a module."""

from __future__ import annotations

from .crnm import DISPARITY_METRICS
from .findings import Findings, Overhead, analyze
from .performance import DISSIMILARITY_METRICS

__all__ = ["DISPARITY_METRICS", "DISSIMILARITY_METRICS", "Findings", "Overhead", "analyze"]
