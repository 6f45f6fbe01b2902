"""The option that records the critical path."""

from __future__ import annotations

import argparse
import os
from typing import Final

from ..errors import UsageError
from ..runtime.launch import PATH_VARIABLE

__all__ = ["add_path", "path_recording"]

_CHOICES: Final = ("never", "auto", "always")
_DEFAULT: Final = "auto"


def add_path(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--path",
        choices=_CHOICES,
        help="record the critical path, by a message beside each message of the program's: autoanalyzer analyze --path "
        "shows it; auto: as long as that takes no more than --max-overhead (default, but where a run counts something "
        "in calls of MPI, too)",
    )


def path_recording(arguments: argparse.Namespace) -> str:
    """Give when the path is recorded: as the option says, or else the environment, or else by default.

    By default it is not recorded where a run counts something that messages of the library would add to: events that
    are named, or the use of the system.
    """
    chosen: str | None = arguments.path or os.environ.get(PATH_VARIABLE)
    if chosen and chosen not in _CHOICES:
        raise UsageError(f"{PATH_VARIABLE}: expected {', '.join(_CHOICES)}, found {chosen!r}")
    counts = (getattr(arguments, name, None) for name in ("count_in", "usage"))
    events = ":" in (getattr(arguments, "counters", None) or "")
    return chosen or ("never" if events or any(counts) else _DEFAULT)
