"""The last stage of an analysis: why ranks differ, why regions weigh, and who waits for whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..experiment import Experiment
from .attributes import Attribute, attributes_of
from .disparity.causes import DisparityCauses, find_disparity_causes
from .disparity.weights import Weights
from .dissimilarity.causes import DissimilarityCauses, find_dissimilarity_causes
from .dissimilarity.differences import Differences
from .preparation import Prepared
from .region_seconds import RegionSeconds
from .spending import Spending
from .unprobed import unprobed_callees
from .waiting import Waiting

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class Explanation:
    """Why it is so.

    Attributes:
        of_ranks: Why ranks differ.
        of_regions: Why regions weigh.
        waiting: What of each region's time in MPI is waiting for ranks that come late, and for which.
        seconds: What else each region's time went into.
        unprobed: Functions without probes whose time is a region's own.
    """

    of_ranks: DissimilarityCauses
    of_regions: DisparityCauses
    waiting: Waiting
    seconds: RegionSeconds
    unprobed: Mapping[int, tuple[str, ...]]


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
    return Explanation(of_ranks, of_regions, spending.waiting, spending.seconds, unprobed)


def _of_ranks(attributes: Mapping[str, Attribute], experiment: Experiment) -> Mapping[str, Attribute]:
    """Leave out counts where a rank's are not of the work that it did when it was timed."""
    if experiment.notes.counts_by_rank:
        return attributes
    return {name: each for name, each in attributes.items() if name.endswith("_bytes")}
