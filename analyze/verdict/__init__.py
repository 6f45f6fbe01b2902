"""The verdict: findings on what is slow, where, on which ranks and why; one per place, the largest saving first."""

from __future__ import annotations

from .causes import sums_in
from .confidence import Confidence
from .finding import Cause, Doubt, Finding, Gain, Group, Kind, Saved, Wait, Why
from .lost import Lost, LostTo
from .verdict import Verdict, find_verdict

__all__ = [
    "Cause",
    "Confidence",
    "Doubt",
    "Finding",
    "Gain",
    "Group",
    "Kind",
    "Lost",
    "LostTo",
    "Saved",
    "Verdict",
    "Wait",
    "Why",
    "find_verdict",
    "sums_in",
]
