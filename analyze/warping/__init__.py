"""Alignment of traces: moments of the same work (Hauswirth et al., OOPSLA 2005, sections 3 and 4)."""

from .alignment import Alignment, By, OnTime, align, brought, carried, with_derived
from .doubt import Doubt, doubts
from .time_map import TimeMap, anchored, same_paths, time_map
from .warp_path import Told, Warp, warp, warp_error

__all__ = [
    "Alignment",
    "By",
    "Doubt",
    "OnTime",
    "TimeMap",
    "Told",
    "Warp",
    "align",
    "anchored",
    "brought",
    "carried",
    "doubts",
    "same_paths",
    "time_map",
    "warp",
    "warp_error",
    "with_derived",
]
