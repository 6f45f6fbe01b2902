"""What a program without probes did as a whole: its file I/O apart from its own code, as its MPI calls are."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from ...experiment import Region
from .shard import NODE, Shard, ThreadTree

__all__ = ["with_io_apart"]

_IO: Final = Region("io", "file I/O")

# What moves from the base of the tree to the region; wall and CPU time hold those of I/O, too.
_MOVED: Final = ("io_wall", "io_cpu", "io_calls", "io_read", "io_written")


def with_io_apart(shard: Shard) -> Shard:
    """Make what the first thread read and wrote outside of every region a region of its own.

    The probes count bytes and take times where the thread stands: that is the base of its tree, which holds the own
    code of the program, too. MPI calls are regions there already. ::

        (base: own code, file I/O)        (base: own code)
         ├─ MPI_Init                 →     ├─ MPI_Init
         └─ MPI_Bcast                      ├─ MPI_Bcast
                                           └─ file I/O
    """
    first, *others = shard.threads
    base = first.nodes[0]
    if not any(base[name] for name in _MOVED):
        return shard
    nodes = np.append(first.nodes, np.zeros(1, NODE))
    region = nodes[-1]
    region["parent"], region["region"], region["visits"] = 0, len(shard.regions), base["io_calls"]
    region["wall"], region["cpu"] = base["io_wall"], base["io_cpu"]
    for name in _MOVED:
        region[name] = base[name]
        nodes[0][name] = 0
    for name in ("wall", "cpu"):
        nodes[0][name] -= region[name]
    threads: tuple[ThreadTree, ...] = (replace(first, nodes=nodes), *others)
    return replace(shard, regions=(*shard.regions, _IO), threads=threads)
