"""The choices of an analysis: metrics and methods. Help texts need only these, so numpy is not imported."""

from __future__ import annotations

from typing import Final

__all__ = ["DISPARITY_METRICS", "DISSIMILARITY_METRICS", "METHODS", "OURS", "PAPER", "PAPER_METRIC", "SCALING_MODES"]

DISSIMILARITY_METRICS: Final = ("compute_time", "cpu_time", "wall_time", "mpi_bytes")
PAPER_METRIC: Final = "cpu_time"  # the main metric of Liu et al. 2011, section 4.2.1
DISPARITY_METRICS: Final = ("crnm", "cpi", "wall_time")
OURS, PAPER = METHODS = ("autoanalyzer", "paper")
SCALING_MODES: Final = ("strong", "weak")
