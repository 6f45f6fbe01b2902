"""Find out whether a program may use fused multiply-add; objects record this in a section that is not loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mmap import mmap

__all__ = ["FUSED", "is_fused"]

FUSED: Final = b"autoanalyzer: may have fused multiply-add"


def is_fused(file: bytes | mmap) -> bool:
    """Return whether an executable, whatever its format, has an object with that record.

    Args:
        file: Its bytes; a mapped file is as good.
    """
    return file.find(FUSED) >= 0
