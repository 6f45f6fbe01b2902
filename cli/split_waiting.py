"""The option ``--split-waiting``, which measures waiting before collectives separately."""

from __future__ import annotations

import argparse

__all__ = ["add_split_waiting"]


def add_split_waiting(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--split-waiting``."""
    parser.add_argument(
        "--split-waiting",
        action="store_true",
        help="insert a barrier before each blocking collective, and record the time in the barrier as mpi_wait_time; "
        "this slows the run down",
    )
