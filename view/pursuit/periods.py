"""Show a period of projection pursuit as a line, a row of a table, or JSON data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...timelines.pursuit import Camps, Period
from ..metric_space import finite
from ..report import Cell

__all__ = ["HEADER", "period_document", "period_line", "period_row", "span"]

HEADER: Final = (
    "seconds",
    "status",
    "index",
    "by chance",
    "camps",
    "camps by chance",
    "locations",
    "three best metrics",
    "recorded next",
)


def span(period: Period) -> str:
    """Return the start and end of a period in seconds as text: ``0-4``."""
    return f"{period.start:.6g}-{period.end:.6g}"


def period_row(period: Period) -> tuple[Cell, ...]:
    """Return a period's row in the table with the columns ``HEADER``."""
    found = period.found
    return (
        span(period),
        period.status,
        f"{found.index:.3g}" if found and found.has_index else None,
        f"{found.critical:.3g}" if found and found.has_index else None,
        f"{found.camps.index:.3g}" if found and found.camps else None,
        f"{found.camps.critical:.3g}" if found and found.camps else None,
        found.locations if found else None,
        ", ".join(found.metrics) if found else f"({period.reason})",
        ", ".join(period.selected) or "all",
    )


def period_line(period: Period) -> str:
    """Return the line that is printed for each period of a growing trace."""
    found = period.found
    best = f"{', '.join(found.metrics)}  index {found.index:.3g}" if found else ""
    return f"{span(period)} s  {period.status:<12}  {best}{'  ' if best else ''}({period.reason})"


def period_document(period: Period) -> dict[str, Any]:
    """Return a period as JSON data."""
    found = period.found
    document: dict[str, Any] = {
        "start": period.start,
        "end": period.end,
        "metrics": list(found.metrics) if found else [],
        "index": found.index if found else 0.0,
        "status": period.status,
        "reason": period.reason,
        "importance": {each.metric: each.importance for each in found.ranking} if found else {},
        "selected": list(period.selected),
        "probed": list(period.probed),
    }
    if not found:
        return document
    return {
        **document,
        "chance": finite(found.critical),
        "ranking": [
            {
                "metric": each.metric,
                "importance": each.importance,
                "loading": each.loading,
                "index": each.index,
                "camps": each.camps,
            }
            for each in found.ranking
        ],
        "camps": _camps(found.camps, found.parted) if found.camps else None,
        "locations": found.locations,
        "points": found.points,
        "outliers": list(found.outliers),
        "dropped": dict(found.dropped),
        "left_out": {str(label): why for label, why in found.left_out.items()},
        "starts": {"followed": found.followed, "agreeing": found.agreeing} if found.has_index else None,
    }


def _camps(camps: Camps, parted: Sequence[str]) -> dict[str, Any]:
    return {
        "metric": camps.metric,
        "alone": camps.alone,
        "index": camps.index,
        "chance": camps.critical,
        "points": camps.size,
        "metrics": list(parted),
    }
