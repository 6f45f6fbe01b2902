"""Check whether cache folders are usable, and whether other users could place libraries there for programs to load."""

from __future__ import annotations

import grp
import os
import pwd
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..cache_place import cache_name, cache_names
from ..runtime.cache import distrust
from .disk import file_system, refuses_programs, write_defect
from .finding import Finding, Outcome

__all__ = ["cache_findings"]

_CHOOSE: Final = "set AUTOANALYZER_CACHE to a writable folder that all nodes share"
_SHARE: Final = (
    "each MPI library needs a probe library; to build one, a user who can write to this folder must run autoanalyzer "
    "doctor"
)
_CLOSE: Final = (
    "ask the owner to remove the write permission (chmod o-w) or the files (rm -r), or set "
    "AUTOANALYZER_CACHE to another folder"
)
_TRUST: Final = (
    "keep this cache in AUTOANALYZER_CACHE only if you trust the owner and group, because your programs load "
    "libraries from this cache"
)
_BUILT: Final = ("probe-*/", "rtcount-*/")


def cache_findings(area: str) -> Iterator[Finding]:
    """Yield findings about the cache for new entries, and about the write permissions of all caches."""
    yield _cache(area, Path(cache_name()))
    caches = [Path(name) for name in cache_names() if Path(name).is_dir()]
    open_to_all = [found for cache in caches for found in _untrusted(cache)]
    if open_to_all:
        yield Finding(area, "trust in caches", Outcome.FAILS, "; ".join(open_to_all), _CLOSE)
    elif shared := [found for cache in caches if (found := _shared(cache))]:
        yield Finding(area, "trust in caches", Outcome.NOTE, "; ".join(shared), _TRUST)


def _cache(area: str, folder: Path) -> Finding:
    if not folder.exists():
        above = next(each for each in folder.parents if os.path.lexists(each))
        if above.is_dir() and os.access(above, os.W_OK | os.X_OK):
            return Finding(area, "cache", Outcome.WORKS, f"{folder}: can be created")
        return Finding(area, "cache", Outcome.FAILS, f"{folder}: does not exist, and cannot be created", _CHOOSE)
    libraries = len([*folder.glob(_BUILT[0])])
    holds = f"{libraries} probe {'library' if libraries == 1 else 'libraries'}"
    if refuses_programs(folder):
        found = f"{folder}: the file system is mounted noexec, so libraries cannot be loaded from this folder"
        return Finding(area, "cache", Outcome.FAILS, found, _CHOOSE, varying=holds)
    if defect := write_defect(folder):
        outcome, advice = (Outcome.WORKS, _SHARE) if libraries else (Outcome.FAILS, _CHOOSE)
        return Finding(area, "cache", outcome, f"{folder}: {defect}", advice, varying=holds)
    return Finding(area, "cache", Outcome.WORKS, f"{folder}: can be written{file_system(folder)}", varying=holds)


def _untrusted(cache: Path) -> Iterator[str]:
    state = cache.stat()
    if state.st_mode & 0o002 and state.st_uid != os.geteuid():
        yield f"{cache}: belongs to another user, and everybody can write there, so nothing is stored there"
    for kind in _BUILT:
        for built in sorted(cache.glob(kind)):
            if defect := distrust(cache, built.name):
                yield f"{built}: {defect}, so it is not loaded"


def _shared(cache: Path) -> str:
    """Return a warning if a cache belongs to another user and its group can write there, or an empty string."""
    state = cache.stat()
    if state.st_uid in (0, os.geteuid()) or not state.st_mode & 0o020:
        return ""
    owner, group = str(state.st_uid), str(state.st_gid)
    with suppress(KeyError):
        owner = pwd.getpwuid(state.st_uid).pw_name
    with suppress(KeyError):
        group = grp.getgrgid(state.st_gid).gr_name
    return f"{cache}: belongs to {owner}, and the group {group} can write there"
