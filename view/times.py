"""Write times and savings as text."""

from __future__ import annotations

from ..experiment import Experiment
from .units import amount, percent

__all__ = ["saving", "time_of"]


def time_of(experiment: Experiment, value: float) -> str:
    """Return a time as text, in seconds or, if the experiment's unit of time is samples, as a number of samples."""
    return amount(value, experiment.metric("wall_time").unit)


def saving(experiment: Experiment, seconds: float, whole: float, of: str = "", *, verb: str = "saves up to") -> str:
    """Return a time and its share of a total as text: ``saves up to 1.09 s (57 %)``, ``… (31 % of run)``.

    Args:
        experiment: The experiment.
        seconds: The time in seconds.
        whole: The time that is 100 %, in seconds.
        of: Name of the total, written after the percentage; may be empty.
        verb: The words before the time.
    """
    return f"{verb} {time_of(experiment, seconds)} ({percent(100 * seconds / whole)}{of and f' of {of}'})"
