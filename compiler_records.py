"""Variables by which a compiler writes one more file at each call: only the user's own compiles are to get them."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

__all__ = ["recording", "without_records"]

_GNU: Final = ("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES")
_LLVM: Final = ("CC_PRINT_", "CC_LOG_")  # how the names of its variables for headers, options, messages, times begin


def without_records(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return an environment in which a call of a compiler leaves no trace but its outputs."""
    return {name: value for name, value in environment.items() if not _asks_for_record(name)}


def recording(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether calls of a compiler write such a file."""
    return any(value and _asks_for_record(name) for name, value in environment.items())


def _asks_for_record(name: str) -> bool:
    return name in _GNU or name.startswith(_LLVM)
