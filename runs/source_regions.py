"""Functions and loops of sources, for a program without probes whose code was sampled."""

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
    """Return a run's experiment with regions in place of sampled lines, and replace its file if that can be written.

    Args:
        experiment: As gathered; returned unchanged if it has no lines.
        folder: The run's folder.
    """
    if not has_lines(experiment):
        return experiment
    from ..instrument.unbuilt import regions_of_unbuilt  # noqa: PLC0415 - most programs have probes

    files = lined_files(experiment)
    openmp = any(place.thread for place in experiment.locations)
    regions = list(regions_of_unbuilt(files, openmp=openmp))
    made = in_regions(experiment, regions)
    # unlike Path.is_file, this raises nothing if a folder may not be entered
    unread = [file for file in files if not file.startswith("/usr/") and not os.path.isfile(file)]  # noqa: PTH113
    if unread:
        notes = made.notes
        said = (
            f"no loops from {len(unread)} sources that are not on this machine, such as {unread[0]}: run this "
            "command where they are"
        )
        made = made.replaced(notes=replace(notes, remarks=(*notes.remarks, said)))
    try:
        file = save_of_run(made, folder)
    except InputError:  # another user's run
        return made
    return load(file) if file.name == LARGE_EXPERIMENT_FILE else made
