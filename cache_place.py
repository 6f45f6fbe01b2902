"""The folder of what need not be made again."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["cache_name", "cache_place"]


def cache_place(environment: Mapping[str, str] = os.environ) -> Path:
    """Name the folder of what is kept: ``AUTOANALYZER_CACHE``, else one below the user's own cache folder."""
    from pathlib import Path  # noqa: PLC0415 - a compile that is known needs no paths

    return Path(cache_name(environment))


def cache_name(environment: Mapping[str, str] = os.environ) -> str:
    """Give the same as text."""
    if chosen := environment.get("AUTOANALYZER_CACHE"):
        return os.path.abspath(os.path.expanduser(chosen))
    base = environment.get("XDG_CACHE_HOME") or os.path.join(
        environment.get("HOME") or os.path.expanduser("~"), ".cache"
    )
    if base.startswith("~"):  # a user whom the machine does not know
        base = "/.cache"
    return os.path.abspath(os.path.join(base, "autoanalyzer"))
