"""Libraries that only some commands need, and an installation may lack."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from ..errors import UsageError

__all__ = ["require_statistics"]

_STATISTICS: Final = {"scipy": "scipy", "sklearn": "scikit-learn", "plotly": "plotly"}


def require_statistics(command: str) -> None:
    """Make sure that what the statistics need can be imported.

    Raises:
        UsageError: It can't.
    """
    lacking = [name for module, name in _STATISTICS.items() if find_spec(module) is None]
    if lacking:
        raise UsageError(
            f"{command}: {', '.join(lacking)} wanted, not installed; pip install 'autoanalyzer[statistics]'"
        )
