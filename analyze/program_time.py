"""How long the program took: what shares of the time are shares of."""

from __future__ import annotations

from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from ..experiment import Experiment
from .arrays import Flags, Values
from .blocks import over_locations
from .code_regions import startup_paths

__all__ = ["program_times", "times_outside"]

_KNOWN: Final[WeakKeyDictionary[Experiment, tuple[Values, Values]]] = WeakKeyDictionary()
_START: Final = 0.1  # what it may take a process to start and end, of the time between MPI_Init and MPI_Finalize


def program_times(experiment: Experiment) -> Values:
    """Give W_program of each process in seconds (definitions 2): from MPI_Init's return to MPI_Finalize's call.

    The whole run but these two calls where a process did not measure that, never came to its end, or worked outside.
    """
    measured, whole = _program_and_run(experiment)
    return np.where((measured > 0) & ~_worked_outside(measured, whole), measured, whole)


def times_outside(experiment: Experiment) -> Values:
    """Give what of W_program is before MPI_Init and after MPI_Finalize, of each process in seconds."""
    measured, whole = _program_and_run(experiment)
    return np.where((measured > 0) & _worked_outside(measured, whole), whole - measured, 0.0)


def _program_and_run(experiment: Experiment) -> tuple[Values, Values]:
    """Give the time between MPI_Init and MPI_Finalize, 0 if unknown, and that of the whole run, of each process."""
    if experiment not in _KNOWN:
        measured, whole = zip(*over_locations(experiment, _of_block), strict=True)
        _KNOWN[experiment] = np.concatenate(measured), np.concatenate(whole)
    return _KNOWN[experiment]


def _of_block(experiment: Experiment, _: slice) -> tuple[Values, Values]:
    whole = np.zeros(len(experiment.locations))
    if "wall_time" in experiment:
        values = experiment.exclusive("wall_time")
        hidden = list(startup_paths(experiment))
        if hidden:
            values = values.copy()
            values[hidden] = 0.0
        whole = values.sum(axis=0)
    measured = np.zeros_like(whole)
    if "program_time" in experiment:
        measured = experiment.exclusive("program_time").sum(axis=0)
    first: dict[int, int] = {}
    for column, place in enumerate(experiment.locations):
        first.setdefault(place.process, column)
    columns = list(first.values())
    return np.asarray(measured[columns]), np.asarray(whole[columns])


def _worked_outside(measured: Values, whole: Values) -> Flags:
    """Whether more happened outside of MPI_Init and MPI_Finalize than that a process starts and ends."""
    return np.asarray(whole - measured > _START * measured)
