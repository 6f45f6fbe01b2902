"""A temporary directory that no signal leaves behind."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

__all__ = ["workspace"]

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def workspace() -> Iterator[Path]:
    """Give a directory for the block; a signal removes it, then ends the process as if it had not been caught."""
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    ours = [number for number, handler in before.items() if handler != signal.SIG_IGN]
    for number in ours:
        signal.signal(number, _stop)
    try:
        with tempfile.TemporaryDirectory(prefix="autoanalyzer-") as folder:
            yield Path(folder)
    except _StopError as stopped:
        signal.signal(stopped.number, signal.SIG_DFL)
        os.kill(os.getpid(), stopped.number)
    finally:
        for number in ours:
            signal.signal(number, before[number])


class _StopError(BaseException):
    """Carry a signal to the end of the workspace."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    for other in _SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise _StopError(number)
