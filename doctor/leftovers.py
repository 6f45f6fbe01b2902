"""Find and remove unused files that old runs left on this node. Measured data are removed only on request.

========================  ======================================================  ================================
what                      where                                                   removed once
========================  ======================================================  ================================
data never gathered       ``autoanalyzer-UID/KEY`` in ``$TMPDIR`` and ``/tmp``    no process records there, nothing
                                                                                  was written for an hour, and the
                                                                                  user requests it (``--data``)
empty folders for data    as above                                                no process records there, and an
                                                                                  hour has passed
working copies,           ``autoanalyzer-PURPOSE-PID-NODE-…`` in temporary        its process has ended, no process
temporary folders         folders and the current folder; copies also in          has files open there, and an hour
                          folders of runs                                         has passed
shared memory of MPI      ``/dev/shm``, by the names of MPI libraries             no process maps it, and an hour
                                                                                  has passed
entries of the user's     ``probe-KEY``, ``rtcount-KEY``, ``build-…``; not in     it has been unused for 30 days
own cache                 ``AUTOANALYZER_CACHE``, which may be shared
========================  ======================================================  ================================

Only files that belong to the user are examined, and no link is followed.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from ..cache_place import cache_name, named_caches
from ..runtime.launch import SHARDS_VARIABLE
from ..runtime.node_folder import key_of
from ..temporary_folder import OWNED, is_in_use
from .tasks import EXCHANGE, home_folder

__all__ = ["Leftover", "find_leftovers", "remove_leftovers"]

_HOUR: Final = 3600.0  # seconds; data that are older than an hour will no longer be gathered
_UNUSED: Final = 30 * 24 * _HOUR
_KEY: Final = re.compile(r"[0-9a-f]{16}$")
_PURPOSES: Final = {
    "counting": "working copy of a counting run",
    "compile": "temporary folder of a compilation",
    "mpi": "temporary folder of a compiler test",
    "doctor": "temporary folder of autoanalyzer doctor",
    "calibrate": "temporary folder of a calibration",
}
_SHARED_MEMORY: Final = Path("/dev/shm")
_OF_MPI: Final = re.compile(r"(vader_segment|sm_segment|mpich_shar_tmp|mpich_shm|psm[23]?_shm)")
_BUILT: Final = {
    r"probe-[0-9a-f]+$": ("probe library", _UNUSED),
    r"rtcount-[0-9a-f]+$": ("counting tool", _UNUSED),
    r"build-[a-z0-9_]{8}$": ("unfinished build", _HOUR),
}
_EMPTY: Final = "empty folder of data"


@dataclass(frozen=True, slots=True)
class Leftover:
    """A file or folder that an old run left.

    Attributes:
        path: Path of the file or folder.
        what: Purpose of the file or folder.
        size: Bytes on disk.
        kept: Why it is kept; empty if it can be removed.
        is_data: Whether removing it would lose measurements that were never gathered.
        gone: Whether it has been removed.
    """

    path: Path
    what: str
    size: int
    kept: str = ""
    is_data: bool = False
    gone: bool = False

    def document(self) -> dict[str, Any]:
        """Return the leftover as JSON data."""
        return {**asdict(self), "path": str(self.path)}

    @classmethod
    def read(cls, document: dict[str, Any]) -> Leftover:
        """Return the leftover from the JSON data that ``document`` returned."""
        return cls(**{**document, "path": Path(document["path"])})


def remove_leftovers(*, data: bool = False, shared: bool = True) -> list[Leftover]:
    """Remove files that old runs left on this node.

    Args:
        data: Whether to also remove data that were never gathered.
        shared: Whether to include folders that other nodes also see; in a job, only one node includes them.

    Returns:
        All leftovers, each marked as removed or with the reason why it is kept.
    """
    return [_removed(each, data) for each in find_leftovers(shared=shared)]


def _removed(found: Leftover, data: bool) -> Leftover:
    if found.kept:
        return found
    if found.is_data and not data:
        return replace(found, kept="to collect these data, use autoanalyzer gather; to remove them, add --clean --data")
    try:
        if found.what == _EMPTY:
            found.path.rmdir()
        elif found.path.is_dir():
            shutil.rmtree(found.path)
        else:
            found.path.unlink()
    except FileNotFoundError:
        pass  # another process has removed the file
    except OSError as error:
        return replace(found, kept=f"cannot be removed: {error.strerror}")
    with suppress(OSError):
        if found.path.parent.name == _own_folder():
            found.path.parent.rmdir()
    return replace(found, gone=True)


def find_leftovers(*, shared: bool = True) -> list[Leftover]:
    """Return the files and folders that old runs left on this node, sorted by kind, then by path.

    Args:
        shared: Whether to include folders that other nodes also see.
    """
    parts = [_node_folders(), _temporary_folders(foreign=shared), _shared_memory()]
    if shared:
        parts += [_exchanges(), _cache()]
    return [leftover for part in parts for leftover in sorted(part, key=lambda each: each.path)]


def _own_folder() -> str:
    return f"autoanalyzer-{os.geteuid()}"


def _temporary_places() -> list[Path]:
    return list(dict.fromkeys(Path(os.path.realpath(each)) for each in (tempfile.gettempdir(), "/tmp")))


def _node_folders() -> Iterator[Leftover]:
    """Yield the folders in which processes stored data because this node did not see the run's folder."""
    used = {key_of(Path(os.fsdecode(shards))) for shards in _recording()}
    for place in _temporary_places():
        for folder in _mine(place / _own_folder(), _KEY) if _is_private(place / _own_folder()) else ():
            shards, anything = len([*folder.glob("*.shard")]), any(folder.iterdir())
            if anything and not shards:
                continue  # created by another program
            data = f"data of {shards} process{'' if shards == 1 else 'es'}, never gathered"
            kept = "a process still records data in this folder" if int(folder.name, 16) in used else _recent(folder)
            yield Leftover(folder, data if shards else _EMPTY, _size(folder), kept, is_data=shards > 0)


