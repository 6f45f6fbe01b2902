"""Run another program, and return its output."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from ..compiler_records import without_records

__all__ = ["answer"]

_PATIENCE: Final = 30.0  # default timeout in seconds


def answer(
    command: Sequence[str | Path], environment: Mapping[str, str], *, question: str = "", patience: float = _PATIENCE
) -> str | None:
    """Return the output of a program; None if it is missing, fails or takes too long.

    Args:
        command: The program and its arguments.
        environment: The program's environment variables.
        question: The program's standard input.
        patience: Timeout in seconds.
    """
    try:
        done = subprocess.run(
            command,
            env=without_records(environment),
            input=question,
            capture_output=True,
            text=True,
            errors="replace",
            check=True,
            timeout=patience,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout
