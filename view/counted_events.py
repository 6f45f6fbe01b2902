"""Counts taken on request that explain no causes: PAPI events, and system use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..experiment import Metric

__all__ = ["NOTHING", "counted_events"]

NOTHING: Final = "nothing was counted"
_NAMED: Final = 3  # events that are named, of many
_COUNTED: Final = "measured:"  # the prefix of sources of requested counts


def counted_events(metrics: Iterable[Metric]) -> str:
    """Return the events of a run that did not count instructions, or report that there are none."""
    events = list(dict.fromkeys(each.name for each in metrics if each.source.startswith(_COUNTED)))
    more = f" and {len(events) - _NAMED} more events" if len(events) > _NAMED else ""
    return f"{', '.join(events[:_NAMED])}{more} counted, nothing else" if events else NOTHING
