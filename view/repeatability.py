"""In how many runs a finding was made, and the confidence in its seconds, in words."""

from __future__ import annotations

from ..analyze.verdict.repeatability import CONFIDENCE, Repeatability, Repetition
from .units import percent, seconds, spread

__all__ = ["how_sure", "in_runs"]


def in_runs(repetition: Repetition, repeatability: Repeatability | None) -> str:
    """Return the end of a finding's line: ``; in 5 of 5 runs``; empty for a single run."""
    return f"; in {repeatability.in_runs} of {repetition.runs} runs" if repeatability else ""


def how_sure(repeatability: Repeatability | None, *, slow: str = "") -> list[str]:
    """Return the interval of a finding's seconds, if there is one.

    Args:
        repeatability: That of the finding; None for a single run.
        slow: The slow ones, ``ranks`` or ``threads``; empty for a hot spot.
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
