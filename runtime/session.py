"""End all processes of a separate session: a launcher and its remaining ranks."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from typing import Any, Final

__all__ = ["end_session"]

_GRACE: Final = 3.0  # seconds for a launcher to end its ranks


def end_session(process: subprocess.Popen[Any]) -> None:
    """Ask a launcher to end its ranks, then end the remaining processes of the session that it leads."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
