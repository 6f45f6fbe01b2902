"""Write times and savings of an experiment as text."""

from __future__ import annotations

from ..experiment import Experiment
from .units import amount, percent

__all__ = ["saving", "time_of"]


def time_of(experiment: Experiment, value: float) -> str:
    """Return a time as text; in samples if the experiment has samples instead of seconds."""
    return amount(value, experiment.metric("wall_time").unit)


def saving(experiment: Experiment, seconds: float, whole: float, of: str = "", *, verb: str = "saves up to") -> str:
    """Return a time with its share of a larger one: ``saves up to 1.09 s (57 %)``, ``… (31 % of the run)``."""
    return f"{verb} {time_of(experiment, seconds)} ({percent(100 * seconds / whole)}{of and f' of {of}'})"
