"""Names of metrics on the command line."""

from __future__ import annotations

from ..errors import UsageError

__all__ = ["metric_names"]


def metric_names(words: str | None) -> list[str] | None:
    """Read ``a,b``; a name with a comma in it can't be given. None is all metrics.

    Raises:
        UsageError: There is no name.
    """
    if words is None:
        return None
    names = [word.strip() for word in words.split(",") if word.strip()]
    if not names:
        raise UsageError(f"--metrics {words!r}: names of metrics wanted")
    return names
