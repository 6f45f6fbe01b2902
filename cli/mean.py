"""``autoanalyzer mean``: combine several runs into their mean, minimum, maximum, sum or standard deviation."""

from __future__ import annotations

import argparse
from typing import Final

from ..experiment.algebra import maximum, mean, minimum, stddev, total
from .operand_arguments import add_combination_arguments, combine

__all__ = ["add_arguments", "run"]


_STATISTICS: Final = {"mean": mean, "min": minimum, "max": maximum, "sum": total, "stddev": stddev}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_combination_arguments(parser)
    parser.add_argument(
        "--statistic", choices=[*_STATISTICS], default="mean", help="statistic to compute over the runs (default: mean)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    return combine(arguments, _STATISTICS[arguments.statistic])
