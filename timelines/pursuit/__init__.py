"""Find metrics worth recording in the next period of a run, by projection pursuit (Vetter and Reed, SC 1999)."""

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
