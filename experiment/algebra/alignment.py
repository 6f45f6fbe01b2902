"""Align two sequences in order, with gaps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

__all__ = ["align"]

_T = TypeVar("_T")


def align(
    left: Sequence[_T], right: Sequence[_T], likeness: Callable[[_T, _T], float], *, enough: float
) -> list[tuple[_T | None, _T | None]]:
    """Pair similar elements of two sequences, keeping the order of both, so that the total similarity is maximal.

    This is the dynamic programming of Needleman and Wunsch (1970), in O(len(left) · len(right)).

    Args:
        left: The first sequence.
        right: The second sequence.
        likeness: Returns how similar two elements are, from 0 to 1.
        enough: The similarity that each pair must exceed; it is subtracted from each pair's similarity before these are
            summed.

    Returns:
        The pairs, which contain every element once and in order; an element without a match is paired with None.
    """
    worth = np.array([[likeness(one, other) - enough for other in right] for one in left])
    worth = worth.reshape(len(left), len(right))
    best = np.zeros((len(left) + 1, len(right) + 1))
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            best[i, j] = max(best[i + 1, j], best[i, j + 1], worth[i, j] + best[i + 1, j + 1])
    pairs: list[tuple[_T | None, _T | None]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if worth[i, j] > 0 and best[i, j] == worth[i, j] + best[i + 1, j + 1]:
            pairs.append((left[i], right[j]))
            i, j = i + 1, j + 1
        elif best[i, j] == best[i + 1, j]:
            pairs.append((left[i], None))
            i += 1
        else:
            pairs.append((None, right[j]))
            j += 1
    pairs += [(one, None) for one in left[i:]]
    pairs += [(None, other) for other in right[j:]]
    return pairs
