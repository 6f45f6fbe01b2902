"""The option ``--path``, which selects when the critical path is recorded."""

from __future__ import annotations

import argparse

from ..runs.path_recording import CHOICES

__all__ = ["add_path"]


def add_path(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--path``."""
    parser.add_argument(
        "--path",
        choices=CHOICES,
        help=(
            "record the critical path by adding a small message to each message of the program; auto: stop if "
            "the added messages take more time than --max-overhead allows (default: auto, but never with "
            "--usage, --count-in or papi:EVENT, because the added messages would be counted)"
        ),
    )
