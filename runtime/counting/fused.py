"""Find programs of a command that may use fused multiply-add, because counting such programs takes longer."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path

from ...experiment.fused import is_fused

__all__ = ["first_fused"]


def first_fused(programs: Iterable[str]) -> str | None:
    """Return the first program whose file records that it may use fused multiply-add; None if there is none."""
    return next(filter(_says_so, programs), None)


def _says_so(program: str) -> bool:
    place = shutil.which(program) or program
    with (
        suppress(OSError, ValueError),  # mapping an empty file raises ValueError
        Path(place).open("rb") as file,
        mmap(file.fileno(), 0, access=ACCESS_READ) as text,
    ):
        return is_fused(text)
    return False
