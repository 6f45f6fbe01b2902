"""The attributes of paper 001 (section 4.4.2) of every region: rates and amounts as they are, however small."""

from __future__ import annotations

import numpy as np

from ..arrays import Values
from ..attributes import ATTRIBUTES
from ..selection import Selection, over_ranks

__all__ = ["attribute_means", "attribute_vectors"]


def attribute_vectors(ranks: Selection, name: str) -> Values:
    """Give one of ``ATTRIBUTES`` of each rank and region; ``float64[rank, region]``."""
    return np.concatenate([*over_ranks(ranks, _of_block, name)])


def attribute_means(ranks: Selection, name: str) -> Values:
    """Give the mean over the ranks of each region's rate or amount; ``float64[region]``."""
    return np.asarray(np.sum([*over_ranks(ranks, _sums, name)], axis=0) / len(ranks.ranks))


def _of_block(ranks: Selection, name: str) -> Values:
    counted, accesses = ATTRIBUTES[name]
    amount = ranks.by_rank(ranks.experiment.exclusive(counted))
    if accesses:
        base = ranks.by_rank(ranks.experiment.exclusive(accesses))
        amount = np.divide(amount, base, out=np.zeros_like(amount), where=base > 0)
    return np.asarray(amount.T)


def _sums(ranks: Selection, name: str) -> Values:
    return np.asarray(_of_block(ranks, name).sum(axis=0))
