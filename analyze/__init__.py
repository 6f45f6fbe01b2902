"""From an experiment to findings: what was run, which ranks differ, which regions weigh, why, and what it is worth."""

from __future__ import annotations

from .disparity.weights import DISPARITY_METRICS
from .dissimilarity.rank_vectors import DISSIMILARITY_METRICS
from .findings import METHODS, Findings, analyze

__all__ = ["DISPARITY_METRICS", "DISSIMILARITY_METRICS", "METHODS", "Findings", "analyze"]