def _is_private(folder: Path) -> bool:
    """Return whether a path is a folder, rather than a link, to which only this user can write."""
    try:
        state = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(state.st_mode) and state.st_uid == os.geteuid() and not state.st_mode & 0o022


def _recording() -> Iterator[bytes]:
    """Yield the folders in which running processes of the user record their data."""
    variable = f"{SHARDS_VARIABLE}=".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            for word in (process / "environ").read_bytes().split(b"\0"):
                if word.startswith(variable):
                    yield word.removeprefix(variable)


def _temporary_folders(*, foreign: bool) -> Iterator[Leftover]:
    """Yield temporary folders and working copies; with ``foreign``, also those that other nodes created."""
    beside: list[Path] = []
    with suppress(OSError):
        beside = [path for path in Path.cwd().iterdir() if path.is_dir() and not path.is_symlink()]
    places = [*_temporary_places(), Path.cwd(), *beside]
    for place in dict.fromkeys(places):
        for purpose, what in _PURPOSES.items():
            for folder in _mine(place, re.compile(f"{OWNED}{purpose}-.*")):
                in_use = is_in_use(folder.name, purpose)
                if in_use is None and foreign:
                    yield Leftover(
                        folder, what, _size(folder), "created on another node, so remove this folder on that node"
                    )
                elif in_use is False:
                    used = any(Path(each).is_relative_to(folder) for each in _open_files())
                    kept = "a process still has files open in this folder" if used else _recent(folder)
                    yield Leftover(folder, what, _size(folder), kept)


def _open_files() -> set[str]:
    """Return the paths of open files and working directories, for all processes that this user may inspect."""
    found = _mapped()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            links = (process / "cwd", process / "exe", *(process / "fd").iterdir())
            found |= {str(each.readlink()) for each in links}
    return found


def _exchanges() -> Iterator[Leftover]:
    for place in dict.fromkeys([Path.cwd(), Path(cache_name()), home_folder()]):
        for folder in _mine(place, re.compile(re.escape(EXCHANGE) + ".*")):
            yield Leftover(folder, "data exchanged by autoanalyzer doctor", _size(folder), _recent(folder))


def _shared_memory() -> Iterator[Leftover]:
    """Yield shared memory left by killed MPI programs."""
    files = list(_mine(_SHARED_MEMORY, _OF_MPI, folders=False))
    mapped = _mapped() if files else set()
    for file in files:
        kept = "a process still uses it" if str(file) in mapped else _recent(file)
        yield Leftover(file, "shared memory of a killed MPI program", _size(file), kept)


def _mapped() -> set[str]:
    """Return the paths of memory-mapped files, for all processes that this user may inspect."""
    found: set[str] = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            lines = (process / "maps").read_text(errors="replace").splitlines()
            found |= {line.split(maxsplit=5)[5] for line in lines if line.count("/")}
    return found


def _cache() -> Iterator[Leftover]:
    """Yield old entries in the user's own cache, such as those of earlier versions or of removed MPI libraries."""
    if named_caches():
        return
    mapped = {str(Path(each).parent) for each in _mapped()}
    for name, (what, limit) in _BUILT.items():
        for folder in _mine(Path(cache_name()), re.compile(name)):
            unused = _age(folder)
            if unused > limit and str(folder) not in mapped:
                yield Leftover(folder, f"{what}, not used for {unused / 86400:.0f} days", _size(folder))


def _mine(place: Path, name: re.Pattern[str], *, folders: bool = True) -> Iterator[Path]:
    """Yield the user's own files or folders in ``place`` whose names match ``name``; links are not followed."""
    entries: list[os.DirEntry[str]] = []
    with suppress(OSError):
        entries = list(os.scandir(place))
    for entry in entries:
        is_kind = entry.is_dir(follow_symlinks=False) if folders else entry.is_file(follow_symlinks=False)
        if is_kind and name.match(entry.name):
            with suppress(FileNotFoundError):
                if entry.stat(follow_symlinks=False).st_uid == os.geteuid():
                    yield Path(entry.path)


def _recent(path: Path) -> str:
    """Return a reason to keep a file or folder that was changed within the last hour, or an empty string."""
    return "written less than an hour ago" if min(map(_age, (path, *path.rglob("*")))) < _HOUR else ""


def _age(path: Path) -> float:
    """Return the seconds since a file or folder was changed, or 0 if it no longer exists."""
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0


def _size(path: Path) -> int:
    """Return the bytes on disk of a file or folder; for sparse files, such as shards, less than their length."""
    size = 0
    for each in [path, *path.rglob("*")] if path.is_dir() else [path]:
        with suppress(OSError):
            size += each.lstat().st_blocks * 512
    return size
