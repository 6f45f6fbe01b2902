"""Fused multiply-add: an object records in a section that no program loads that its compiler may have used it."""

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
