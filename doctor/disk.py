"""Test whether files in a folder can be written, mapped and executed."""

from __future__ import annotations

import errno
import mmap
import os
import tempfile
from pathlib import Path
from typing import Final

__all__ = ["file_system", "refuses_programs", "write_defect"]

_SIZE: Final = 1 << 20  # number of bytes to write as a test
_MOUNTS: Final = Path("/proc/self/mounts")
_DEFECTS: Final = {
    errno.ENOENT: "does not exist",
    errno.ENOTDIR: "is not a folder",
    errno.EACCES: "you have no permission to write there",
    errno.EPERM: "you have no permission to write there",
    errno.ENOSPC: "no space is left",
    errno.EDQUOT: "your quota is used up",
    errno.EROFS: "the file system is read-only",
}


def write_defect(folder: Path) -> str:
    """Write and map a file as the probe library does; return why that fails, or an empty string."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, _SIZE)
            with mmap.mmap(file.fileno(), _SIZE) as memory:
                memory[-1] = 1
                memory.flush()
            file.seek(_SIZE - 1)
            return "" if file.read(1) == b"\1" else "writes to memory-mapped files do not reach the disk"
    except OSError as error:
        return _DEFECTS.get(error.errno or 0) or f"cannot be written: {error.strerror}"


def refuses_programs(folder: Path) -> bool:
    """Return whether a folder's file system forbids running programs and loading libraries."""
    return bool(os.statvfs(folder).f_flag & os.ST_NOEXEC)


def file_system(folder: Path) -> str:
    """Return the type of a folder's file system as a phrase such as ``, on nfs4``, or an empty string if unknown."""
    best, kind = "", ""
    try:
        for line in _MOUNTS.read_text().splitlines():
            _, place, this, *_ = line.split()
            if folder.is_relative_to(place) and len(place) >= len(best):
                best, kind = place, this
    except (OSError, ValueError):
        return ""
    return f", on {kind}" if kind else ""
