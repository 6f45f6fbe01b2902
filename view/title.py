"""What an experiment is called above what is shown of it."""

from __future__ import annotations

from pathlib import Path

from ..experiment import Experiment

__all__ = ["title_of"]


def title_of(experiment: Experiment, file: Path | None) -> str:
    """Give the program's name; of a file that does not know it, as many of other tools, the file's own."""
    return experiment.notes.program or (file.absolute().name if file else "experiment")
