"""The verdict: what is slow, on which ranks, where and why, each place once, the largest gain first."""

from __future__ import annotations

from .confidence import Confidence, confidence_in_difference, confidence_in_weight, is_slight_speed
from .finding import Cause, Doubt, Finding, Gain, Kind
from .gain import gain_of_balance, gain_of_weight
from .verdict import SHORTEST, Verdict, find_verdict

__all__ = [
    "SHORTEST",
    "Cause",
    "Confidence",
    "Doubt",
    "Finding",
    "Gain",
    "Kind",
    "Verdict",
    "confidence_in_difference",
    "confidence_in_weight",
    "find_verdict",
    "gain_of_balance",
    "gain_of_weight",
    "is_slight_speed",
]
