"""``autoanalyzer gather``: collect data that a run left on its nodes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..errors import InputError, UsageError
from ..experiment.run_folder import RUN_FOLDER
from ..runtime.facts import RunFacts
from ..runtime.folder import RunFolder
from ..view.units import many
from .progress import counted

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = "autoanalyzer gather [DIR] [-- LAUNCHER ... ./app]"
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=Path(RUN_FOLDER),
        metavar="DIR",
        help="the run's folder, as given to run or exec with -o (default: %(default)s)",
    )
    parser.add_argument(
        "command",
        nargs=argparse.REMAINDER,
        metavar="-- LAUNCHER",
        help="the command that launched the program; used again to start processes on the same nodes (default: the "
        "command recorded by autoanalyzer run)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..runs.source_regions import with_source_regions
    from ..runtime.gather.gather import NOT_GATHERED, gather
    from ..view.place import visible

    folder = RunFolder(arguments.folder)
    facts = RunFacts.read(folder.shards)
    command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if not (command or facts.command):
        raise UsageError(
            f"{folder.path}: the command that launched the program was not recorded; give it after --: "
            f"autoanalyzer gather {folder.path} -- srun -N 2 ./app"
        )
    with counted("gather") as told:
        experiment = gather(folder, facts, "mpi", launched_by=command or facts.command, told=told)
    if experiment is None:
        raise InputError(f"{folder.path}: expected data of a run, on this machine or on the run's nodes, found none")
    experiment = with_source_regions(experiment, folder.path)
    sys.stdout.write(f"wrote {visible(str(folder.experiment))}: {experiment.size}\n")
    missing = experiment.notes.missing
    if missing:
        them = "it" if len(missing) == 1 else "them"
        place = visible(str(folder.path))
        sys.stdout.write(
            f"found no data of {many(len(missing), 'rank')}; to list {them}, run: autoanalyzer info {place}\n"
        )
    failures = [remark for remark in experiment.notes.remarks if remark.startswith(NOT_GATHERED)]
    sys.stderr.writelines(f"autoanalyzer: {visible(remark)}\n" for remark in failures)
    return 1 if failures else 0
