"""``autoanalyzer merge``: combine the metrics of several experiments into one."""

from __future__ import annotations

import argparse

from .operand_arguments import add_combination_arguments, combine

__all__ = ["add_arguments", "run"]


add_arguments = add_combination_arguments


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..experiment.algebra import merge

    return combine(arguments, merge)
