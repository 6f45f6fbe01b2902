"""``autoanalyzer gather``: collect the data of a run that are still on its nodes."""

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
        help="the run's folder, as run or exec got it (default: %(default)s)",
    )
    parser.add_argument(
        "command",
        nargs=argparse.REMAINDER,
        metavar="-- LAUNCHER",
        help="the command that launched the program (default: as run recorded it); it starts a process on each node "
        "of the program",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from ..runtime.gather.gather import NOT_GATHERED, gather
    from ..view.place import visible

    folder = RunFolder(arguments.folder)
    facts = RunFacts.read(folder.shards)
    command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if not (command or facts.command):
        raise UsageError(
            f"{folder.path}: expected a run whose command is known, found none; name what launched the program: "
            f"autoanalyzer gather {folder.path} -- srun -N 2 ./app"
        )
    with counted("gather") as told:
        experiment = gather(folder, facts, "mpi", launched_by=command or facts.command, told=told)
    if experiment is None:
        raise InputError(f"{folder.path}: expected data of a run, here or on its nodes, found none")
    sys.stdout.write(f"wrote {visible(str(folder.experiment))}: {experiment.size}\n")
    missing = experiment.notes.missing
    if missing:
        them = "it" if len(missing) == 1 else "them"
        place = visible(str(folder.path))
        sys.stdout.write(f"without {many(len(missing), 'rank')}; autoanalyzer info {place} names {them}\n")
    failures = [remark for remark in experiment.notes.remarks if remark.startswith(NOT_GATHERED)]
    sys.stderr.writelines(f"autoanalyzer: {visible(remark)}\n" for remark in failures)
    return 1 if failures else 0
