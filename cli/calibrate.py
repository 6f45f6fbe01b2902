"""``autoanalyzer calibrate``: measure the times of single operations on this machine, or on the nodes of a job."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ..errors import UsageError
from .progress import stages

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = "autoanalyzer calibrate [--folder DIR] [--json] [-- LAUNCHER ...]"
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="folder for temporary test files, on a file system that all nodes share (default: the current folder)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument(
        "launcher",
        nargs=argparse.REMAINDER,
        metavar="-- LAUNCHER",
        help="command that starts two ranks, such as mpirun -n 2 or srun -N 2 (default: the first mpirun found)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..runtime.calibration.kept import keep
    from ..runtime.calibration.measuring import calibrate
    from ..runtime.launch import ended_in_order
    from ..runtime.mpi.own_job import started_processes
    from ..view.calibration import print_calibration

    if started_processes():
        raise UsageError(
            "run calibrate without a launcher in front, and give the launcher after --: autoanalyzer calibrate -- "
            "srun -N 2"
        )
    words: list[str] = arguments.launcher
    launcher = words[1:] if words[:1] == ["--"] else words
    with ended_in_order(), stages() as told:
        found, mpi = calibrate(launcher, arguments.folder, told=told)
        file = keep(found, mpi)
    if arguments.json:
        sys.stdout.write(f"{json.dumps(found.document(), indent=1, ensure_ascii=False)}\n")
    else:
        print_calibration(found, file)
    return 0
