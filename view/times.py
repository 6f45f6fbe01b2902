"""Times of an experiment, in words."""

from __future__ import annotations

from ..experiment import Experiment
from .units import amount, percent

__all__ = ["saving", "time_of"]


def time_of(experiment: Experiment, value: float) -> str:
    """Return an analysed experiment's time as text, in samples if these replace time."""
    return amount(value, experiment.metric("wall_time").unit)


def saving(experiment: Experiment, seconds: float, base: float, run: float, *, beside: bool = False) -> str:
    """Return the saving of a fix: ``up to 1.09 of 1.91 s (57 %)``; of the run, if it exceeds the base.

    If the base does not contain it: ``up to 1.09 of 1.91 + 1.09 s (36 %)``.
    """
    is_apart = beside and base < run
    whole, of_run = (base, "") if is_apart or seconds <= base else (run, " of the run")
    saved, written = time_of(experiment, seconds), time_of(experiment, whole)
    number, _, unit = saved.partition(" ")
    said = number if written.endswith(f" {unit}") else saved
    if is_apart:
        whole, written = whole + seconds, f"{written.removesuffix(f' {unit}')} + {saved}"
    return f"up to {said} of {written} ({percent(100 * seconds / whole)}{of_run})"
