"""``autoanalyzer mean``: one experiment from a series."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from ..experiment import save
from ..experiment.algebra import maximum, mean, minimum, stddev, total
from ..experiment.storage import check_name
from ..view import operation_lines, print_verdict
from .operand_arguments import add_operand_arguments, opened, options_of

__all__ = ["HELP", "NAME", "add_arguments", "run"]

NAME: Final = "mean"
HELP: Final = "average a series of runs into one experiment"

_STATISTICS: Final = {"mean": mean, "min": minimum, "max": maximum, "sum": total, "stddev": stddev}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "experiments", type=Path, nargs="+", metavar="EXPERIMENT", help="folders of runs, or experiment files"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help="the file to write")
    parser.add_argument("--statistic", choices=[*_STATISTICS], default="mean", help="what to compute (default: mean)")
    add_operand_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    check_name(arguments.output)
    operands = opened(arguments.experiments)
    result = _STATISTICS[arguments.statistic](*operands, **options_of(arguments, arguments.experiments))
    save(result, arguments.output)
    print_verdict(operation_lines(result, arguments.output))
    return 0
