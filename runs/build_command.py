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

_ERROR: Final = re.compile(r"\berror\b", re.IGNORECASE)  # matches errors in messages of compilers, CMake and make
_PAUSE: Final = 0.05  # seconds between checks of whether a terminated process has ended
_PATIENCE: Final = 100  # number of pauses after which the process is killed


def carry_out(command: str, environment: Mapping[str, str], log: Path) -> None:
    """Run a shell command, and append its output to a log.

    If this process is interrupted, the command and its children are ended.

    Raises:
        InputError: The command fails. The message contains the log's first line with an error, or else its last line.
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
    """Terminate a process and its children; kill them if they do not end within a few seconds."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        for _ in range(_PATIENCE):
            process.poll()
            os.killpg(process.pid, 0)
            time.sleep(_PAUSE)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
