"""Start one process of a measured run, as ``exec`` does, without loading the code that gathers and analyses."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from ..errors import InputError
from .build import probe_library
from .command import find_program
from .folder import RunFolder
from .launch import PATH_VARIABLE, SPLIT_VARIABLE, measured_environment
from .mpi.detection import find_mpi
from .python_functions import python_environment
from .sample_rate import SAMPLE_VARIABLE

__all__ = ["become"]


def become(
    command: Sequence[str],
    output: Path,
    python_functions: Sequence[str] = (),
    *,
    split_waiting: bool = False,
    path: str = "auto",
    sample: str | None = None,
) -> NoReturn:
    """Replace this process with the program, with the probe library preloaded.

    Args:
        command: The program and its arguments.
        output: The run's folder.
        python_functions: Patterns of the Python functions to record as regions.
        split_waiting: Whether to put a barrier before each blocking collective; must be the same in all processes of
            the job.
        path: When to record the critical path: ``never``, ``auto`` or ``always``; must be the same in all processes
            of the job.
        sample: Samples per second of CPU time, as ``sample_rate`` returns them; None to use the environment variable.

    Raises:
        InputError: The program does not exist or cannot be started.
        BuildError: The probe library cannot be built.
    """
    find_program(command, "")
    library = probe_library(find_mpi(command))
    folder = RunFolder(output)
    environment = {**measured_environment(library, folder.shards), **python_environment(python_functions)}
    if split_waiting:
        environment[SPLIT_VARIABLE] = "1"
    environment[PATH_VARIABLE] = path
    if sample is not None:
        environment[SAMPLE_VARIABLE] = sample
    folder.join()
    try:
        os.execvpe(command[0], list(command), environment)
    except OSError as error:
        raise InputError(f"{command[0]}: cannot be started: {error.strerror}") from None
