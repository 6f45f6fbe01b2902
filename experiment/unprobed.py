"""Record which functions without probes a region calls, in a section of the object that is not loaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from .marked_texts import marked_texts

if TYPE_CHECKING:
    from mmap import mmap

__all__ = ["entries", "entry"]

_MARK: Final = b"autoanalyzer: calls without probes\n"


def entry(descriptor: str, names: tuple[str, ...]) -> bytes:
    """Return the string that records in an object file which functions a region calls; the linker keeps one copy."""
    return _MARK + "\n".join([descriptor, *names]).encode("utf-8", "surrogateescape")


def entries(file: bytes | mmap) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the records of ``entry`` in an executable of any format: a region's descriptor, and the functions' names.

    Args:
        file: The bytes of the executable, or a memory map of it.
    """
    for text in marked_texts(file, _MARK):
        descriptor, *names = text.decode("utf-8", "surrogateescape").split("\n")
        yield descriptor, tuple(names)
