"""Compare two sets of runs: whether one is slower, and where."""

from .compared_runs import check_run, metrics_to_compare
from .comparison import Comparison, Judgement, compare

__all__ = ["Comparison", "Judgement", "check_run", "compare", "metrics_to_compare"]
