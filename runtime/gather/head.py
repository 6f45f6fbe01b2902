"""The head of a process, known to others while its values stay where they were read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...experiment import Region
from .shard import Shard

__all__ = ["Head", "Shape", "Throttled"]


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The call paths of a process in the experiment: what decides where its nodes belong.

    Attributes:
        key: Equal if the rest is.
        program: The region at the root.
        regions: Those of its nodes.
        trees: Of each thread, for each node the parent and the region, -1 for the base of a tree.
    """

    key: bytes
    program: Region
    regions: tuple[Region, ...]
    trees: tuple[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Throttled:
    """A node whose time went to its parent at some time, or one right below it.

    Attributes:
        node: Its number in its thread.
        region: What was entered.
        visits: How often.
        timed: Of how many of these the time is known.
        seconds: How long those took.
        again: Whether the node was timed again in the end.
    """

    node: int
    region: Region
    visits: int
    timed: int
    seconds: float
    again: bool


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """A process without values.

    Attributes:
        shard: Without a form, and without nodes.
        program_time: Seconds between the return of MPI_Init and the call of MPI_Finalize.
        has_probes: Whether it entered regions of its own, not only calls of MPI.
        seen_in: Where the first thread was last seen.
        throttled: Of each thread.
    """

    shard: Shard
    program_time: float
    has_probes: bool
    seen_in: str
    throttled: tuple[tuple[Throttled, ...], ...]

    @property
    def columns(self) -> list[int]:
        """The threads that recorded something, and the first one in any case."""
        return [tree.index for tree in self.shard.threads if tree.taken or not tree.index] or [0]
