"""Store the values of many threads' nodes; fields of a thread that are zero everywhere are not stored."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment.metric import UNTIMED_VISITS
from .shard import NODE
from .spill import Spill

__all__ = ["ValueStore"]

_FIELDS: Final = (*(NODE.names or ())[2:], UNTIMED_VISITS.name)
_BIT: Final = {name: bit for bit, name in enumerate(_FIELDS)}
_WHOLE: Final = np.array([NODE[name].kind == "i" for name in _FIELDS[:-1]])


class ValueStore:
    """Stores the recorded values of threads, field by field."""

    def __init__(self) -> None:
        self._spill = Spill()
        self._places: list[int] = []
        self._fields: list[int] = []  # for each thread, one bit per stored field

    def take(self, nodes: npt.NDArray[np.void], untimed: npt.NDArray[np.float64] | None) -> int:
        """Store a thread's nodes, and return the index under which they are stored.

        Args:
            nodes: ``NODE[node]``.
            untimed: The number of untimed visits of each node; None if all visits were timed.

        Raises:
            InputError: The folder of temporary files is full.
        """
        rows = nodes.view("i8").reshape(len(nodes), NODE.itemsize // 8)[:, 2:].T
        there = rows.any(axis=1)
        values = np.ascontiguousarray(rows[there]).view("f8")
        whole = _WHOLE[there]
        values[whole] = values[whole].view("i8")
        self._fields.append(sum(1 << bit for bit in np.flatnonzero(there).tolist()))
        self._places.append(self._spill.take(values))
        if untimed is not None:
            self._spill.take(untimed)
            self._fields[-1] |= 1 << _BIT[UNTIMED_VISITS.name]
        return len(self._places) - 1

    def fields(self, numbers: Sequence[int]) -> set[str]:
        """Return the fields that are stored for at least one of the threads."""
        there = reduce(or_, (self._fields[number] for number in numbers), 0)
        return {name for name, bit in _BIT.items() if there >> bit & 1}

    def values(self, numbers: Sequence[int], nodes: int, field: str) -> npt.NDArray[np.float64]:
        """Return a field of threads with equal numbers of nodes, ``float64[thread, node]``."""
        bit = 1 << _BIT[field]
        found = np.zeros((len(numbers), nodes))
        for row, number in enumerate(numbers):
            fields = self._fields[number]
            if fields & bit:
                start = self._places[number] + nodes * (fields & (bit - 1)).bit_count()
                found[row] = self._spill.part(start, nodes)
        return found
