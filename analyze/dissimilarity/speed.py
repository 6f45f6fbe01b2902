"""Detect ranks that are slower almost everywhere, by a different factor in each region: the sign of a slower core.

Two virtual cores often share one physical core. A rank that shares a physical core takes up to twice as long in code
that keeps the core busy, but hardly longer in code that waits for memory or for its own results.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..run.arrays import Flags, Indices, ratio
from ..run.code_regions import descendants
from ..run.costs import MOSTLY
from ..run.criteria import CRITERIA, THRESHOLD
from .rank_vectors import RankVectors

__all__ = ["are_as_fast_elsewhere", "are_slower_elsewhere"]


def are_slower_elsewhere(vectors: RankVectors, regions: Sequence[int]) -> bool:
    """Return whether the ranks that are slower in the given regions are slower in most others, by different factors.

    If they were slower by the same factor everywhere, all work would be unevenly distributed.

    Args:
        vectors: The vectors.
        regions: Positions of regions, none of which is inside another.
    """
    slow = _slower(vectors, regions)
    if not slow.any() or slow.all():
        return False
    inclusive = np.stack([vectors.values[:, each].mean(axis=1) for each in (slow, ~slow)])
    whole, here = (inclusive[:, list(each)].sum(axis=1) for each in (vectors.top, regions))
    if not (whole[1] > here[1] > 0):
        return False
    longer, elsewhere, at_all = (float(slower / faster - 1) for slower, faster in (here, whole - here, whole))
    own = inclusive - np.stack([inclusive[:, list(each.children)].sum(axis=1) for each in vectors.regions], axis=1)
    others = ~_within(vectors, regions)
    slower, faster = own
    as_slow = others & (slower > (1 + CRITERIA.same_work) * faster)
    by_one_factor = faster * (1 + at_all)
    apart = np.divide((slower - by_one_factor) ** 2, faster, out=np.zeros_like(faster), where=faster > 0)
    varying = float(np.sqrt(apart.sum() / whole[1]))
    return bool(
        own[:, as_slow].sum() >= MOSTLY * own[:, others].sum()
        and elsewhere >= THRESHOLD * longer
        and varying >= CRITERIA.part * at_all
    )


def are_as_fast_elsewhere(vectors: RankVectors, region: int, columns: Indices) -> bool:
    """Return whether the ranks that are slower in the given region take hardly more time per instruction elsewhere.

    Elsewhere, the relative difference must be less than a tenth of the difference in the region.

    Args:
        vectors: Compute times of ranks whose instructions were counted.
        region: Position of the region.
        columns: Ranks of one program that execute the same number of instructions in this region, but take different
            times.

    Returns:
        Also False if the other regions take less than a tenth of the given region's time, which is too little to show
        a rank's speed.
    """
    here = vectors.values[region][columns]
    slow = here > (here.min() + here.max()) / 2
    everywhere = range(len(vectors.regions))
    both = [vectors.measured(everywhere), vectors.selection.rows("instructions", everywhere)]
    inclusive = np.nan_to_num(both)[..., columns]
    own = inclusive - np.stack([inclusive[:, list(each.children)].sum(axis=1) for each in vectors.regions], axis=1)
    took, executed = own[:, ~_within(vectors, [region])]
    expected = ratio(took[:, ~slow].sum(axis=1), executed[:, ~slow].sum(axis=1)) @ executed[:, slow].sum(axis=1)
    longer, elsewhere = here[slow].mean() / here[~slow].mean() - 1, ratio(took[:, slow].sum(), expected) - 1
    return bool(expected >= THRESHOLD * slow.sum() * here[~slow].mean() and elsewhere < THRESHOLD * longer)


def _slower(vectors: RankVectors, regions: Sequence[int]) -> Flags:
    """Return which ranks take longer than the midpoint of their program's shortest and longest time: ``bool[rank]``."""
    times = vectors.values[list(regions)].sum(axis=0)
    slower = np.zeros(len(times), dtype=bool)
    for each in vectors.groups:
        slower[each] = times[each] > (times[each].min() + times[each].max()) / 2
    return slower


def _within(vectors: RankVectors, regions: Sequence[int]) -> Flags:
    found = np.zeros(len(vectors.regions), dtype=bool)
    for each in regions:
        found[[each, *descendants(vectors.regions, each)]] = True
    return found
