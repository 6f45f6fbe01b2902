"""Convert the contents of a shard's nodes to metric values, with times in seconds."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from . import shard_layout as layout
from .shard import NODE

__all__ = ["node_values"]

_FIRST_KIND: Final = list(NODE.names or ()).index(f"mpi_{layout.MPI_KINDS[0]}")
_FIRST_COUNTER: Final = list(NODE.names or ()).index(layout.COUNTERS[0])


def node_values(raw: npt.NDArray[np.void], ticks_per_second: float) -> npt.NDArray[np.void]:
    """Convert nodes from ``NODE_LAYOUT[node]`` to ``NODE[node]``, and limit each value to its valid range.

    Clocks jitter, so a sum that must lie between 0 and the wall time may be outside by nanoseconds.
    """
    nodes = np.zeros(len(raw), NODE)
    numbers, times = (nodes.view(kind).reshape(len(nodes), NODE.itemsize // 8) for kind in ("i8", "f8"))
    for name in ("visits", "io_calls", *layout.NODE_COUNTS):
        nodes[name] = raw[name]
    numbers[:, _FIRST_COUNTER:] = raw["counters"].view("i8")
    walls = np.maximum(np.ascontiguousarray(raw["wall"].T), 0) / ticks_per_second
    before = len(layout.SHARES) - 1
    times[:, _FIRST_KIND : _FIRST_KIND + len(layout.MPI_KINDS)] = walls[before:].T
    wall = np.concatenate([walls[:before], walls[before:].sum(axis=0, keepdims=True)])
    cpu = np.minimum(np.maximum(wall - np.ascontiguousarray(raw["off"].T) / ticks_per_second, 0), wall)
    nodes["wall"], nodes["cpu"] = wall.sum(axis=0), cpu.sum(axis=0)
    for place, share in enumerate(layout.SHARES[1:], start=1):
        nodes[f"{share}_wall"], nodes[f"{share}_cpu"] = wall[place], cpu[place]
    return nodes
