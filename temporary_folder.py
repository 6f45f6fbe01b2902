"""Name temporary folders by process and node, so that folders left by killed processes can be found."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

__all__ = ["OWNED", "is_in_use", "owned_prefix"]

OWNED: Final = "autoanalyzer-"
_PARTS: Final = 3  # PID-NODE-RANDOM, in which a node's name may contain hyphens


def owned_prefix(purpose: str) -> str:
    """Return the prefix for temporary folders of this process, such as ``autoanalyzer-counting-4711-node1-``."""
    return f"{OWNED}{purpose}-{os.getpid()}-{os.uname().nodename}-"


def is_in_use(name: str, purpose: str) -> bool | None:
    """Return whether the process that created a temporary folder is still running.

    Args:
        name: Name of the folder.
        purpose: The purpose that was passed to ``owned_prefix``.

    Returns:
        None if the folder was created on another node, or its name does not come from ``owned_prefix``.
    """
    parts = name.removeprefix(f"{OWNED}{purpose}-").split("-")
    if not name.startswith(f"{OWNED}{purpose}-") or len(parts) < _PARTS or not parts[0].isdigit():
        return None
    if "-".join(parts[1:-1]) != os.uname().nodename:
        return None
    return os.path.exists(f"/proc/{parts[0]}")
