"""Which metrics are worth recording, from one period of a run to the next: projection pursuit (paper 004)."""

from .camps import Camps
from .period import Options, Period, PursuitOverTime, Telling
from .points import TRIMMINGS, Trimming
from .pursuit import SELECTED, Outcome, Pursuit, Ranked, Status, index_of, pursue
from .ranking import View
from .search import STARTS
from .selection import IDENTITY, PROBED, Reduction, next_selection
from .window import SlidingWindow, Window, smoothed

__all__ = [
    "IDENTITY",
    "PROBED",
    "SELECTED",
    "STARTS",
    "TRIMMINGS",
    "Camps",
    "Options",
    "Outcome",
    "Period",
    "Pursuit",
    "PursuitOverTime",
    "Ranked",
    "Reduction",
    "SlidingWindow",
    "Status",
    "Telling",
    "Trimming",
    "View",
    "Window",
    "index_of",
    "next_selection",
    "pursue",
    "smoothed",
]
