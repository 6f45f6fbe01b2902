"""Delays: how long ranks wait in one region for work in another, divided among the regions of the call tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...experiment import Experiment, Region
from ..run.arrays import Values
from ..run.code_regions import CodeRegion, inclusive_over
from ..run.summary import summary

__all__ = ["Delays"]


@dataclass(frozen=True)
class Delays:
    """The recorded delays, each divided among the call paths of the regions that it names.

    Attributes:
        pairs: For each delay, the region in which ranks waited, and the region in which the late ranks were.
        seconds: ``float64[delay]``: waiting time in seconds, summed over all ranks.
        by_messages: ``float64[delay]``: the part of ``seconds`` from waits that ended with a message.
        waiting: ``float64[region, delay]``: the share of the waiting that is in a region or below it.
        late: ``float64[region, delay]``: the share of the awaited work that is in a region or below it.
    """

    pairs: tuple[tuple[Region, Region], ...]
    seconds: Values
    by_messages: Values
    waiting: Values
    late: Values

    @classmethod
    def of(cls, experiment: Experiment, regions: tuple[CodeRegion, ...]) -> Delays:
        """Read the delays of an experiment, divided among call paths by their ``wait_time`` and ``delay_time``."""
        delays = experiment.notes.delays
        pairs = [(Region.from_descriptor(each.waiting), Region.from_descriptor(each.late)) for each in delays]
        return cls(
            tuple(pairs),
            np.array([each.seconds for each in delays]),
            np.array([each.by_messages for each in delays]),
            _spread(experiment, regions, "wait_time", [waiting for waiting, _ in pairs]),
            _spread(experiment, regions, "delay_time", [late for _, late in pairs]),
        )

    def because_of(self, index: int) -> Values:
        """Return the seconds that ranks waited for work in a region or below it: ``float64[delay]``."""
        return np.asarray(self.seconds * self.late[index])

    def in_region(self, index: int) -> Values:
        """Return the seconds that ranks waited in a region or below it: ``float64[delay]``."""
        return np.asarray(self.seconds * self.waiting[index])


def _spread(experiment: Experiment, regions: tuple[CodeRegion, ...], metric: str, named: list[Region]) -> Values:
    paths: dict[Region, list[int]] = {}
    for index, path in enumerate(experiment.call_paths):
        paths.setdefault(path.region, []).append(index)
    amounts = summary(experiment, metric).sums
    shares = np.zeros((len(experiment.call_paths), len(named)))
    for column, region in enumerate(named):
        on = paths.get(region, [])
        whole = float(amounts[on].sum())
        if whole > 0:
            shares[on, column] = amounts[on] / whole
    return inclusive_over(experiment, regions, shares)
