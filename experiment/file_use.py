"""A run's reads and writes of a file."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FileUse"]


@dataclass(frozen=True, slots=True)
class FileUse:
    """The use of one file, or of all files together for which there was no space; by one process or several.

    Attributes:
        name: Its path as the system knows it; empty for several files.
        processes: The number of processes that used it.
        calls: The number of reads and writes.
        bytes_read: The number of bytes read.
        bytes_written: The number of bytes written.
        seconds: Time of its calls, summed over processes.
    """

    name: str
    processes: int
    calls: int
    bytes_read: int
    bytes_written: int
    seconds: float
