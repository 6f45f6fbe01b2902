"""The files that processes have used: from records of shards to the few that say most."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ...experiment.file_use import FileUse
from . import shard_layout as layout

__all__ = ["most_used", "read_file_use"]

MOST: Final = 20


def read_file_use(data: bytes, at: int, size: int, ticks_per_second: float) -> FileUse | None:
    """Read a record; None if its name would reach beyond it."""
    length, calls, read, written, ticks = layout.FILE_LAYOUT.unpack_from(data, at)
    start = at + layout.FILE_LAYOUT.size
    if start + length > at + size:
        return None
    name = data[start : start + length].decode("utf-8", "replace")
    return FileUse(name, 1, calls, read, written, ticks / ticks_per_second)


def most_used(processes: Iterable[Iterable[FileUse]]) -> tuple[FileUse, ...]:
    """Add up what processes did with each file, and give those that took longest, the others as one without a name."""
    total: dict[str, FileUse] = {}
    for files in processes:
        for file in files:
            if file.calls or file.seconds:
                total[file.name] = _sum(file.name, total[file.name], file) if file.name in total else file
    named = [file for file in total.values() if file.name]
    ordered = sorted(named, key=lambda file: (-file.seconds, -file.bytes_read - file.bytes_written, file.name))
    rest = [*ordered[MOST:], *(total[name] for name in total if not name)]
    others = rest[0] if rest else None
    for file in rest[1:]:
        others = _sum("", others or file, file)
    return (*ordered[:MOST], *((_sum("", others),) if others else ()))


def _sum(name: str, *files: FileUse) -> FileUse:
    """Of the processes the larger number: the same ones may have used several files."""
    return FileUse(
        name,
        sum(file.processes for file in files) if name else max(file.processes for file in files),
        sum(file.calls for file in files),
        sum(file.bytes_read for file in files),
        sum(file.bytes_written for file in files),
        sum(file.seconds for file in files),
    )
