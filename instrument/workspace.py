"""Provide a temporary folder that is created on demand, and removed even after a signal."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from ..temporary_folder import owned_prefix

__all__ = ["Workspace", "undisturbed", "workspace"]

_HIGH: Final = 64  # builds do not use file descriptors at or above this number
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Workspace:
    """A temporary folder.

    Args:
        above: The workspace in whose folder this one is created, under the name ``name``; None for a separate folder.
    """

    def __init__(self, above: Workspace | None = None, name: str = "") -> None:
        self._above = above
        self._name = name
        self._folder: Path | None = None

    @property
    def folder(self) -> Path:
        """Return the folder, creating it if necessary."""
        if self._folder is None and self._above:
            self._folder = self._above.folder / self._name
            self._folder.mkdir()
        if self._folder is None:
            import tempfile  # noqa: PLC0415 - cached compiles need no such directory

            with undisturbed():
                self._folder = Path(tempfile.mkdtemp(prefix=owned_prefix("compile")))
        return self._folder

    def named(self) -> str:
        """Return a path for the folder that is the same in every build, for use in names that objects contain.

        It is the path of a file descriptor, which compilers inherit.
        """
        opened = os.open(self.folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            number = fcntl.fcntl(opened, fcntl.F_DUPFD, _HIGH)
        except OSError:  # the limit of open files is lower than _HIGH
            return str(self.folder)
        finally:
            os.close(opened)
        path = f"/proc/self/fd/{number}"
        return path if Path(path).is_dir() else str(self.folder)

    def remove(self) -> None:
        """Remove the folder if it exists."""
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def workspace() -> Iterator[Workspace]:
    """Yield a workspace, and remove its folder after the block.

    A signal also removes the folder, and then ends the process as if it had not been caught.
    """
    work = Workspace()
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    ours = [number for number, handler in before.items() if handler != signal.SIG_IGN]
    try:
        for number in ours:
            signal.signal(number, _stop)
        yield work
    except _StopError as stopped:
        work.remove()
        signal.signal(stopped.number, signal.SIG_DFL)
        os.kill(os.getpid(), stopped.number)
    finally:
        with undisturbed():
            work.remove()
            for number in ours:
                signal.signal(number, before[number])


@contextmanager
def undisturbed() -> Iterator[None]:
    """Block signals that would end the process, until the end of the block."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _StopError(BaseException):
    """Raised by a signal, so that the workspace is removed before the process ends."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    for other in _SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise _StopError(number)
