"""Drop doubtful differences between ranks that cost nothing on the critical path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..critical_path.serialisation import Serialisation
from ..run.code_regions import CodeRegion, as_compared
from .differences import Differences
from .dissimilarity import find_dissimilarity

__all__ = ["without_what_costs_nothing"]


def without_what_costs_nothing(
    differences: Differences, serialisation: Serialisation | None, weighed: Sequence[CodeRegion]
) -> Differences:
    """Return the differences; none if chance may have made them, and an even share would not shorten the path.

    A rank that another program disturbs in one region is late there, but the path shows it only if the others wait for
    this rank. If sharing all named regions evenly saves less than what matters (``Differences.floor``), nobody did.

    Args:
        differences: How the ranks differ.
        serialisation: What the path has of each region; None where it is not known.
        weighed: The regions that are weighed, at the same positions.
    """
    dissimilarity, vectors = differences.dissimilarity, differences.vectors
    by_time = vectors.metric == "compute_time" and len(vectors.groups) == 1
    if serialisation is None or not dissimilarity.exists or not by_time or differences.selection.is_part:
        return differences
    regions = list(dissimilarity.culprits or vectors.top)
    mean = float(vectors.values[regions].mean(axis=1).sum())
    on_path = (as_compared(serialisation.on_path, weighed, vectors.regions, each) for each in regions)
    saved = sum(on_path) - mean
    if saved >= differences.floor or not differences.may_be_chance(regions):
        return differences
    return replace(differences, dissimilarity=find_dissimilarity(vectors, floor=float("inf")))
