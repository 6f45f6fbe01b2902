"""Write times and savings of an experiment as text."""

from __future__ import annotations

from ..experiment import Experiment
from .units import amount, percent

__all__ = ["saving", "time_of"]


def time_of(experiment: Experiment, value: float) -> str:
    """Return a time as text; in samples if the experiment has samples instead of seconds."""
    return amount(value, experiment.metric("wall_time").unit)


def saving(
    experiment: Experiment, seconds: float, base: float, run: float, *, beside: str = "", verb: str = "saves up to"
) -> str:
    """Return a time with its share of the base: ``saves up to 1.09 s (57 %)``; of the run, if it exceeds the base.

    Time ``beside`` the base, such as in MPI, is written without a share: ``saves up to 2.1 s in MPI``.
    """
    written = f"{verb} {time_of(experiment, seconds)}"
    if beside and base < run:
        return f"{written} {beside}"
    whole, of_run = (base, "") if seconds <= base else (run, " of the run")
    return f"{written} ({percent(100 * seconds / whole)}{of_run})"
