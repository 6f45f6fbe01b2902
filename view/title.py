"""Find a title for an experiment."""

from __future__ import annotations

from pathlib import Path

from ..experiment import Experiment

__all__ = ["title_of"]


def title_of(experiment: Experiment, file: Path | None) -> str:
    """Return the name of the program; if it is unknown, as in many other tools' files, return the name of the file."""
    return experiment.notes.program or (file.absolute().name if file else "experiment")
