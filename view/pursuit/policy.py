"""What to record next, for the monitoring system or the next run (Vetter and Reed, sections 1.2 and 4.6)."""

from __future__ import annotations

from typing import Any, Final

from ...timelines.pursuit import Period, PursuitOverTime
from ..counters import as_typed
from ..report import json_text

__all__ = ["SCHEMA", "policy_text"]

SCHEMA: Final = "autoanalyzer.policy/1"


def policy_text(period: Period, state: PursuitOverTime) -> bytes:
    """Return which measured metrics to record after a period: all until there was a selection.

    Some of the others are recorded as probes, in turn.

    Args:
        period: The last one.
        state: After it.
    """
    record = state.recorded
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "time": period.end,
        "status": period.status,
        "record": list(record),
        "probe": list(state.probed),
        "leave": [name for name in state.measured(state.metrics) if name not in record],
        "next": as_typed(record, state.sources),
    }
    return json_text(document)
