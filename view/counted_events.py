"""What was counted on request, where it tells no causes: events of PAPI, and usage of the system."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..experiment import Metric

__all__ = ["NOTHING", "counted_events"]

NOTHING: Final = "nothing was counted"
_NAMED: Final = 3  # events that are named, of many
_COUNTED: Final = "measured:"  # how sources of what was counted on request begin


def counted_events(metrics: Iterable[Metric]) -> str:
    """Name the events of a run that counted no instructions, or say that there are none."""
    events = list(dict.fromkeys(each.name for each in metrics if each.source.startswith(_COUNTED)))
    more = f" and {len(events) - _NAMED} more events" if len(events) > _NAMED else ""
    return f"{', '.join(events[:_NAMED])}{more} counted, nothing else" if events else NOTHING
