"""Find a title for an experiment."""

from __future__ import annotations

from pathlib import Path

from ..experiment import Experiment

__all__ = ["title_of"]


def title_of(experiment: Experiment, file: Path | None) -> str:
    """Return the name of the program or, if it is unknown, as in the files of many tools, the name of the file."""
    return experiment.notes.program or (file.absolute().name if file else "experiment")
