"""Algorithm 1 of paper 001 as printed: the simplified OPTICS, which takes the vectors by their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from ..arrays import Indices, Values

__all__ = ["are_clusters", "cluster"]

Labels = Indices

_THRESHOLD: Final = 0.1  # line 7: 10 % of the length of the vector
_ROUNDING: Final = 1 + 1e-12  # a distance of exactly the threshold is within it


def cluster(vectors: Values, programs: Labels | None = None) -> Labels:
    """Label each vector with the number of its cluster.

    The first vector p without a cluster, and every other one without whose distance from p is at most a tenth of
    the length of p, form one. The paper has "less", which would part vectors of length 0; and a ``count_threshold``
    without a value, which is 0: one vector is a cluster, as in its Fig. 9.

    Args:
        vectors: ``float64[location, region]``; not changed.
        programs: ``int[location]``: only vectors of the same program are compared. All are of one if it is None.

    Returns:
        ``int[location]``, numbered from 0 in the order of their first members.
    """
    labels = np.full(len(vectors), -1, dtype=np.intp)
    for number, near in enumerate(_clusters(vectors, labels, programs)):
        labels[near] = number
    return labels


def are_clusters(labels: Labels, vectors: Values, programs: Labels | None = None) -> bool:
    """Tell whether ``cluster`` would label the vectors so; that they are not is often told by the first cluster."""
    sizes = np.bincount(labels)
    found = np.full(len(vectors), -1, dtype=np.intp)
    for number, near in enumerate(_clusters(vectors, found, programs)):
        if number >= len(sizes) or len(near) != sizes[number] or (labels[near] != number).any():
            return False
        found[near] = number
    return True


def _clusters(vectors: Values, labels: Labels, programs: Labels | None) -> Iterator[Indices]:
    """Give the members of each cluster in turn, among the vectors whose label is below 0 by then.

    Only vectors about as long as p are compared with it: a million in a few clusters take seconds.
    """
    lengths = np.linalg.norm(vectors, axis=1)
    order = np.argsort(lengths, kind="stable")
    in_order = lengths[order]
    for first in range(len(vectors)):
        if labels[first] >= 0:
            continue
        reach = _THRESHOLD * lengths[first] * _ROUNDING
        low = np.searchsorted(in_order, lengths[first] - reach, side="left")
        high = np.searchsorted(in_order, lengths[first] + reach, side="right")
        near = order[low:high]
        near = near[labels[near] < 0]
        if programs is not None:
            near = near[programs[near] == programs[first]]
        near = near[np.linalg.norm(vectors[near] - vectors[first], axis=1) <= reach]
        yield near if len(near) else np.array([first])  # what is no number is near to nothing
