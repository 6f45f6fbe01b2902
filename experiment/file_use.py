"""What a run read from a file and wrote to it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FileUse"]


@dataclass(frozen=True, slots=True)
class FileUse:
    """One file, or all those for which there was no room; of one process, or of several.

    Attributes:
        name: Its path as the system knows it; empty for several files.
        processes: How many have used it.
        calls: How often it was read from or written to.
        bytes_read: What was read.
        bytes_written: What was written.
        seconds: What its calls took, all processes together.
    """

    name: str
    processes: int
    calls: int
    bytes_read: int
    bytes_written: int
    seconds: float
