"""Find texts that follow a mark, in a section of an object or executable that is not loaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mmap import mmap

__all__ = ["marked_texts"]


def marked_texts(file: bytes | mmap, mark: bytes) -> Iterator[bytes]:
    """Yield the text after each occurrence of a mark, up to the next null byte, in a file of any format.

    Args:
        file: The bytes of the file, or a memory map of it.
        mark: The bytes in front of each text.
    """
    end = 0
    while (start := file.find(mark, end)) >= 0:
        start += len(mark)
        end = max(file.find(b"\0", start), start)
        yield file[start:end]
