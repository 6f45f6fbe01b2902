"""Options for the files that a command can write, and functions that write them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..atomic_file import replacing
from ..errors import UsageError
from ..runtime.folder import RunFolder

if TYPE_CHECKING:
    from ..experiment import Experiment

__all__ = ["add_documents", "check_targets", "is_output", "write_document", "write_experiment"]


def add_documents(parser: argparse.ArgumentParser, kinds: Mapping[str, str]) -> None:
    """Add an option ``--KIND FILE`` for each kind of document; ``kinds`` maps each kind to its help."""
    for kind, what in kinds.items():
        parser.add_argument(
            f"--{kind}", type=Path, metavar="FILE", help=f"write {what} to FILE (- for standard output)"
        )


def check_targets(inputs: Iterable[Path] = (), **targets: Path | None) -> None:
    """Check that the command can write its output files; called before the work begins.

    Args:
        inputs: Input files or folders of runs, which must not be overwritten.
        targets: The file of each option; ``-`` is standard output.

    Raises:
        UsageError: A folder does not exist, or a target is a folder, an input, or another option's target.
    """
    taken: dict[Path, str] = {}
    read = {(RunFolder(each).experiment if each.is_dir() else each).resolve() for each in inputs}
    for option, target in targets.items():
        if target is None:
            continue
        if target.is_dir() or not target.parent.is_dir():
            raise UsageError(f"--{option} {target}: expected a file in an existing folder")
        if not is_output(target) and target.resolve() in read:
            raise UsageError(f"--{option} {target}: this file is an input; choose another file")
        other = taken.setdefault(target if is_output(target) else target.resolve(), option)
        if other != option and (is_output(target) or target.is_file() or not target.exists()):
            raise UsageError(f"--{option} {target}: --{other} also writes this file; choose another file")


def write_experiment(experiment: Experiment, target: Path) -> None:
    """Write an experiment to a file, and print its size."""
    from ..experiment import save
    from ..view.place import visible

    save(experiment, target)
    sys.stdout.write(f"wrote {visible(str(target))}: {experiment.size}\n")


def is_output(target: Path | None) -> bool:
    """Return whether a target is ``-``, which means standard output."""
    return str(target) == "-"


def write_document(document: bytes, target: Path) -> None:
    """Write a document to a file, or to standard output if the target is ``-``."""
    if is_output(target):
        sys.stdout.flush()
        sys.stdout.buffer.write(document)
        sys.stdout.buffer.flush()
        return
    with replacing(target) as stream:
        stream.write(document)
