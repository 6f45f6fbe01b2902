"""``autoanalyzer exec``: replace this process with the program and record it; works under any launcher."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import UsageError
from ..experiment.run_folder import RUN_FOLDER
from ..runs.path_recording import path_recording
from ..runtime.become import become
from .critical_path import add_path
from .python_functions import add_python_functions
from .sample import add_sample
from .split_waiting import add_split_waiting

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = "LAUNCHER autoanalyzer exec [options] ./app [argument ...]; then: autoanalyzer analyze DIR"
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(RUN_FOLDER),
        metavar="DIR",
        help="folder for the data, with the same path on all nodes (default: %(default)s)",
    )
    add_split_waiting(parser)
    add_path(parser)
    add_sample(parser)
    add_python_functions(parser)
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="PROGRAM", help="the program and its arguments")


def run(arguments: argparse.Namespace) -> int:
    """Replace this process with the program; return only if that fails."""
    command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if not command:
        raise UsageError("expected a program, found none; for example: mpirun -n 4 autoanalyzer exec ./app")
    return become(
        command,
        arguments.output,
        arguments.python_functions,
        split_waiting=arguments.split_waiting,
        path=path_recording(arguments.path),
        sample=arguments.sample,
    )
