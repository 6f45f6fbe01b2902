"""Run the shell command that builds a program."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..errors import InputError

__all__ = ["carry_out"]

_ERROR: Final = re.compile(r"\berror\b", re.IGNORECASE)  # of compilers, CMake, make
_PAUSE: Final = 0.05  # s
_PATIENCE: Final = 100  # pauses


def carry_out(command: str, environment: Mapping[str, str], log: Path) -> None:
    """Run a shell command that writes to a log; it ends, with all its children, when this process ends.

    Raises:
        InputError: It fails; the message has the first line of the log that names an error, or else the last one.
    """
    with log.open("ab") as stream:
        process = subprocess.Popen(
            ["sh", "-c", command],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = process.wait()
        except BaseException:
            _end(process)
            raise
    if status:
        lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
        said = next(filter(_ERROR.search, lines), (lines or [""])[-1])
        raise InputError(f"{command}: failed with status {status}; see {log} ({said[:200]})")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and its children, and give them time to remove unfinished files."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        for _ in range(_PATIENCE):
            process.poll()
            os.killpg(process.pid, 0)
            time.sleep(_PAUSE)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
