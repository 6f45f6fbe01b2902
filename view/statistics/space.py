"""Compute the JSON data that all statistical analyses have in common."""

from __future__ import annotations

from typing import Any, Final

from ...multivariate.metric_space import MetricSpace
from ..marks import short

__all__ = ["SCHEMA", "document", "titled"]

SCHEMA: Final = "autoanalyzer.statistics/1"


def document(analysis: str, space: MetricSpace) -> dict[str, Any]:
    """Return the JSON data that all analyses have in common, such as their name, metrics and locations."""
    return {
        "schema": SCHEMA,
        "analysis": analysis,
        "place": space.place,
        "metrics": list(space.metrics),
        "locations": list(space.labels),
        "dropped": dict(space.dropped),
        "left_out": {str(label): why for label, why in space.left_out.items()},
        "formulas": dict(space.formulas),
    }


def titled(space: MetricSpace, metric: str) -> str:
    """Return the title of a metric's axis: its name, and its unit in parentheses."""
    unit = space.units.get(metric, "")
    return f"{short(metric)}{f' ({short(unit, 12)})' if unit else ''}"
