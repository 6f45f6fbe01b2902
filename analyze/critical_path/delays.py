"""Delays: how long ranks wait in one region for work in another, divided among the regions of the call tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...experiment import Experiment, Region
from ...experiment.delay import path_numbers
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
        """Read the delays of an experiment.

        Delays between regions whose call paths are unknown are divided among these by ``wait_time`` and ``delay_time``.
        """
        delays = experiment.notes.delays
        pairs = [(Region.from_descriptor(each.waiting), Region.from_descriptor(each.late)) for each in delays]
        both = [*zip(pairs, delays, strict=True)]
        return cls(
            tuple(pairs),
            np.array([each.seconds for each in delays]),
            np.array([each.by_messages for each in delays]),
            _spread(experiment, regions, "wait_time", [(pair[0], each.waiting_path) for pair, each in both]),
            _spread(experiment, regions, "delay_time", [(pair[1], each.late_path) for pair, each in both]),
        )

    def because_of(self, index: int) -> Values:
        """Return the seconds that ranks waited for work in a region or below it: ``float64[delay]``."""
        return np.asarray(self.seconds * self.late[index])

    def in_region(self, index: int) -> Values:
        """Return the seconds that ranks waited in a region or below it: ``float64[delay]``."""
        return np.asarray(self.seconds * self.waiting[index])


def _spread(
    experiment: Experiment, regions: tuple[CodeRegion, ...], metric: str, named: list[tuple[Region, int]]
) -> Values:
    """Return the share of each region in delays of which a region and the number of its call path are known."""
    paths: dict[Region | int, list[int]] = {}
    for index, (path, number) in enumerate(
        zip(experiment.call_paths, path_numbers(experiment.call_paths), strict=True)
    ):
        paths.setdefault(path.region, []).append(index)
        paths[number] = [index]
    amounts = summary(experiment, metric).sums
    shares = np.zeros((len(experiment.call_paths), len(named)))
    for column, (region, number) in enumerate(named):
        on = paths.get(number) or paths.get(region, [])
        whole = float(amounts[on].sum())
        if whole > 0:
            shares[on, column] = amounts[on] / whole
    return inclusive_over(experiment, regions, shares)
