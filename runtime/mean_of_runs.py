"""Average the runs in a folder, and open the runs from which a mean was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..experiment import Experiment, Notes, load
from ..experiment.algebra import mean
from ..experiment.storage import save_of_run
from .folder import RunFolder

__all__ = ["runs_of_mean", "save_mean"]


def save_mean(folder: RunFolder, runs: int) -> Experiment:
    """Average runs 1 to ``runs`` in a folder, and write the result as the folder's experiment.

    Args:
        folder: The folder, in which each run has its own folder.
        runs: The number of runs.

    Raises:
        InputError: A run cannot be read, or the mean cannot be written.
    """
    folders = [folder.run(number) for number in range(1, runs + 1)]
    every = [load(each.experiment) for each in folders]
    found = mean(*every, exact=True, labels=[each.path.name for each in folders])
    found = found.replaced(notes=_notes(found.notes, [each.notes for each in every]))
    return load(save_of_run(found, folder.path))


def _notes(common: Notes, notes: Sequence[Notes]) -> Notes:
    """Return the common notes, with averages that are meaningful for runs of one command on one machine."""
    return replace(
        common,
        runs=len(notes),
        run_delay=_means([each.run_delay for each in notes]),
        involuntary_switches={
            rank: round(of_all) for rank, of_all in _means([each.involuntary_switches for each in notes]).items()
        },
        processor_use=_means([each.processor_use for each in notes]),
        prices=notes[0].prices,
        calibrated=notes[0].calibrated,
    )


def _means(of_each: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Average the values that all runs have, by rank or by name."""
    return {
        rank: sum(each[rank] for each in of_each) / len(of_each)
        for rank in of_each[0]
        if all(rank in each for each in of_each)
    }


def runs_of_mean(experiment: Experiment, file: Path) -> list[Experiment]:
    """Load the runs that an experiment averages; return an empty list if it is not a mean, or if a run is missing.

    Args:
        experiment: The experiment to analyse.
        file: The file from which the experiment was read.
    """
    folder = RunFolder(file.parent)
    if experiment.notes.runs < 2 or file != folder.experiment:
        return []
    runs = range(1, experiment.notes.runs + 1)
    if not all(folder.run(number).experiment.exists() for number in runs):
        return []
    return [load(folder.run(number).experiment) for number in runs]
