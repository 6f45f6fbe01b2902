"""Ranks that take turns on fewer processors: what a clock on the wall measures, then, is waiting, too."""

from __future__ import annotations

from ..experiment import Experiment
from .threads import busy_threads

__all__ = ["taking_turns", "waiting_for_turns"]


def taking_turns(experiment: Experiment) -> int:
    """Count the ranks, or busy threads if these are more, that share fewer processors.

    0 if each had one, or it is not known.
    """
    processors = experiment.notes.processors
    if processors is None:
        return 0
    contenders = max(len({each.process for each in experiment.locations}), busy_threads(experiment))
    return contenders if contenders > processors else 0


def waiting_for_turns(experiment: Experiment) -> tuple[str, ...]:
    """Name the metrics that include waiting for a turn; none if each rank had a processor.

    These are times by the clock on the wall, and what MPI calls do while they wait, as ``cpu_time`` has it, too.
    """
    if not taking_turns(experiment):
        return ()
    found = {"wall_time", "program_time", "mpi_cpu_time", "mpi_instructions"}
    for metric in experiment.metrics:  # parents first
        if metric.parent in found:
            found.add(metric.name)
    if "mpi_cpu_time" in experiment:
        found.add("cpu_time")  # but not its other parts
    return tuple(metric.name for metric in experiment.metrics if metric.name in found)
