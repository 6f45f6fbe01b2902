"""Write times and savings of an experiment as text."""

from __future__ import annotations

from ..experiment import Experiment
from .units import amount, percent

__all__ = ["saving", "time_of"]


def time_of(experiment: Experiment, value: float) -> str:
    """Return a time in seconds as text; if the experiment has samples rather than seconds, a number of samples."""
    return amount(value, experiment.metric("wall_time").unit)


def saving(experiment: Experiment, seconds: float, whole: float, of: str = "", *, verb: str = "saves up to") -> str:
    """Return a time with its share of a whole: ``saves up to 1.09 s (57 %)``, ``… (31 % of run)``.

    Args:
        experiment: The experiment.
        seconds: The time in seconds.
        whole: The time that is 100 %, in seconds.
        of: Name of the whole, written after the percentage; may be empty.
        verb: The words before the time.
    """
    return f"{verb} {time_of(experiment, seconds)} ({percent(100 * seconds / whole)}{of and f' of {of}'})"
