"""When a run records the critical path."""

from __future__ import annotations

import os
from typing import Final

from ..errors import UsageError
from ..runtime.launch import PATH_VARIABLE

__all__ = ["CHOICES", "path_recording"]

CHOICES: Final = ("never", "auto", "always")
_DEFAULT: Final = "auto"


def path_recording(chosen: str | None, *, counts_in_mpi: bool = False) -> str:
    """Return when the path is recorded: as chosen, or else from the environment, or else the default.

    By default it is not recorded if a run counts events that the library's own messages would add to.

    Args:
        chosen: One of the choices, or None.
        counts_in_mpi: Whether the run counts named events, or system use.

    Raises:
        UsageError: The environment has another value.
    """
    chosen = chosen or os.environ.get(PATH_VARIABLE)
    if chosen and chosen not in CHOICES:
        raise UsageError(f"{PATH_VARIABLE}: expected {', '.join(CHOICES)}, found {chosen!r}")
    return chosen or ("never" if counts_in_mpi else _DEFAULT)
