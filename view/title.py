"""The title of an experiment."""

from __future__ import annotations

from pathlib import Path

from ..experiment import Experiment

__all__ = ["title_of"]


def title_of(experiment: Experiment, file: Path | None) -> str:
    """Return the program's name; the file's if that is unknown, as in many other tools' files."""
    return experiment.notes.program or (file.absolute().name if file else "experiment")
