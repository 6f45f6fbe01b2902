"""Find the cache folders, which hold files that are built once and used again, such as probe libraries."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["cache_name", "cache_names", "named_caches"]


def cache_names(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the cache folders in search order.

    If none of the folders in ``AUTOANALYZER_CACHE`` is writable, the user's own cache folder is added at the end.
    """
    names = named_caches(environment)
    return names if any(map(_takes_more, names)) else [*names, _own(environment)]


def cache_name(environment: Mapping[str, str] = os.environ) -> str:
    """Return the folder for new cache entries: the first that is writable or can be created; else the last one."""
    names = cache_names(environment)
    return next(filter(_takes_more, names), names[-1])


def named_caches(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the folders listed in ``AUTOANALYZER_CACHE``, which has the syntax of ``PATH``."""
    chosen = environment.get("AUTOANALYZER_CACHE", "").split(os.pathsep)
    return [os.path.abspath(os.path.expanduser(each)) for each in chosen if each]


def _takes_more(name: str) -> bool:
    """Return whether a folder can hold new entries: it is writable, or can be created.

    A world-writable folder is accepted only if this user owns it.
    """
    try:
        state = os.stat(name)
        if state.st_mode & 0o002 and state.st_uid != os.geteuid():
            return False
    except OSError:
        pass
    while not os.path.lexists(name) and name != (above := os.path.dirname(name)):
        name = above
    return os.path.isdir(name) and os.access(name, os.W_OK | os.X_OK)


def _own(environment: Mapping[str, str]) -> str:
    base = environment.get("XDG_CACHE_HOME") or os.path.join(
        environment.get("HOME") or os.path.expanduser("~"), ".cache"
    )
    if base.startswith("~"):  # a user ID without an account
        base = "/.cache"
    return os.path.abspath(os.path.join(base, "autoanalyzer"))
