"""A run's reads and writes of a file."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FileUse"]


@dataclass(frozen=True, slots=True)
class FileUse:
    """How processes used one file, or all remaining files if there are too many to list.

    Attributes:
        name: The file's path, as reported by the operating system; empty for several files.
        processes: The number of processes that used the file.
        calls: The number of reads and writes.
        bytes_read: The number of bytes read.
        bytes_written: The number of bytes written.
        seconds: The time in these calls in seconds, summed over processes.
    """

    name: str
    processes: int
    calls: int
    bytes_read: int
    bytes_written: int
    seconds: float
