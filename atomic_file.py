"""Replace files atomically, lock them against other processes, and flush them to disk."""

from __future__ import annotations

import errno
import fcntl
import os
import time

from .errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType
    from typing import IO

__all__ = ["fsync", "one_at_a_time", "replacing"]


_CANNOT = (errno.EINVAL, errno.ENOTSUP)  # errors of fsync on file systems that neither support nor need it


class one_at_a_time:  # noqa: N801 - it is used as a function
    """Context manager that lets one process at a time run the block; no effect on file systems without locks.

    Args:
        lock: The file to lock. It is created if necessary, and never removed.

    Raises:
        OSError: The lock file cannot be written.
    """

    def __init__(self, lock: Path) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        self._stream = open(self._lock, "w")
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX)
        except OSError:
            return

    def __exit__(self, *_error: object) -> None:
        self._stream.close()


class replacing:  # noqa: N801 - it is used as a function
    """Context manager that opens a new file for writing, and moves it to ``path`` if the block ends without error.

    If ``path`` is a symbolic link, its target is replaced. Devices and pipes are written directly.

    Raises:
        InputError: The folder does not exist, or the file cannot be written or replaced.
    """

    def __init__(self, path: Path | str) -> None:
        is_there = os.path.exists(path)  # realpath of /dev/stdout may not exist
        self._path = os.fspath(path) if is_there and not os.path.isfile(path) else os.path.realpath(path)
        self._temporary = ""

    def __enter__(self) -> IO[bytes]:
        if not os.path.exists(self._path) or os.path.isfile(self._path):
            folder, name = os.path.split(self._path)
            self._temporary = os.path.join(folder, f".{name}.{os.getpid()}-{time.monotonic_ns()}")
        try:
            if not self._temporary:  # a device or a pipe cannot be replaced
                self._stream: IO[bytes] = open(self._path, "wb")
            else:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
                self._stream = open(os.open(self._temporary, flags, 0o666), "wb")
        except OSError as error:
            raise self._refusal(error) from None
        return self._stream

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        try:
            self._stream.close()
            if error is None and self._temporary:
                os.replace(self._temporary, self._path)
        except BaseException as late:
            error = error or late
        if error is None:
            return
        if self._temporary:
            _remove(self._temporary)
            if isinstance(error, OSError):
                raise self._refusal(error) from None
        if kind is None:
            raise error

    def _refusal(self, error: OSError) -> InputError:
        return InputError(f"{self._path}: cannot be written: {error.strerror}")


def fsync(paths: Iterable[Path]) -> None:
    """Wait until files and their directory entries are on disk, so that the data they were made from can be deleted.

    Raises:
        InputError: A file or its folder cannot be opened or flushed.
    """
    files = [os.path.realpath(path) for path in paths]
    for path in [*files, *dict.fromkeys(map(os.path.dirname, files))]:
        try:
            place = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(place)
            finally:
                os.close(place)
        except OSError as error:
            if error.errno not in _CANNOT:
                raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
