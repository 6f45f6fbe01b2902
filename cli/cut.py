"""``autoanalyzer cut``: write a part of an experiment."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import UsageError
from .documents import write_experiment
from .part_arguments import names_of, ranks_of

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="a run's folder or an experiment file")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help="the file to write")
    parser.add_argument(
        "--subtree",
        metavar="NAME",
        help="keep only this region and all regions below it: a name, a path such as a/b, or FILE:LINE",
    )
    parser.add_argument("--ranks", metavar="LIST", help="keep only these ranks, such as 0-3,8")
    parser.add_argument("--metrics", metavar="NAME,…", help="keep only these metrics")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..experiment import select
    from ..experiment.storage import check_name
    from ..runs.open_experiment import open_experiment

    check_name(arguments.output)
    if arguments.subtree is None and arguments.ranks is None and arguments.metrics is None:
        raise UsageError("cut: expected --subtree, --ranks or --metrics, found none; see autoanalyzer cut --help")
    experiment, _ = open_experiment(arguments.experiment)
    part = select(
        experiment,
        subtree=arguments.subtree,
        processes=ranks_of(experiment, arguments.ranks),
        metrics=names_of(arguments.metrics, [each.name for each in experiment.metrics]),
    )
    write_experiment(part, arguments.output)
    return 0
