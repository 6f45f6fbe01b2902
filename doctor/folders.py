"""The folders that runs need: whether files can be written and mapped there, and how much room there is."""

from __future__ import annotations

import mmap
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..cache_place import cache_name
from ..runtime.node_folder import node_folders
from .finding import Finding, Outcome

__all__ = ["folder_findings"]

_AREA: Final = "folders"

_SIZE: Final = 1 << 20  # bytes that are written for a try, as a process does that records
_LITTLE: Final = 1 << 30  # bytes: four processes at their limit
_SHARED_MEMORY: Final = Path("/dev/shm")
_LITTLE_MEMORY: Final = 64 << 20  # bytes: what containers give
_MOUNTS: Final = Path("/proc/self/mounts")


def folder_findings() -> Iterator[Finding]:
    """Try the folders."""
    yield _written("working directory", Path.cwd(), "choose another folder: autoanalyzer run -o DIR")
    yield _cache()
    temporary = Path(tempfile.gettempdir())
    yield _written("temporary", temporary, "set TMPDIR to a folder that can be written")
    yield _node_folder()
    if _SHARED_MEMORY.is_dir():
        yield _shared_memory()


def _written(name: str, folder: Path, advice: str) -> Finding:
    """Write and map a file, as the probe library does."""
    if defect := _defect(folder):
        return Finding(_AREA, name, Outcome.FAILS, f"{folder}: {defect}", advice)
    free = shutil.disk_usage(folder).free
    little = free < _LITTLE
    found = f"{folder}: files can be written and mapped{_kind(folder)}"
    more = "make room, or limit what each process records: autoanalyzer run --max-memory 16M" if little else ""
    return Finding(_AREA, name, Outcome.WORKS, found, more, varying=f"{_bytes(free)} free")


def _defect(folder: Path) -> str:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, _SIZE)
            with mmap.mmap(file.fileno(), _SIZE) as memory:
                memory[-1] = 1
                memory.flush()
            file.seek(_SIZE - 1)
            return "" if file.read(1) == b"\1" else "what is written to mapped files does not reach the disk"
    except OSError as error:
        return f"cannot be written: {error.strerror}"


def _cache() -> Finding:
    folder = Path(cache_name())
    advice = "set AUTOANALYZER_CACHE to a folder that can be written, and that all nodes see"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return Finding(_AREA, "cache", Outcome.FAILS, f"{folder}: cannot be made: {error.strerror}", advice)
    libraries = len([*folder.glob("probe-*/")])
    holds = f"{libraries} probe {'library' if libraries == 1 else 'libraries'}"
    if _defect(folder):
        outcome = Outcome.WORKS if libraries else Outcome.FAILS
        more = "it must hold a library for each MPI: who may write there runs autoanalyzer doctor once"
        return Finding(_AREA, "cache", outcome, f"{folder}: read-only", more if libraries else advice, varying=holds)
    return Finding(_AREA, "cache", Outcome.WORKS, f"{folder}: can be written{_kind(folder)}", varying=holds)


def _node_folder() -> Finding:
    """Look at where processes leave their data on nodes without the run's folder."""
    folder = node_folders(Path("/"))[0].parent
    name = "node's own"
    advice = f"remove {folder}, or set TMPDIR to a folder of your own"
    if not folder.exists():
        place = folder.parent
        usable = os.access(place, os.W_OK | os.X_OK)
        found = f"{folder}: {'can be made, if the data folder is on no shared disk' if usable else 'cannot be made'}"
        return Finding(_AREA, name, Outcome.WORKS if usable else Outcome.FAILS, found, "" if usable else advice)
    status = folder.lstat()
    if not folder.is_dir() or folder.is_symlink() or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        return Finding(_AREA, name, Outcome.FAILS, f"{folder}: others can write there, or own it", advice)
    left = len([each for each in folder.iterdir() if each.is_dir() and len(each.name) == 16])
    if not left:
        return Finding(_AREA, name, Outcome.WORKS, f"{folder}: is there, and empty")
    found = f"{folder}: holds what {left} run{'' if left == 1 else 's'} left"
    return Finding(_AREA, name, Outcome.WORKS, found, "autoanalyzer doctor --clean lists it")


def _shared_memory() -> Finding:
    name = str(_SHARED_MEMORY)
    if defect := _defect(_SHARED_MEMORY):
        return Finding(_AREA, name, Outcome.FAILS, defect, "MPI libraries use it between ranks of a node")
    free = shutil.disk_usage(_SHARED_MEMORY).free
    advice = "MPI libraries want more: docker run --shm-size=1g" if free < _LITTLE_MEMORY else ""
    return Finding(
        _AREA, name, Outcome.WORKS, "files can be written and mapped", advice, varying=f"{_bytes(free)} free"
    )


def _kind(folder: Path) -> str:
    """Name the file system's kind: ``, on nfs4``."""
    best, kind = "", ""
    try:
        for line in _MOUNTS.read_text().splitlines():
            _, place, this, *_ = line.split()
            if folder.is_relative_to(place) and len(place) >= len(best):
                best, kind = place, this
    except (OSError, ValueError):
        return ""
    return f", on {kind}" if kind else ""


def _bytes(size: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
