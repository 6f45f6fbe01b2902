"""What the time of each region went into: waiting for late ranks, and what has a cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .attributes import Attribute, attributes_of
from .dissimilarity.differences import Differences
from .measured_waiting import with_measured
from .preparation import Prepared
from .region_seconds import RegionSeconds, region_seconds
from .waiting import Waiting, find_waiting

__all__ = ["Spending", "find_spending"]


@dataclass(frozen=True)
class Spending:
    """What the time of each region went into.

    Attributes:
        waiting: What of each region's time in MPI is waiting for ranks that come late, and for which.
        attributes: What can be a cause, of all ranks.
        seconds: What each of these takes.
    """

    waiting: Waiting
    attributes: Mapping[str, Attribute]
    seconds: RegionSeconds


def find_spending(prepared: Prepared, differences: Differences | None) -> Spending:
    """Tell what the time of each region went into; no waiting for others where it is not known who differs."""
    weighed = prepared.weighed
    waiting = Waiting(np.zeros(len(weighed.regions)))
    if differences:
        found, performance = differences.dissimilarity, differences.performance
        waiting = with_measured(find_waiting(weighed, found, performance, differences.selection), weighed)
    attributes = attributes_of(weighed)
    return Spending(waiting, attributes, region_seconds(weighed, attributes, prepared.weighed_costs, waiting.seconds))
