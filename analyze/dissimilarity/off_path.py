"""Drop differences between ranks that are uncertain and cost nothing on the critical path."""

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
    """Return the given differences, or none if they may be due to chance and balancing would not shorten the path.

    If another program disturbs a rank in one region, this rank is late there, but the critical path becomes longer only
    if other ranks wait for this rank. So uncertain differences are dropped if balancing all named regions would save
    less than ``Differences.floor``.

    Args:
        differences: How the ranks differ.
        serialisation: Each region's contribution to the path; None if it is unknown.
        weighed: The regions of ``serialisation``; they have the same positions as the compared regions.
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
