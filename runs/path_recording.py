"""Decide when a run records the critical path."""

from __future__ import annotations

import os
from typing import Final

from ..errors import UsageError
from ..runtime.launch import PATH_VARIABLE

__all__ = ["CHOICES", "path_recording"]

CHOICES: Final = ("never", "auto", "always")
_DEFAULT: Final = "auto"


def path_recording(chosen: str | None, *, counts_in_mpi: bool = False) -> str:
    """Return when the critical path is recorded: ``never``, ``auto`` or ``always``.

    The option has priority over the environment variable, and the variable over the default. The default is ``never``
    if the run counts events in MPI calls, because the messages that record the path would add to the counts.

    Args:
        chosen: The option's value, or None.
        counts_in_mpi: Whether the run counts events in MPI calls: named events, or system use.

    Raises:
        UsageError: The environment variable is not one of the choices.
    """
    chosen = chosen or os.environ.get(PATH_VARIABLE)
    if chosen and chosen not in CHOICES:
        raise UsageError(f"{PATH_VARIABLE}: expected {', '.join(CHOICES)}, found {chosen!r}")
    return chosen or ("never" if counts_in_mpi else _DEFAULT)
