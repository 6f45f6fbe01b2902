"""Arguments of commands that combine experiments: the operands, and how their regions and nodes are matched."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..view.terminal import print_verdict

if TYPE_CHECKING:
    from ..experiment import Experiment
    from ..experiment.algebra import Hierarchy, Options

__all__ = [
    "add_combination_arguments",
    "add_exact_argument",
    "add_operand_arguments",
    "combine",
    "opened",
    "options_of",
]


def add_operand_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that control how operands are matched."""
    add_exact_argument(parser)
    parser.add_argument(
        "--system",
        default="auto",
        metavar="WHICH",
        help="take the machines and nodes from this experiment (1, 2, …), or put all processes on one node "
        "(collapse); default: those of the first experiment if all experiments agree on which processes share a "
        "node, else collapse",
    )


def add_combination_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a command that combines several experiments into one."""
    parser.add_argument(
        "experiments", type=Path, nargs="+", metavar="EXPERIMENT", help="folders of runs, or experiment files"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help="the file to write")
    add_operand_arguments(parser)


def combine(arguments: argparse.Namespace, operation: Callable[..., Experiment]) -> int:
    """Apply ``operation`` to the experiments that the arguments name, and write the result; return the exit code."""
    from ..experiment import save
    from ..experiment.storage import check_name
    from ..view.changes import operation_lines

    check_name(arguments.output)
    result = operation(*opened(arguments.experiments), **options_of(arguments, arguments.experiments))
    save(result, arguments.output)
    print_verdict(operation_lines(result, arguments.output))
    return 0


def add_exact_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that disables matching by similarity."""
    parser.add_argument(
        "--exact",
        action="store_true",
        help="match regions only by file, function, kind and ordinal, never by similarity",
    )


def opened(paths: Sequence[Path], *, distinct: bool = False) -> list[Experiment]:
    """Return the experiments at the given paths.

    Args:
        paths: Experiment files, or folders of runs.
        distinct: Whether to refuse an experiment that is named twice.

    Raises:
        InputError: An experiment cannot be read.
        UsageError: An experiment is named twice.
    """
    from ..runs.open_experiment import open_experiment

    experiments: list[Experiment] = []
    names: dict[Path, Path] = {}
    for path in paths:
        experiment, file = open_experiment(path)
        if distinct and names.setdefault(file.resolve(), path) is not path:
            raise UsageError(f"{path}: this is the same run as {names[file.resolve()]}; give each run only once")
        experiments.append(experiment)
    return experiments


def options_of(arguments: argparse.Namespace, paths: Sequence[Path]) -> Options:
    """Return the options for matching the regions and nodes of operands.

    Raises:
        UsageError: ``--system`` is neither ``auto`` nor ``collapse`` nor a number.
    """
    from ..experiment.algebra import Options

    return Options(exact=arguments.exact, system=_system(arguments.system), labels=[str(path) for path in paths])


def _system(word: str) -> Hierarchy:
    if word == "auto":
        return "auto"
    if word == "collapse":
        return "collapse"
    if not word.isascii() or not word.isdecimal() or len(word) > 9:
        raise UsageError(f"--system {word}: expected auto, collapse or the number of an experiment")
    return int(word) - 1
