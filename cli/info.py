"""``autoanalyzer info``: print what an experiment contains and how it was measured."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..view.lines import print_lines

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="a run's folder or an experiment file")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..runs.open_experiment import open_experiment
    from ..view.contents import contents_lines

    experiment, file = open_experiment(arguments.experiment)
    print_lines(contents_lines(experiment, file))
    return 0
