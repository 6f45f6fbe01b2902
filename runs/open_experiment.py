"""Open an experiment from a file, from a run's folder, or from shards that are not gathered yet."""

from __future__ import annotations

import warnings
from pathlib import Path

from ..errors import InputError
from ..experiment import Experiment, load
from ..runtime.folder import RunFolder
from .source_regions import with_source_regions

__all__ = ["open_experiment"]


def open_experiment(path: Path) -> tuple[Experiment, Path]:
    """Read an experiment from a file or a run's folder; shards that are not gathered yet are merged first.

    If a run without probes was sampled, its sampled source lines become functions and loops.

    Returns:
        The experiment, and the file that holds it.

    Raises:
        InputError: There is no such file, or the folder contains no data of a run.
    """
    if not path.is_dir():
        return load(path), path
    folder = RunFolder(path)
    if not folder.experiment.exists():
        from ..experiment.bridges import is_foreign_folder  # noqa: PLC0415 - most folders contain our own runs

        if is_foreign_folder(path):
            return load(path), path
    # Shards beside an experiment belong to a later run, or could not be read when the experiment was gathered.
    if folder.experiment.exists() and not folder.has_later_shards():
        return with_source_regions(load(folder.experiment), path), folder.experiment
    from ..runtime.gather.gather import gather_here  # noqa: PLC0415 - most experiments are gathered already
    from ..runtime.throttled_plan import add_throttled  # noqa: PLC0415

    experiment = gather_here(folder, ended=False)
    if experiment is None:
        run = folder.run(1)
        several = f"to show one of several runs, run: autoanalyzer analyze {run.path}"
        way = several if run.experiment.exists() else "to record a run, use autoanalyzer run"
        raise InputError(f"{path}: expected {folder.experiment.name} or shards, found neither; {way}")
    if said := add_throttled(folder.plan, experiment):
        warnings.warn(said, stacklevel=2)
    return with_source_regions(experiment, path), folder.experiment
