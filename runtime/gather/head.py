"""The head of a shard: the data that all gathering processes need; values stay in the process that has read them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...experiment import Region
from .sampled_nodes import Spread
from .shard import Shard

__all__ = ["Head", "Shape", "Throttled"]


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The call paths of a process, which determine where its nodes belong in the experiment.

    Attributes:
        key: Equal for two shapes if all other attributes are equal.
        program: The region at the root.
        regions: The regions of its nodes.
        trees: For each thread, the parent and the region of each node; -1 for the base of a tree.
    """

    key: bytes
    program: Region
    regions: tuple[Region, ...]
    trees: tuple[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Throttled:
    """A node whose time was attributed to its parent at some time, or a node directly below such a node.

    Attributes:
        node: The index of the node in its thread.
        region: The region of the node.
        visits: The number of visits.
        timed: The number of visits whose time is known.
        seconds: The time of the timed visits.
        again: Whether the node was timed again at the end.
    """

    node: int
    region: Region
    visits: int
    timed: int
    seconds: float
    again: bool


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """The data about a process that all gathering processes need: everything but the values of its nodes.

    Attributes:
        shard: The shard without its form and nodes.
        program_time: Seconds between the return of MPI_Init and the call of MPI_Finalize.
        has_probes: Whether the process entered regions other than MPI calls.
        has_regions: Whether the process entered any region; if not, it was recorded only because of samples.
        seen_in: The region in which the first thread was last seen.
        throttled: Throttled nodes of each thread.
        entries: The number of entries of all regions.
        spread: The nodes that samples added, as ``with_sampled_nodes`` returns them.
        columns: The indices of the threads that recorded something, always including the first thread.
    """

    shard: Shard
    program_time: float
    has_probes: bool
    has_regions: bool
    seen_in: str
    throttled: tuple[tuple[Throttled, ...], ...]
    entries: int
    spread: Spread
    columns: tuple[int, ...]
