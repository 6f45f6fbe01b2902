"""The beginning of the document of every statistical analysis."""

from __future__ import annotations

from typing import Any, Final

from ...multivariate.metric_space import MetricSpace

__all__ = ["SCHEMA", "document"]

SCHEMA: Final = "autoanalyzer.statistics/1"


def document(analysis: str, space: MetricSpace) -> dict[str, Any]:
    """Return the beginning of an analysis's JSON document."""
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
