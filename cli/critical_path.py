"""The option that records the critical path."""

from __future__ import annotations

import argparse

from ..runs.path_recording import CHOICES

__all__ = ["add_path"]


def add_path(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--path",
        choices=CHOICES,
        help="record the critical path, by a small message with each message of the program: always, never, or auto: "
        "until that takes more than --max-overhead, or with MPI_THREAD_MULTIPLE for the whole run (default, except if "
        "something is also counted in calls of MPI)",
    )
