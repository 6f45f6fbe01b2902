"""Compare two sets of runs of a program: is one set slower, and where?"""

from .changes import Change, Changes
from .compared_runs import BUSY_TIME, PATH_TIME, check_run, metrics_to_compare
from .comparison import Comparison, Judgement, compare

__all__ = [
    "BUSY_TIME",
    "PATH_TIME",
    "Change",
    "Changes",
    "Comparison",
    "Judgement",
    "check_run",
    "compare",
    "metrics_to_compare",
]
