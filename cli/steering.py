"""The options that let the set of metrics in time lines change while the program runs."""

from __future__ import annotations

import argparse
from math import isfinite
from pathlib import Path
from typing import Final

__all__ = ["add_steering_arguments"]

_WINDOW: Final = 4.0  # default length of a window in seconds, from sections 4.4 and 4.5 of Vetter and Reed
_LEAST: Final = 0.5  # seconds between a process's checks of the policy; keep equal to PAUSE in runtime/probe/policy.c


def add_steering_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options ``--pursue`` and ``--policy``."""
    parser.add_argument(
        "--pursue",
        type=_window,
        nargs="?",
        const=_WINDOW,
        metavar="WINDOW",
        help=(
            "with --trace: every WINDOW/2 seconds, find the metrics in which ranks differ, and record only "
            f"these metrics and a changing selection of the other metrics (default WINDOW: {_WINDOW:g})"
        ),
    )
    parser.add_argument(
        "--policy",
        type=Path,
        metavar="FILE",
        help="with --trace: record only the metrics that FILE lists; FILE may be replaced while the program runs",
    )


def _window(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not (isfinite(seconds) and seconds >= 2 * _LEAST):
        raise argparse.ArgumentTypeError(
            f"expected a number of seconds of at least {2 * _LEAST:g}, found {text!r}; put the command after --"
        )
    return seconds
