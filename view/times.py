"""Write times and savings of an experiment as text."""

from __future__ import annotations

from ..experiment import Experiment
from .units import amount, percent

__all__ = ["saving", "time_of"]


def time_of(experiment: Experiment, value: float) -> str:
    """Return a time as text; in samples if the experiment has samples instead of seconds."""
    return amount(value, experiment.metric("wall_time").unit)


def saving(
    experiment: Experiment, seconds: float, base: float, run: float, *, beside: bool = False, what: str = "up to"
) -> str:
    """Return the saving of a fix as text: ``up to 1.09 of 1.91 s (57 %)``.

    A saving that exceeds the base is given as a share of the run. With ``beside``, the base does not contain the
    saving: ``up to 1.09 s in MPI, besides 1.91 s busy``.

    Args:
        experiment: The experiment, for the unit.
        seconds: The saving.
        base: The time of which it is a share.
        run: The time of the run.
        beside: Whether the saving is time in MPI, and the base is busy time.
        what: The first words.
    """
    if beside and base < run:
        return f"{what} {time_of(experiment, seconds)} in MPI, besides {time_of(experiment, base)} busy"
    whole, of_run = (base, "") if seconds <= base else (run, " of the run")
    saved, written = time_of(experiment, seconds), time_of(experiment, whole)
    number, _, unit = saved.partition(" ")
    said = number if written.endswith(f" {unit}") else saved
    return f"{what} {said} of {written} ({percent(100 * seconds / whole)}{of_run})"
