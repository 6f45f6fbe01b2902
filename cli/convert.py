"""``autoanalyzer convert``: an experiment as a file of another kind."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..experiment.storage import check_name
from ..runtime.open_experiment import open_experiment
from .documents import write_experiment

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "experiment", type=Path, metavar="EXPERIMENT", help="an experiment's file (CUBE 3 or 4), or a run's folder"
    )
    parser.add_argument("output", type=Path, metavar="OUT", help="the file to write")


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    check_name(arguments.output)
    experiment, _ = open_experiment(arguments.experiment)
    write_experiment(experiment, arguments.output)
    return 0
