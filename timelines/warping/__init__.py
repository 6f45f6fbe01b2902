"""Align traces: find the same moments of the same work (Hauswirth et al., OOPSLA 2005, sections 3 and 4)."""

from .alignment import Alignment, OnTime, align, brought, with_derived
from .doubt import Doubt, doubts
from .time_map import TimeMap, anchored, same_paths, time_map
from .warp_path import Warp, warp, warp_error

__all__ = [
    "Alignment",
    "Doubt",
    "OnTime",
    "TimeMap",
    "Warp",
    "align",
    "anchored",
    "brought",
    "doubts",
    "same_paths",
    "time_map",
    "warp",
    "warp_error",
    "with_derived",
]
