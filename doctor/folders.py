"""Check the folders that runs need: whether files can be written and mapped there, and how much space is free."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..runtime.node_folder import node_folders
from .caches import cache_findings
from .disk import file_system, refuses_programs, write_defect
from .finding import Finding, Outcome

__all__ = ["folder_findings"]

_AREA: Final = "folders"

_LITTLE: Final = 1 << 30  # bytes; four processes that reach their memory limit need this space
_SHARED_MEMORY: Final = Path("/dev/shm")
_LITTLE_MEMORY: Final = 64 << 20  # bytes; the default size of /dev/shm in containers


def folder_findings() -> Iterator[Finding]:
    """Yield a finding for each folder that runs need."""
    yield _written("working directory", Path.cwd(), "choose another folder: autoanalyzer run -o DIR")
    yield from cache_findings(_AREA)
    temporary = Path(tempfile.gettempdir())
    yield _written("temporary", temporary, "set TMPDIR to a writable folder")
    yield _node_folder()
    if _SHARED_MEMORY.is_dir():
        yield _shared_memory()


def _written(name: str, folder: Path, advice: str) -> Finding:
    """Check that files can be written and mapped in a folder; return the finding."""
    if defect := write_defect(folder):
        return Finding(_AREA, name, Outcome.FAILS, f"{folder}: {defect}", advice)
    free = shutil.disk_usage(folder).free
    found = f"{folder}: files can be written and mapped{file_system(folder)}"
    more = (
        "free some space, or limit what each process records: autoanalyzer run --max-memory 16M"
        if free < _LITTLE
        else ""
    )
    if refuses_programs(folder):
        found += "; mounted noexec, so programs cannot be run from there"
        more = "build elsewhere, and set TMPDIR to another folder, because test programs are built in TMPDIR"
    return Finding(_AREA, name, Outcome.WORKS, found, more, varying=f"{_bytes(free)} free")


def _node_folder() -> Finding:
    """Check the folder for data of processes whose node does not see the run's folder; return the finding."""
    folder = node_folders(Path("/"))[0].parent
    name = "node's own"
    advice = f"remove {folder}, or set TMPDIR to your own folder"
    if not folder.exists():
        place = folder.parent
        usable = os.access(place, os.W_OK | os.X_OK)
        found = (
            f"{folder}: "
            f"{'can be created; needed only if nodes share no file system' if usable else 'cannot be created'}"
        )
        return Finding(_AREA, name, Outcome.WORKS if usable else Outcome.FAILS, found, "" if usable else advice)
    status = folder.lstat()
    if not folder.is_dir() or folder.is_symlink() or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        return Finding(
            _AREA, name, Outcome.FAILS, f"{folder}: another user owns this folder or can write to it", advice
        )
    left = len([each for each in folder.iterdir() if each.is_dir() and len(each.name) == 16])
    if not left:
        return Finding(_AREA, name, Outcome.WORKS, f"{folder}: exists, and is empty")
    found = f"{folder}: contains data left by {left} run{'' if left == 1 else 's'}"
    return Finding(_AREA, name, Outcome.WORKS, found, "to list the data, run autoanalyzer doctor --clean")


def _shared_memory() -> Finding:
    name = str(_SHARED_MEMORY)
    if defect := write_defect(_SHARED_MEMORY):
        return Finding(_AREA, name, Outcome.FAILS, defect, "MPI libraries need this folder for messages within a node")
    free = shutil.disk_usage(_SHARED_MEMORY).free
    advice = "MPI libraries need more space: docker run --shm-size=1g" if free < _LITTLE_MEMORY else ""
    return Finding(
        _AREA, name, Outcome.WORKS, "files can be written and mapped", advice, varying=f"{_bytes(free)} free"
    )


def _bytes(size: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
