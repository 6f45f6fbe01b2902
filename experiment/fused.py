"""Detect whether a program may use fused multiply-add, which objects record in a section that is not loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mmap import mmap

__all__ = ["FUSED", "is_fused"]

FUSED: Final = b"autoanalyzer: may have fused multiply-add"


def is_fused(file: bytes | mmap) -> bool:
    """Return whether an executable of any format contains an object that was compiled to use fused multiply-add.

    Args:
        file: The bytes of the executable, or a memory map of it.
    """
    return file.find(FUSED) >= 0
