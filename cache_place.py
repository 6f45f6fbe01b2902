"""The folder of what need not be made again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

__all__ = ["cache_place"]


def cache_place(environment: Mapping[str, str] = os.environ) -> Path:
    """Name the folder of what is kept: ``AUTOANALYZER_CACHE``, else one below the user's own cache folder."""
    if chosen := environment.get("AUTOANALYZER_CACHE"):
        return Path(chosen).expanduser().absolute()
    try:
        base = environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME") or "~").expanduser() / ".cache"
    except RuntimeError:  # a user whom the machine does not know
        base = Path("/.cache")
    return Path(base, "autoanalyzer").absolute()
