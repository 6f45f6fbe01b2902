"""The option that records the critical path."""

from __future__ import annotations

import argparse

__all__ = ["add_path"]


def add_path(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--path",
        choices=("never", "auto", "always"),
        default="never",
        help="record the critical path, by a message beside each message of the program's: autoanalyzer analyze --path "
        "shows it (default: %(default)s); auto: as long as that takes no more than --max-overhead",
    )
