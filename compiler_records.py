"""Environment variables that make a compiler write an extra file per call.

They are removed from the compiler calls that the tool makes in addition to the user's.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

__all__ = ["recording", "without_records"]

_GNU: Final = ("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES")
_LLVM: Final = ("CC_PRINT_", "CC_LOG_")  # prefixes; the variables record headers, options, messages and times


def without_records(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return a copy of an environment without the variables that make a compiler write extra files."""
    return {name: value for name, value in environment.items() if not _asks_for_record(name)}


def recording(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether variables in the environment make compilers write extra files."""
    return any(value and _asks_for_record(name) for name, value in environment.items())


def _asks_for_record(name: str) -> bool:
    return name in _GNU or name.startswith(_LLVM)
