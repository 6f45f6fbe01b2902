"""Describe requested counts that the analysis does not use as causes: PAPI events, and usage metrics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from ..analyze.run.summary import summary
from ..experiment import Experiment, Metric
from ..runtime.papi.sources import counted

__all__ = ["NOTHING", "counted_events", "ranks_without"]

NOTHING: Final = "instructions and cache misses were not counted"
_NAMED: Final = 3  # maximum number of events to name
_COUNTED: Final = "measured:"  # prefix of the source of a requested metric


def counted_events(metrics: Iterable[Metric]) -> str:
    """Return a phrase for a run without instruction counts, with its other counts: ``…, only page_faults``."""
    sources = {each.name: each.source for each in metrics if each.source.startswith(_COUNTED)}
    events = [*sources]
    more = f" and {len(events) - _NAMED} more events" if len(events) > _NAMED else ""
    by = next((f" by {told.library}" for each in sources.values() if (told := counted(each)) and told.library), "")
    return f"{NOTHING}, only {', '.join(events[:_NAMED])}{more}{by}" if events else NOTHING


def ranks_without(experiment: Experiment, metric: str) -> list[int]:
    """Return the ranks on which a metric was not counted, sorted; empty if it was counted on all ranks or on none."""
    if metric not in experiment or summary(experiment, metric).missing is None:
        return []
    columns = np.flatnonzero(np.isnan(experiment.exclusive(metric)).any(axis=0))
    found = {experiment.locations[each].process for each in columns}
    return sorted(found) if found != {place.process for place in experiment.locations} else []
