"""Describe counts that were requested but are no causes: PAPI events, and system use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..experiment import Metric

__all__ = ["NOTHING", "counted_events"]

NOTHING: Final = "nothing was counted"
_NAMED: Final = 3  # greatest number of events to name
_COUNTED: Final = "measured:"  # prefix of the source of a requested metric


def counted_events(metrics: Iterable[Metric]) -> str:
    """Return a phrase on what a run without counts of instructions did count: ``page_faults counted, nothing else``."""
    events = list(dict.fromkeys(each.name for each in metrics if each.source.startswith(_COUNTED)))
    more = f" and {len(events) - _NAMED} more events" if len(events) > _NAMED else ""
    return f"{', '.join(events[:_NAMED])}{more} counted, nothing else" if events else NOTHING
