"""Compare two sets of runs: is one slower, and where."""

from .compared_runs import metrics_to_compare
from .comparison import Comparison, Judgement, compare

__all__ = ["Comparison", "Judgement", "compare", "metrics_to_compare"]
