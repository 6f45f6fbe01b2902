"""Write a profile as slices, which show how much time was spent where, but not when: profiles do not record that."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..experiment import Experiment
from ..metric import Metric
from .part import titles
from .trace_events import trace_events
from .weights import unit_of, weights

__all__ = ["write_profile_slices"]

_SAID: Final = "a profile, not a time line"


def write_profile_slices(experiment: Experiment, path: Path, metric: Metric, *, together: bool) -> None:
    """Write the slices of each location end to end, in call-tree order; the file states that this is not a time line.

    Args:
        experiment: The experiment to write.
        path: The file, which is replaced only when the new file is complete.
        metric: The metric that determines the length of slices; if it is not a time, one unit becomes one nanosecond.
        together: Whether to add up all locations.

    Raises:
        InputError: A value is below 0 or too large, or the file cannot be written.
    """
    title = titles(experiment)
    unit, _ = unit_of(metric)
    facts = {
        "layout": f"{_SAID}: slices are in call-tree order, because a profile does not record when calls were made",
        "metric": metric.name,
        "nanosecond": "of a second" if unit == "nanoseconds" else f"represents 1 {unit}",
    }
    with trace_events(path, experiment.call_paths, facts) as events:
        for place, found in weights(experiment, metric, together=together):
            rank, *thread = title(place) or ("all ranks",)
            number = 0 if place is None else place.process
            lane, at = events.lane(number, f"{rank}: {metric.name}, {_SAID}", *thread or [rank]), 0
            for each in events.stacks.order[found[events.stacks.order] > 0].tolist():
                lane.move(each, at)
                at += int(found[each])
            lane.move(None, at)
