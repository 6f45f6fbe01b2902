"""Find out which values of samples were recorded, and which a policy left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from . import shard_layout as layout
from .node_values import node_values
from .shard import NODE

__all__ = ["EVERYTHING", "are_recorded", "counters_left_out"]

EVERYTHING: Final = 2**64 - 1


def are_recorded(recorded: npt.NDArray[np.uint64], fields: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return whether all values of some fields were recorded in each sample; ``bool[sample]``.

    Args:
        recorded: ``uint64[sample]``, a bit per value of ``TRACE_VALUES``.
        fields: Names of fields of ``NODE``, or of ``SYSTEM_VALUES``.
    """
    values = _behind()
    needed = np.uint64(sum(1 << bit for bit in {bit for field in fields for bit in values[field]}))
    found: npt.NDArray[np.bool_] = (recorded & needed) == needed
    return found


def counters_left_out(left_out: int) -> frozenset[str]:
    """Return the counters whose values are missing in some samples, given one bit per value that a policy left out."""
    values = _behind()
    return frozenset(name for name in layout.COUNTERS if any(left_out >> bit & 1 for bit in values[name]))


@cache
def _behind() -> dict[str, tuple[int, ...]]:
    """Return the indices of the values that make up each field, found by varying the input of ``node_values``."""
    names = [name for name in NODE.names or () if name not in ("parent", "region")]
    places = [*_places()]
    nodes = np.zeros(len(places) + 1, layout.NODE_LAYOUT)
    for name in layout.NODE_VALUES:
        nodes[name] = 2 if name == "wall" else 1
    for row, (name, place) in enumerate(places):
        nodes[name][(row, *place)] += 4
    found = node_values(nodes, 1.0)
    fields = {name: tuple(np.flatnonzero(found[name][:-1] != found[name][-1]).tolist()) for name in names}
    return fields | {name: (len(places) + number,) for number, name in enumerate(layout.SYSTEM_VALUES)}


def _places() -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield field and index of each value of a node, in the order of a sample."""
    for name in layout.NODE_VALUES:
        shape = layout.NODE_LAYOUT[name].shape
        yield from ((name, place) for place in np.ndindex(*shape))
