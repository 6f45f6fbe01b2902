"""Find a title for an experiment."""

from __future__ import annotations

from pathlib import Path

from ..experiment import Experiment

__all__ = ["title_of"]


def title_of(experiment: Experiment, file: Path | None) -> str:
    """Return the name of the program, or of the file if the program is unknown, as in files of many other tools."""
    return experiment.notes.program or (file.absolute().name if file else "experiment")
