"""The option that makes functions of a Python program regions."""

from __future__ import annotations

import argparse

__all__ = ["add_python_functions"]


def add_python_functions(parser: argparse.ArgumentParser) -> None:
    """Add the option; ``python_functions`` is a list of patterns."""
    parser.add_argument(
        "--python-functions",
        type=_patterns,
        action="extend",
        default=[],
        metavar="PATTERN",
        help="functions of Python that are regions: FUNCTION of the program's own files, MODULE:FUNCTION of any "
        "module, or FILE.py, each with wildcards; several: separated by commas, or the option again",
    )


def _patterns(text: str) -> list[str]:
    patterns = text.split(",")
    if not all(each.strip() and each.rpartition(":")[2] for each in patterns):
        raise argparse.ArgumentTypeError(f"FUNCTION, MODULE:FUNCTION or FILE.py wanted, found {text!r}")
    return [each.strip() for each in patterns]
