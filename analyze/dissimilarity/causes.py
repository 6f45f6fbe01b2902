"""Why ranks differ, by rough sets (Liu et al. 2011, section 4.4.2, Fig. 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..evidence.decision_table import DecisionTable, Row
from ..run.arrays import Indices
from .clusters import cluster
from .dissimilarity import Dissimilarity
from .work import Difference, Work

__all__ = ["DissimilarityCauses", "find_dissimilarity_causes"]


@dataclass(frozen=True)
class DissimilarityCauses:
    """The causes of differences between ranks, by rough sets.

    Attributes:
        table: One row per rank: its values are the clusters by single attributes, and its decision is the cluster by
            time.
        differences: Root causes over all culprits together, largest relative spread first.
        of_culprit: Culprit → the root causes of the difference in this region alone.
    """

    table: DecisionTable
    differences: tuple[Difference, ...] = ()
    of_culprit: Mapping[int, tuple[Difference, ...]] = field(default_factory=dict)


def find_dissimilarity_causes(found: Dissimilarity, work: Work) -> DissimilarityCauses:
    """Build the decision table of the ranks, reduce it, and read the causes from it.

    An attribute's vectors contain only its values in the culprits, because ranks are alike in other regions, which
    would hide the difference. Without culprits, the vectors contain the regions of depth 1. Unlike in Liu et al. 2011,
    a value is 0 if the attribute's seconds do not differ in the same way as the compared metric. For example, a rank
    that reads less than the other ranks is not late because of reading.

    Args:
        found: The clusters and the culprits.
        work: The ranks' work.
    """
    names = tuple(work.attributes)
    if not found.exists:
        return DissimilarityCauses(DecisionTable(names))
    places = list(found.culprits or work.vectors.top)
    labels = _labels(work, places, found.clusters).tolist()
    rows = (
        Row(name, tuple(values), decision)
        for name, (*values, decision) in zip(work.vectors.labels, labels, strict=True)
    )
    return DissimilarityCauses(
        DecisionTable(names, tuple(rows)),
        _differences(work, places, found.clusters),
        {culprit: _differences(work, [culprit], found.clusters) for culprit in found.culprits},
    )


def _differences(work: Work, places: Sequence[int], clusters: Sequence[Sequence[int]]) -> tuple[Difference, ...]:
    """Return the root causes in the given regions: the attributes that are in at least one reduct."""
    # With return_index, np.unique does not import numpy.ma, which takes as long as the analysis of a small run.
    different = np.unique(_labels(work, places, clusters), axis=0, return_index=True)[0].tolist()
    rows = (Row(number, tuple(values), decision) for number, (*values, decision) in enumerate(different))
    telling = DecisionTable(tuple(work.attributes), tuple(rows)).telling
    return work.differences(places, clusters, telling)


def _labels(work: Work, places: Sequence[int], clusters: Sequence[Sequence[int]]) -> Indices:
    """Return each rank's cluster by each attribute and, last, by the compared metric; ``int[rank, attribute + 1]``."""
    decision = np.zeros(len(work.vectors.ranks), dtype=np.intp)
    for number, each in enumerate(clusters):
        decision[list(each)] = number
    programs = work.vectors.programs
    labels = [cluster(work.attribute_vectors(each, places), groups=programs) for each in work.attributes.values()]
    return np.stack([*labels, decision], axis=1)
