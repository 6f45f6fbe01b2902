"""Which metrics are worth recording, from one period of a run to the next: projection pursuit (paper 004)."""

from .camps import Camps
from .period import Options, Period, PursuitOverTime, Telling
from .points import Trimming
from .pursuit import Outcome, Pursuit, Status, index_of, pursue
from .ranking import View
from .search import STARTS
from .selection import IDENTITY, PROBED
from .window import SlidingWindow, smoothed

__all__ = [
    "IDENTITY",
    "PROBED",
    "STARTS",
    "Camps",
    "Options",
    "Outcome",
    "Period",
    "Pursuit",
    "PursuitOverTime",
    "SlidingWindow",
    "Status",
    "Telling",
    "Trimming",
    "View",
    "index_of",
    "pursue",
    "smoothed",
]
