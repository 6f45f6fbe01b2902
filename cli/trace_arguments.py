"""Arguments for traces, and parsers of their values."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import UsageError
from ..experiment.run_folder import TRACE_FILE

if TYPE_CHECKING:
    from ..experiment.trace import Samples, Trace

__all__ = ["add_ranks_argument", "expanded", "interval", "named_once", "number_above_0", "points", "share", "traces"]

_MOST: Final = 10**6


def interval(text: str) -> tuple[float, float]:
    """Return the start and end, in seconds, of an interval such as ``12.5:18``.

    Raises:
        argparse.ArgumentTypeError: The text is not an interval.
    """
    first, _, last = text.partition(":")
    try:
        start, end = float(first), float(last)
    except ValueError:
        start = end = float("nan")
    if not (isfinite(start) and isfinite(end) and start < end):
        raise argparse.ArgumentTypeError(
            f"expected a start and a later end in seconds, such as 12.5:18, found {text!r}"
        )
    return start, end


def points(text: str) -> list[tuple[float, float]]:
    """Return the points in a text such as ``0:1,4:1,4:3``; each point is a time in seconds and a value.

    Raises:
        argparse.ArgumentTypeError: The text is not a list of points.
    """
    found = []
    for pair in text.split(","):
        first, _, last = pair.partition(":")
        try:
            point = float(first), float(last)
        except ValueError:
            point = float("nan"), float("nan")
        if not all(map(isfinite, point)):
            raise argparse.ArgumentTypeError(f"expected points TIME:VALUE, such as 0:1,4:1,4:3, found {text!r}")
        found.append(point)
    return found


def number_above_0(text: str) -> int:
    """Parse an integer that must be at least 1.

    Raises:
        argparse.ArgumentTypeError: The text is not an integer, or it is less than 1 or too large.
    """
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < _MOST:
        raise argparse.ArgumentTypeError(f"expected a number of at least 1, found {text!r}")
    return int(text)


def share(text: str) -> float:
    """Parse a fraction, a number from 0 to 1.

    Raises:
        argparse.ArgumentTypeError: The text is not a number from 0 to 1.
    """
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if not 0 <= found <= 1:
        raise argparse.ArgumentTypeError(f"expected a share from 0 to 1, such as 0.1, found {text!r}")
    return found


def expanded(paths: Sequence[Path]) -> list[Path]:
    """Return the paths, with each folder of ``record`` replaced by the folders of its runs.

    Raises:
        UsageError: A trace is named twice.
    """
    found: list[Path] = []
    for path in paths:
        inside = path.is_dir() and not (path / TRACE_FILE).exists()
        runs = sorted(each.parent for each in path.glob(f"*/{TRACE_FILE}")) if inside else []
        found += sorted(runs, key=_in_order) or [path]
    named_once(found)
    return found


def _in_order(run: Path) -> tuple[int, str]:
    """Return a sort key that puts ``run-10`` after ``run-9``."""
    number = run.name.rpartition("-")[2]
    return (int(number) if number.isdigit() else 0, run.name)


def add_ranks_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--rank``."""
    parser.add_argument(
        "--rank",
        type=int,
        action="append",
        default=None,
        metavar="RANK",
        help="use only this rank; may be repeated (default: the mean of all ranks)",
    )


def named_once(files: list[Path]) -> None:
    """Check that each trace is named only once.

    Raises:
        UsageError: A trace is named twice.
    """
    twice = next((file for number, file in enumerate(files) if file in files[:number]), None)
    if twice is not None:
        raise UsageError(f"{twice}: expected each trace once, found this trace twice")


def traces(files: list[Path]) -> list[Samples | Trace]:
    """Return the trace in each file.

    Raises:
        InputError: A file cannot be read.
    """
    from ..experiment.trace import open_trace

    return [open_trace(file) for file in files]
