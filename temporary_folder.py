"""Names of temporary folders that tell whose they are: so what a killed process left is known from what is in use."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

__all__ = ["OWNED", "is_in_use", "owned_prefix"]

OWNED: Final = "autoanalyzer-"
_PARTS: Final = 3  # PID-NODE-RANDOM, where a node's name may hold hyphens


def owned_prefix(purpose: str) -> str:
    """Return the start of the name of a folder that this process makes: ``autoanalyzer-counting-4711-node1-``."""
    return f"{OWNED}{purpose}-{os.getpid()}-{os.uname().nodename}-"


def is_in_use(name: str, purpose: str) -> bool | None:
    """Return whether the process that made a folder still runs.

    Args:
        name: Of the folder.
        purpose: As given to ``owned_prefix``.

    Returns:
        None if it was made on another node, or the name is none of ours.
    """
    parts = name.removeprefix(f"{OWNED}{purpose}-").split("-")
    if not name.startswith(f"{OWNED}{purpose}-") or len(parts) < _PARTS or not parts[0].isdigit():
        return None
    if "-".join(parts[1:-1]) != os.uname().nodename:
        return None
    return os.path.exists(f"/proc/{parts[0]}")
