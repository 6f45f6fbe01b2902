"""``autoanalyzer merge``: the metrics of several experiments in one."""

from __future__ import annotations

import argparse
from typing import Final

from ..experiment.algebra import merge
from .operand_arguments import add_combination_arguments, combine

__all__ = ["HELP", "NAME", "add_arguments", "run"]

NAME: Final = "merge"
HELP: Final = "put the metrics of several experiments into one; the first experiment that has a metric provides it"

add_arguments = add_combination_arguments


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    return combine(arguments, merge)
