"""Files that are whole or not there at all, and that one process at a time changes."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from .errors import InputError

__all__ = ["one_at_a_time", "replacing"]


@contextmanager
def one_at_a_time(lock: Path) -> Iterator[None]:
    """Let one process at a time carry the block out; where a file system has no locks, all of them.

    Args:
        lock: A file to lock, which stays.

    Raises:
        OSError: It cannot be written.
    """
    with lock.open("w") as stream:
        with suppress(OSError):
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Give a file to write that takes the place of ``path`` once the block ends without an error.

    A link stays, and what it points to is replaced.

    Raises:
        InputError: The folder does not exist or cannot be written.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        with _writable(path) as stream:  # a device or a pipe: there is nothing to replace
            yield stream
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{time.monotonic_ns()}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(f"{path}: cannot be written: {error.strerror}") from None
        raise


def _writable(path: Path) -> IO[bytes]:
    try:
        return path.open("wb")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
