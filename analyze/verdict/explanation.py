"""The last stage of an analysis: what time went into, why ranks differ and regions weigh, and who waits for whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...experiment import Experiment, Region
from ..critical_path.serialisation import Serialisation, find_serialisation
from ..disparity.causes import DisparityCauses, find_disparity_causes
from ..disparity.weights import Weights
from ..dissimilarity.causes import DissimilarityCauses, find_dissimilarity_causes
from ..dissimilarity.differences import Differences
from ..evidence.attributes import Attribute, attributes_of
from ..evidence.throttled import Throttled, throttled_within
from ..evidence.time_split import TimeSplit, time_split
from ..run.code_regions import CodeRegion
from ..run.criteria import CRITERIA
from ..run.preparation import Prepared
from ..run.summary import summary
from ..waiting.measured_waiting import with_measured
from ..waiting.waiting import Waiting, find_waiting, followed_waiting

__all__ = ["Explanation", "Spending", "explain", "find_spending", "unprobed_callees"]


@dataclass(frozen=True)
class Spending:
    """What the time of each region went into.

    Attributes:
        waiting: What of each region's time in MPI is waiting for ranks that come late, and for which.
        attributes: What can be a cause, of all ranks.
        seconds: What each of these takes.
        serialisation: What the critical path has of each region; None where it is not known.
    """

    waiting: Waiting
    attributes: Mapping[str, Attribute]
    seconds: TimeSplit
    serialisation: Serialisation | None = None


def find_spending(prepared: Prepared, differences: Differences | None) -> Spending:
    """Tell what the time of each region went into; no waiting for others where it is not known who differs."""
    weighed = prepared.weighed
    waiting = Waiting(np.zeros(len(weighed.regions)))
    serialisation = find_serialisation(weighed) if differences else None
    if differences and serialisation:
        waiting = followed_waiting(weighed, differences.dissimilarity.cccr, serialisation)
    elif differences:
        found, performance = differences.dissimilarity, differences.performance
        waiting = find_waiting(weighed, found, performance, differences.selection)
    waiting = with_measured(waiting, weighed)
    attributes = attributes_of(weighed)
    seconds = time_split(weighed, attributes, prepared.weighed_costs, waiting.seconds, serialisation)
    return Spending(waiting, attributes, seconds, serialisation)


def unprobed_callees(experiment: Experiment, regions: Sequence[CodeRegion]) -> dict[int, tuple[str, ...]]:
    """Name the functions without probes that regions call, by position, where a region's own time is critical."""
    callees = {Region.from_descriptor(each): names.split("\n") for each, names in experiment.notes.unprobed.items()}
    if not callees:
        return {}
    times = summary(experiment, "wall_time").sums.tolist()
    own: Counter[Region] = Counter()
    for path, time in zip(experiment.call_paths, times, strict=True):
        own[path.region] += time
    weighing = {each for each in callees if own[each] >= CRITERIA.least_weight * sum(times)}
    found = ((index, experiment.call_paths[each.id].region) for index, each in enumerate(regions))
    return {index: tuple(callees[region]) for index, region in found if region in weighing}


@dataclass(frozen=True)
class Explanation:
    """Why it is so.

    Attributes:
        of_ranks: Why ranks differ.
        of_regions: Why regions weigh.
        waiting: What of each region's time in MPI is waiting for ranks that come late, and for which.
        seconds: What else each region's time went into.
        unprobed: Functions without probes whose time is a region's own.
        throttled: Throttled regions of which as much of that time is as makes a cause.
        serialisation: What the critical path has of each region; None where it is not known.
    """

    of_ranks: DissimilarityCauses
    of_regions: DisparityCauses
    waiting: Waiting
    seconds: TimeSplit
    unprobed: Mapping[int, tuple[str, ...]]
    throttled: Mapping[int, tuple[Throttled, ...]]
    serialisation: Serialisation | None = None


def explain(prepared: Prepared, differences: Differences, weights: Weights, spending: Spending) -> Explanation:
    """Find the causes of what was found."""
    weighed, performance = prepared.weighed, differences.performance
    of_ranks = find_dissimilarity_causes(
        differences.dissimilarity,
        performance,
        _of_ranks(attributes_of(differences.selection), prepared.experiment),
    )
    of_regions = find_disparity_causes(weights.disparity, weighed, spending.attributes, spending.seconds)
    unprobed = unprobed_callees(prepared.experiment, weighed.regions)
    throttled = throttled_within(prepared.experiment, weighed.regions)
    return Explanation(
        of_ranks, of_regions, spending.waiting, spending.seconds, unprobed, throttled, spending.serialisation
    )


def _of_ranks(attributes: Mapping[str, Attribute], experiment: Experiment) -> Mapping[str, Attribute]:
    """Leave out counts where a rank's are not of the work that it did when it was timed."""
    if experiment.notes.counts_by_rank:
        return attributes
    return {name: each for name, each in attributes.items() if name.endswith("_bytes")}
