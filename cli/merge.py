"""``autoanalyzer merge``: the metrics of several experiments in one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from ..experiment import save
from ..experiment.algebra import merge
from ..experiment.storage import check_name
from ..view import operation_lines, print_verdict
from .operand_arguments import add_operand_arguments, opened, options_of

__all__ = ["HELP", "NAME", "add_arguments", "run"]

NAME: Final = "merge"
HELP: Final = "put the metrics of several experiments into one; the first experiment that has a metric provides it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "experiments", type=Path, nargs="+", metavar="EXPERIMENT", help="folders of runs, or experiment files"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help="the file to write")
    add_operand_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    check_name(arguments.output)
    result = merge(*opened(arguments.experiments), **options_of(arguments, arguments.experiments))
    save(result, arguments.output)
    print_verdict(operation_lines(result, arguments.output))
    return 0
