"""Traces on the command line."""

from __future__ import annotations

import argparse
from math import isfinite
from pathlib import Path

from ..errors import UsageError
from ..experiment.trace import Samples, Trace, open_trace

__all__ = ["add_ranks_argument", "interval", "named_once", "points", "traces"]


def interval(text: str) -> tuple[float, float]:
    """Read ``A:B``, seconds.

    Raises:
        argparse.ArgumentTypeError: It is something else.
    """
    first, _, last = text.partition(":")
    try:
        start, end = float(first), float(last)
    except ValueError:
        start = end = float("nan")
    if not (isfinite(start) and isfinite(end) and start < end):
        raise argparse.ArgumentTypeError(f"expected two moments in seconds, such as 12.5:18, found {text!r}")
    return start, end


def points(text: str) -> list[tuple[float, float]]:
    """Read ``T:V,T:V``, seconds and value.

    Raises:
        argparse.ArgumentTypeError: It is something else.
    """
    found = []
    for pair in text.split(","):
        first, _, last = pair.partition(":")
        try:
            point = float(first), float(last)
        except ValueError:
            point = float("nan"), float("nan")
        if not all(map(isfinite, point)):
            raise argparse.ArgumentTypeError(f"expected seconds and values, such as 0:1,4:1,4:3, found {text!r}")
        found.append(point)
    return found


def add_ranks_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that chooses ranks."""
    parser.add_argument(
        "--rank",
        type=int,
        action="append",
        default=None,
        metavar="RANK",
        help="use this rank alone; may be repeated (default: the mean of all)",
    )


def named_once(files: list[Path]) -> None:
    """Refuse a trace that is named twice.

    Raises:
        UsageError: One is.
    """
    twice = next((file for number, file in enumerate(files) if file in files[:number]), None)
    if twice is not None:
        raise UsageError(f"{twice}: expected each trace once")


def traces(files: list[Path]) -> list[Samples | Trace]:
    """Open traces.

    Raises:
        InputError: One cannot be read.
    """
    return [open_trace(file) for file in files]
