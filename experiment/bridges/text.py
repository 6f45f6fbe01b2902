"""Read a file as text, plain or gzipped, up to a size that fits in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...errors import InputError
from ..source import Source

__all__ = ["is_last_line_whole", "lines", "whole_text"]

_BLOCK: Final = 1 << 20
_LONGEST: Final = 1 << 24  # maximum number of bytes in a line
_LARGEST: Final = 64  # maximum size in MiB of a text that is parsed as a whole, which takes up to 25 times the memory


def lines(source: Source) -> Iterator[str]:
    """Yield the lines without their newlines.

    Raises:
        InputError: A line has more than ``_LONGEST`` bytes.
    """
    offset, rest = 0, b""
    while block := source.read(offset, _BLOCK):
        offset += len(block)
        *whole, rest = (rest + block).split(b"\n")
        if len(rest) > _LONGEST:
            raise InputError(f"expected lines of at most {_LONGEST} bytes, found a longer one")
        for line in whole:
            yield line.decode("utf-8", "replace").rstrip("\r")
    if rest:
        yield rest.decode("utf-8", "replace").rstrip("\r")


def is_last_line_whole(source: Source) -> bool:
    """Return whether the last line ends with a newline; otherwise, the file is cut off."""
    return source.read(source.end() - 1, 1) == b"\n"


def whole_text(source: Source) -> bytes:
    """Return the whole file.

    Raises:
        InputError: The file has more than ``_LARGEST`` MiB.
    """
    found = source.read(0, (_LARGEST << 20) + 1)
    if len(found) > _LARGEST << 20:
        raise InputError(
            f"expected at most {_LARGEST} MiB of JSON after decompression, found more; record a shorter run"
        )
    return found
