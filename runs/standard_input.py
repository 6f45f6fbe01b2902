"""Let several runs of a program read standard input from the same offset."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["place_in_input", "same_input"]


@contextmanager
def same_input() -> Iterator[None]:
    """Restore the offset of standard input after the block, if the input is a file."""
    try:
        place = place_in_input() if stat.S_ISREG(os.fstat(0).st_mode) else None
    except OSError:  # standard input is closed
        place = None
    yield
    if place is not None:
        os.lseek(0, place, os.SEEK_SET)


def place_in_input() -> int | None:
    """Return the offset of standard input in bytes, or None if the input, such as a pipe, cannot be read again."""
    try:
        return os.lseek(0, 0, os.SEEK_CUR)
    except OSError:
        return None
