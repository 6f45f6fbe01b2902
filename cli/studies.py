"""Read series of runs with different numbers of ranks, and judge how they scale."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, UsageError
from ..runtime.folder import RunFolder

if TYPE_CHECKING:
    from ..analyze.scaling import Mode, Scaling

__all__ = ["judged", "runs_of_study"]


def runs_of_study(path: Path) -> list[Path]:
    """Return the runs in the folder of a series, the run with the fewest ranks first; return any other path as it is.

    Raises:
        InputError: The series was interrupted.
    """
    runs = [each for each in path.glob("ranks-*") if each.name.removeprefix("ranks-").isdecimal()]
    if not runs or RunFolder(path).experiment.exists():
        return [path]
    for each in map(RunFolder, runs):
        if not (each.experiment.exists() or each.shard_files()):
            found = "only some of the repeated runs" if each.run(1).path.exists() else "none"
            raise InputError(
                f"{each.path}: expected a run, found {found}; to complete {path}, repeat the command that recorded it"
            )
    return sorted(runs, key=lambda each: int(each.name.removeprefix("ranks-")))


def judged(paths: Sequence[Path], mode: Mode | None = None) -> tuple[Scaling, list[Path]]:
    """Return how runs scale, and the experiments' files.

    Args:
        paths: Experiment files, or folders of runs; a mean is replaced by the repeated runs that it averages.
        mode: Strong or weak scaling; None to infer it from the counts.

    Returns:
        The result, and the experiments' files.

    Raises:
        InputError: A run cannot be read, or the runs cannot be judged together.
        UsageError: A run is named twice, or ``series_of`` or ``find_scaling`` raises this error.
    """
    from ..analyze.scaling import find_scaling, series_of
    from ..runs.open_experiment import open_experiment
    from ..runtime.mean_of_runs import runs_of_mean

    runs, files = [], []
    for path in paths:
        experiment, file = open_experiment(path)
        if file.resolve() in files:
            raise UsageError(f"{path}: this run is given twice; give each run only once")
        runs.append(runs_of_mean(experiment, file) or [experiment])
        files.append(file.resolve())
    return find_scaling(series_of(runs, [str(each) for each in paths]), mode), files
