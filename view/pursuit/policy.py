"""Write the policy: the metrics to record next in a running program (Vetter and Reed, sections 1.2, 4.6)."""

from __future__ import annotations

from typing import Any, Final

from ...timelines.pursuit import Period, PursuitOverTime
from ..counters import as_typed
from ..report import json_text

__all__ = ["SCHEMA", "policy_text"]

SCHEMA: Final = "autoanalyzer.policy/1"


def policy_text(period: Period, state: PursuitOverTime) -> bytes:
    """Return the policy after a period as JSON: the measured metrics to record from now on.

    These include metrics that are recorded only to check whether they have become important. Before the first
    selection, all metrics are recorded.

    Args:
        period: The last period.
        state: The state of the pursuit after this period.
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
