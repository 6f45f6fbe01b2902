"""The option that records functions of a Python program as regions."""

from __future__ import annotations

import argparse

__all__ = ["add_python_functions"]


def add_python_functions(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--python-functions``; its value is a list of patterns."""
    parser.add_argument(
        "--python-functions",
        type=_patterns,
        action="extend",
        default=[],
        metavar="PATTERN",
        help="Python functions to record as regions: FUNCTION in the program's own files, MODULE:FUNCTION in any "
        "module, or FILE.py, each with wildcards; separate several patterns by commas, or repeat the option",
    )


def _patterns(text: str) -> list[str]:
    patterns = text.split(",")
    if not all(each.strip() and each.rpartition(":")[2] for each in patterns):
        raise argparse.ArgumentTypeError(f"expected FUNCTION, MODULE:FUNCTION or FILE.py, found {text!r}")
    return [each.strip() for each in patterns]
