"""Describe how many runs show a finding, and the confidence interval of its time."""

from __future__ import annotations

from ..analyze.verdict.repeatability import CONFIDENCE, Repeatability, Repetition
from .units import percent, seconds, spread

__all__ = ["how_sure", "in_runs"]


def in_runs(repetition: Repetition, repeatability: Repeatability | None) -> str:
    """Return a phrase for the end of a finding's line, such as ``; in 5 of 5 runs``; empty for a single run."""
    return f"; in {repeatability.in_runs} of {repetition.runs} runs" if repeatability else ""


def how_sure(repeatability: Repeatability | None, *, slow: str = "") -> list[str]:
    """Return a line with the confidence interval of a finding's time, if there is one.

    Args:
        repeatability: The repeatability of the finding; None for a single run.
        slow: ``ranks`` or ``threads`` for an imbalance; empty for a hot spot.
    """
    interval = repeatability.interval if repeatability else None
    if interval is None:
        return []
    low, high = max(interval.low, 0.0), interval.high
    if not slow:
        said = f"the region takes {spread(low, high)} per run"
    elif interval.low > 0:
        said = f"the slow {slow} take {spread(low, high)} longer per run"
    else:
        said = f"the slow {slow} take at most {seconds(high)} longer per run, and perhaps no longer at all"
    return [f"{said}, with {percent(100 * CONFIDENCE)} confidence"]
