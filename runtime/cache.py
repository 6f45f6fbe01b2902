"""The cache folder for builds, and its lock."""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ..atomic_file import one_at_a_time
from ..cache_place import cache_name, cache_names, named_caches
from ..errors import BuildError

__all__ = ["built_in", "cache_folder", "distrust", "kept", "locked", "note_use"]

_DAY: Final = 86400.0  # seconds in a day


def kept(name: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return a cached build, from the user's own folder or from a group's folder; None if there is none.

    Files that are preloaded into the user's programs must belong to the owner of the cache, to root, or to the user.
    """
    for cache in map(Path, cache_names(environment)):
        if not os.path.lexists(cache / name):
            continue
        defect = distrust(cache, name)
        if not defect:
            return cache / name
        if str(cache) != cache_name(environment):  # for the user's own cache, the build reports an error later
            warnings.warn(f"{cache / name}: {defect}, so it is not loaded", stacklevel=2)
    return None


def built_in(cache: Path, name: str) -> Path:
    """Return a build that this or another process has put into a cache.

    Raises:
        BuildError: The build cannot be read, belongs to a user other than root, this user and the cache's owner, or can
            be changed by every user.
    """
    if defect := distrust(cache, name):
        way_out = "remove this file, or set AUTOANALYZER_CACHE to your own folder"
        raise BuildError(f"{cache / name}: {defect}, so it is not loaded; {way_out}")
    return cache / name


def distrust(cache: Path, name: str) -> str:
    """Return why a cached build must not be loaded; empty if it may be loaded."""
    try:
        known = {0, os.geteuid(), cache.stat().st_uid}
        states = [(cache / Path(name).parts[0]).stat(), (cache / name).stat()]
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if stranger := next((each.st_uid for each in states if each.st_uid not in known), None):
        return f"belongs to user {stranger}, not to you, root or the owner of the cache"
    if any(each.st_mode & 0o002 for each in states):
        return "can be written by every user"
    return "" if os.access(cache / name, os.R_OK) else "cannot be read"


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder for builds: the first usable one in ``AUTOANALYZER_CACHE``, or else the user's own.

    If the user's own folder cannot be written, a private temporary folder is used, with a warning.

    Raises:
        BuildError: ``AUTOANALYZER_CACHE`` names a folder that does not exist and cannot be created.
    """
    folder, named = Path(cache_name(environment)), named_caches(environment)
    if named and str(folder) not in named and not any(map(os.path.isdir, named)):
        raise BuildError(f"AUTOANALYZER_CACHE={named[0]} cannot be created; choose another folder")
    if _is_writable(folder):
        return folder
    if str(folder) in named:
        raise BuildError(f"AUTOANALYZER_CACHE={folder} cannot be created; choose another folder")
    return _private_folder(folder)


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _private_folder(unusable: Path) -> Path:
    folder = Path(tempfile.gettempdir(), f"autoanalyzer-{os.getuid()}")
    with suppress(OSError):
        folder.mkdir(mode=0o700)
    # Libraries preloaded into the user's programs must not come from folders to which other users can write.
    status = folder.lstat() if os.path.lexists(folder) else None
    if status is None or status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise BuildError(f"neither {unusable} nor {folder} can be written: set AUTOANALYZER_CACHE to a writable folder")
    warnings.warn(
        f"{unusable} cannot be written, so the probe library is stored in {folder}, which other nodes may not see; set "
        "AUTOANALYZER_CACHE to a shared folder",
        stacklevel=3,
    )
    return folder


@contextmanager
def locked(cache: Path) -> Iterator[None]:
    """Hold the build lock, so that one process builds at a time; no effect on file systems without locks.

    Raises:
        BuildError: The folder cannot be written, or is full.
    """
    try:
        with one_at_a_time(cache / "lock"):
            yield
    except OSError as error:
        raise BuildError(
            f"{cache}: {error.strerror or error}; set AUTOANALYZER_CACHE to a folder with enough space"
        ) from None


def note_use(folder: Path) -> None:
    """Update a folder's time, at most once a day, because folders that are not used for a while are removed."""
    with suppress(OSError):  # the cache may be read-only
        if time.time() - folder.stat().st_mtime > _DAY:
            os.utime(folder)
