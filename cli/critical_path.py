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
        help="record the critical path, by a message beside each message of the program's: autoanalyzer analyze --path "
        "shows it; auto: as long as that takes no more than --max-overhead (default, but where a run counts something "
        "in calls of MPI, too)",
    )
