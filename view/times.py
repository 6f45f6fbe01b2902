"""Times of an experiment, in words."""

from __future__ import annotations

from ..experiment import Experiment
from .units import amount, percent

__all__ = ["saving", "time_of"]


def time_of(experiment: Experiment, value: float) -> str:
    """Return an analysed experiment's time as text, in samples if these replace time."""
    return amount(value, experiment.metric("wall_time").unit)


def saving(
    experiment: Experiment, seconds: float, base: float, run: float, *, beside: bool = False, what: str = "up to"
) -> str:
    """Return the saving of a fix: ``up to 1.09 of 1.91 s (57 %)``; of the run, if it exceeds the base.

    If the base does not contain it: ``up to 1.09 s in MPI, besides 1.91 s busy``.
    """
    if beside and base < run:
        return f"{what} {time_of(experiment, seconds)} in MPI, besides {time_of(experiment, base)} busy"
    whole, of_run = (base, "") if seconds <= base else (run, " of the run")
    saved, written = time_of(experiment, seconds), time_of(experiment, whole)
    number, _, unit = saved.partition(" ")
    said = number if written.endswith(f" {unit}") else saved
    return f"{what} {said} of {written} ({percent(100 * seconds / whole)}{of_run})"
