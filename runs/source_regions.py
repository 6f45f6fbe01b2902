"""Turn sampled source lines into functions and loops, for a program without probes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from ..errors import InputError
from ..experiment import Experiment, load
from ..experiment.run_folder import LARGE_EXPERIMENT_FILE
from ..experiment.sampled_regions import has_lines, in_regions, lined_files
from ..experiment.storage import save_of_run

__all__ = ["with_source_regions"]


def with_source_regions(experiment: Experiment, folder: Path) -> Experiment:
    """Return a run's experiment with functions and loops in place of sampled lines.

    The experiment's file is replaced as well, if it can be written.

    Args:
        experiment: The gathered experiment; returned unchanged if it has no sampled lines.
        folder: The run's folder.
    """
    if not has_lines(experiment):
        return experiment
    from ..instrument.unbuilt import regions_of_unbuilt  # noqa: PLC0415 - most programs have probes

    files = lined_files(experiment)
    openmp = any(place.thread for place in experiment.locations)
    regions = list(regions_of_unbuilt(files, openmp=openmp))
    made = in_regions(experiment, regions)
    # Unlike Path.is_file, os.path.isfile raises no error if the user has no access to a folder.
    unread = [file for file in files if not file.startswith("/usr/") and not os.path.isfile(file)]  # noqa: PTH113
    if unread:
        notes = made.notes
        lost, them = unread[0], "file"
        if len(unread) > 1:
            lost, them = f"{len(unread)} source files, such as {unread[0]},", "files"
        said = (
            f"{lost} could not be found on this machine, so loops are missing; run this command on a machine that has "
            f"the {them}"
        )
        made = made.replaced(notes=replace(notes, remarks=(*notes.remarks, said)))
    try:
        file = save_of_run(made, folder)
    except InputError:  # the run belongs to another user, so its file cannot be replaced
        return made
    return load(file) if file.name == LARGE_EXPERIMENT_FILE else made
