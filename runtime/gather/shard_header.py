"""Read the header of a shard, and how much of the file is in use."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...errors import InputError
from . import shard_layout as layout
from .shard import Tracing

__all__ = [
    "MOST",
    "header_of",
    "shard_defect",
    "sources_of",
    "text_of",
    "tick_rate",
    "tracing_of",
    "used_bytes",
    "used_part",
]

MOST: Final = 1 << 48
"""The upper limit of plausible counts: one per nanosecond for three days."""

_USED: Final = struct.Struct("=Q")
_USED_AT: Final = layout.HEADER_LAYOUT["magic"].itemsize + 4 * 6  # offset of ``used``, after magic and six numbers


def used_part(path: Path) -> bytes:
    """Return the used bytes of a shard; the rest of the file is large and empty."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        used = used_bytes(file)
        data = os.pread(file, used, 0)
        while len(data) < used and (more := os.pread(file, used - len(data), len(data))):
            data += more
        return data
    finally:
        os.close(file)


def used_bytes(file: int) -> int:
    """Return how many bytes of an open shard are in use, from its header."""
    size = os.fstat(file).st_size
    data = os.pread(file, layout.HEADER_LAYOUT.itemsize, 0)
    if len(data) < layout.HEADER_LAYOUT.itemsize:
        return size
    (used,) = _USED.unpack_from(data, _USED_AT)
    return max(len(data), min(int(used), size))


def shard_defect(path: Path, expected: str, found: object) -> InputError:
    """Return the error for a defective shard."""
    return InputError(f"{path}: expected a shard with {expected}, found {found}")


def header_of(path: Path, data: bytes) -> dict[str, Any]:
    """Parse the header at the start of a shard's bytes; return its values by field name.

    Raises:
        InputError: The file is not a shard, is from a different version or machine, or is cut off.
    """
    size = layout.HEADER_LAYOUT.itemsize
    if len(data) < len(layout.MAGIC) or not data.startswith(layout.MAGIC):
        found = repr(data[: len(layout.MAGIC)]) if data else "an empty file"
        raise shard_defect(path, f"{layout.MAGIC!r} at its start", found)
    if len(data) < size:
        raise shard_defect(path, f"a header of {size} bytes", len(data))
    fields = np.frombuffer(data, layout.HEADER_LAYOUT, count=1)[0]
    header = dict(zip(layout.HEADER_LAYOUT.names or (), fields.tolist(), strict=True))
    if header["byte_order"] != layout.BYTE_ORDER:
        raise shard_defect(path, "this machine's byte order", f"{header['byte_order']:#010x}")
    if header["version"] != layout.VERSION:
        raise shard_defect(path, f"version {layout.VERSION}", f"version {header['version']}")
    found_sizes = [header[name] for name in ("header_size", "thread_size", "node_size")]
    sizes = [size, layout.THREAD_LAYOUT.itemsize, layout.NODE_LAYOUT.itemsize]
    if found_sizes != sizes:
        raise shard_defect(path, f"records of {sizes} bytes", found_sizes)
    if not size <= header["used"] <= len(data):
        raise shard_defect(path, f"{header['used']} bytes in use", f"{len(data)} bytes")
    if not 1e3 < header["ticks_per_second"] < 1e12:
        raise shard_defect(path, "a clock rate between 1e3 and 1e12 ticks per second", header["ticks_per_second"])
    return header


def tick_rate(header: Mapping[str, Any]) -> float:
    """Return the clock's ticks per second, from the latest anchor unless it is too early or half-written."""
    measured: float = header["ticks_per_second"]
    (begun, start), (seen, latest) = header["start"], header["latest"]
    if seen <= begun:
        return measured
    anchored: float = (latest - start) / (seen - begun) * 1e9
    return anchored if abs(anchored / measured - 1) < 1e-3 else measured


@lru_cache(maxsize=1 << 16)
def text_of(characters: bytes) -> str:
    """Return a field's text up to its first null byte."""
    return characters.partition(b"\0")[0].decode("utf-8", "surrogateescape")


@lru_cache(maxsize=1 << 10)
def sources_of(texts: tuple[bytes, ...]) -> dict[str, str]:
    """Return the source of each counter that has one."""
    return {name: text_of(source) for name, source in zip(layout.COUNTERS, texts, strict=True) if source}


def tracing_of(path: Path, header: Mapping[str, Any], ticks_per_second: float) -> Tracing | None:
    """Return how time lines were recorded; None if they were not.

    Raises:
        InputError: The interval or the generation is invalid.
    """
    interval, generation = (int(header[f"trace_{name}"]) for name in ("interval", "generation"))
    if not interval:
        return None
    if interval > MOST or not generation:
        raise shard_defect(
            path, f"an interval of at most {MOST} ticks and a generation of at least 1", (interval, generation)
        )
    slowed, lost = (int(header[f"trace_{name}"]) for name in ("slowed", "lost"))
    left_out = int(header["trace_left_out"])
    return Tracing(interval / ticks_per_second, generation - 1, slowed, lost, left_out)
