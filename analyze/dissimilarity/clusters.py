"""Clusters of vectors that are close together: the simplified OPTICS of Liu et al. 2011, Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from ..run.arrays import Indices, Values
from ..run.criteria import THRESHOLD

__all__ = ["Labels", "cluster", "levels", "members", "refined", "severity"]

Labels = Indices

_ROUNDING: Final = 1 + 1e-12  # a distance of exactly the threshold counts as within it
_EXACT_PAIRS: Final = 2000
_LOOK: Final = 1024  # number of vectors searched at a time


def cluster(vectors: Values, *, floor: float = 0.0, groups: Labels | None = None) -> Labels:
    """Label each vector with the number of its cluster (Liu et al. 2011, section 4.2.1, Algorithm 1).

    A vector p without a cluster forms a cluster with all other vectors that have no cluster yet and whose distance from
    p is at most ``THRESHOLD`` times p's length. A cluster may have one member. Liu et al. process the vectors in the
    order of the ranks. Here the shortest vector comes first, so that clusters do not depend on how ranks are numbered.
    Equally long vectors are ordered by the first value in which they differ, smallest first.

    Args:
        vectors: ``float64[location, region]``; not changed.
        floor: A distance within which vectors never differ, in the vectors' unit, such as the clocks' resolution.
        groups: ``int[location]``: only vectors of the same group are compared. If None, all are in one group.

    Returns:
        ``int[location]``, numbered from 0 in the order of their first members.
    """
    if groups is not None and groups.any():
        return _in_order([(columns, cluster(vectors[columns], floor=floor)) for columns in members(groups)])
    lengths = np.linalg.norm(vectors, axis=1)
    order = np.lexsort((*vectors.T[::-1], lengths))
    labels = np.empty(len(vectors), dtype=np.intp)
    labels[order] = _clusters(vectors[order], lengths[order], floor)
    return _renumbered(labels)


def _clusters(vectors: Values, lengths: Values, floor: float) -> Labels:
    """Return the cluster of each vector, ``int[location]``; vectors must be sorted by their lengths."""
    labels = np.full(len(vectors), -1, dtype=np.intp)
    first = number = 0
    while first < len(vectors):
        reach = max(THRESHOLD * lengths[first], floor) * _ROUNDING
        # NaN is not close to anything, and is sorted to the end.
        beyond = max(first + 1, int(np.searchsorted(lengths, lengths[first] + reach, side="right")))
        near = first + np.flatnonzero(labels[first:beyond] < 0)
        near = near[np.linalg.norm(vectors[near] - vectors[first], axis=1) <= reach]
        labels[near if len(near) else first] = number
        number += 1
        first = _unlabelled(labels, first)
    return labels


def _unlabelled(labels: Labels, first: int) -> int:
    """Return the index of the first unlabelled vector at or after ``first``; the number of vectors if there is none."""
    while first < len(labels):
        found = np.flatnonzero(labels[first : first + _LOOK] < 0)
        if len(found):
            return first + int(found[0])
        first += _LOOK
    return len(labels)


def levels(values: Values, *, reach: Callable[[float], float] = lambda _: 0.0) -> Labels:
    """Divide numbers that are known to differ into clusters, by Algorithm 1.

    The smallest number without a cluster forms a cluster with all numbers that exceed it by at most ``THRESHOLD`` times
    its value. This distance is at least ``THRESHOLD`` times the range of all numbers, so that values close to zero are
    alike, and at most half of the range, so that there is more than one cluster.

    Args:
        values: ``float64[location]``.
        reach: A function that maps a number to the distance within which other numbers always count as alike.

    Returns:
        ``int[location]``, numbered from 0, the lowest first.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    apart = float(ordered[-1] - ordered[0])
    starts, first = [], 0
    while first < len(ordered):
        starts.append(first)
        least = float(ordered[first])
        alike = min(max(THRESHOLD * least, THRESHOLD * apart, reach(least)), apart / 2) * _ROUNDING
        first = max(first + 1, int(np.searchsorted(ordered, ordered[first] + alike, side="right")))
    labels = np.empty(len(values), dtype=np.intp)
    labels[order] = np.searchsorted(starts, np.arange(len(values)), side="right") - 1
    return labels


def refined(labels: Labels, others: Labels) -> Labels:
    """Intersect two clusterings, ``int[location]`` each: members share a label if they share a cluster in both.

    Clusters are numbered in the order of their first members.
    """
    return _renumbered(labels * (int(others.max(initial=0)) + 1) + others)


def _renumbered(labels: Labels) -> Labels:
    """Renumber clusters, in the order of their first members."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse.reshape(-1)])


def _in_order(parts: Sequence[tuple[list[int], Labels]]) -> Labels:
    """Combine the clusters of several groups of vectors, and number them in the order of their first members."""
    labels = np.zeros(sum(len(columns) for columns, _ in parts), dtype=np.intp)
    count = 0
    for columns, own in parts:
        labels[columns] = own + count
        count += int(own.max(initial=-1)) + 1
    return _renumbered(labels)


def members(labels: Labels) -> list[list[int]]:
    """Return the positions of the members of each cluster, ascending; ``labels`` are ``int[location]``."""
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order])) + 1
    return [part.tolist() for part in np.split(order, starts)] if len(labels) else []


def severity(vectors: Values) -> float:
    """Return the largest distance between two vectors, ``float64[location, region]``, divided by the largest length.

    The result is 0 if all lengths are 0. Liu et al. 2011 show S in Fig. 9 without a definition; this definition is
    ours. The result is exact if at most 2,000 vectors can belong to the farthest pair. Otherwise, it uses the distance
    from one extreme vector to the vector farthest from it, which is at least half of the largest distance.
    """
    longest = float(np.linalg.norm(vectors, axis=1).max(initial=0.0))
    if longest == 0.0:
        return 0.0
    center = vectors.mean(axis=0)
    radius = np.linalg.norm(vectors - center, axis=1)
    extreme = vectors[radius.argmax()]
    widest = float(np.linalg.norm(vectors - extreme, axis=1).max())
    # A pair can be farther apart than ``widest`` only if the two distances from the centre add up to more than that.
    candidates = vectors[radius >= (widest - radius.max()) * (1 - 1e-12)]
    if len(candidates) <= _EXACT_PAIRS:
        centred = candidates - center
        squares = np.einsum("ij,ij->i", centred, centred)
        pairs = squares[:, None] + squares[None, :] - 2 * centred @ centred.T
        widest = max(widest, float(np.sqrt(max(pairs.max(), 0.0))))
    return widest / longest
