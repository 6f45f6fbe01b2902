"""Which metrics are worth recording, from one period of a run to the next: projection pursuit (paper 004)."""

from .period import Options, Period, PursuitOverTime
from .pursuit import SELECTED, Pursuit, Ranked, Status, index_of, pursue
from .selection import IDENTITY, Reduction, next_selection
from .trimming import TRIMMINGS, Trimming
from .window import SlidingWindow, Window, smoothed

__all__ = [
    "IDENTITY",
    "SELECTED",
    "TRIMMINGS",
    "Options",
    "Period",
    "Pursuit",
    "PursuitOverTime",
    "Ranked",
    "Reduction",
    "SlidingWindow",
    "Status",
    "Trimming",
    "Window",
    "index_of",
    "next_selection",
    "pursue",
    "smoothed",
]
