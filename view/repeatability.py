"""In how many runs a finding was made, and how certain its seconds are, in words."""

from __future__ import annotations

from ..analyze.verdict.repeatability import CONFIDENCE, Repeatability, Repetition
from .units import percent, seconds, spread

__all__ = ["how_sure", "in_runs"]


def in_runs(repetition: Repetition, repeatability: Repeatability | None) -> str:
    """Write what ends a line of a finding: ``; in 5 of 5 runs``; nothing where there were not several."""
    return f"; in {repeatability.in_runs} of {repetition.runs} runs" if repeatability else ""


def how_sure(repeatability: Repeatability | None, *, slow: str = "") -> list[str]:
    """Write the interval of a finding's seconds, if there is one.

    Args:
        repeatability: That of the finding; None of a single run.
        slow: Who takes longer than others, ``ranks`` or ``threads``; empty where a region weighs.
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
        said = f"the slow {slow} take at most {seconds(high)} longer per run, if they do at all"
    return [f"{said}, with {percent(100 * CONFIDENCE)} confidence"]
