"""Assemble the communication matrix of a run from the rows of its processes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment.messages import Messages
from .shard import Shard

__all__ = ["MessageSums"]

_PAIR: Final = np.dtype([("sender", "u4"), ("receiver", "u4"), ("messages", "f8"), ("bytes", "f8"), ("waited", "f8")])
_MOST: Final = 1 << 21  # number of entries that are kept before entries of equal pairs are added up
_NANOSECOND: Final = 1e-9


@dataclass
class MessageSums:
    """The messages between pairs of ranks, summed over processes; the size does not grow with the number of ranks.

    Attributes:
        ranks: The number of ranks.
        per_block: The number of ranks in a block; 0 if no process exchanged messages.
        pairs: Arrays of ``_PAIR``, in which a pair of blocks may appear several times.
        entries: The number of entries in all arrays.
    """

    ranks: int = 0
    per_block: int = 0
    pairs: list[npt.NDArray[np.void]] = field(default_factory=list)
    entries: int = 0

    def add(self, shard: Shard) -> None:
        """Add the row of a process, unless it was started by another process of the program."""
        row = shard.row
        if row is None or shard.rank is None or shard.spawned or shard.forked_from:
            return
        if not shard.size or shard.rank >= shard.size:
            return
        own = np.uint32(shard.rank // row.per_block)
        sent = np.zeros(len(row.blocks), _PAIR)
        sent["sender"], sent["receiver"] = own, row.blocks
        sent["messages"], sent["bytes"] = row.traffic["messages"], row.traffic["bytes"]
        received = np.zeros(len(row.blocks), _PAIR)
        received["sender"], received["receiver"], received["waited"] = row.blocks, own, row.traffic["waited"]
        self._append(shard.size, row.per_block, [sent[sent["messages"] > 0], received[received["waited"] > 0]])

    def joined(self, other: MessageSums) -> MessageSums:
        """Return the sums of these processes and others."""
        found = MessageSums(self.ranks, self.per_block, [*self.pairs], self.entries)
        found._append(other.ranks, other.per_block, other.pairs)
        return found

    def matrix(self, *, waits: bool) -> Messages | None:
        """Return the communication matrix; None if there are no messages.

        Args:
            waits: Whether waiting times were recorded, in nanoseconds.
        """
        pairs = _added(self.pairs)
        if not len(pairs):
            return None
        return Messages(
            ranks=self.ranks,
            per_block=self.per_block,
            senders=pairs["sender"].astype(np.int32),
            receivers=pairs["receiver"].astype(np.int32),
            messages=pairs["messages"].copy(),
            bytes=pairs["bytes"].copy(),
            waits=pairs["waited"] * _NANOSECOND if waits else None,
        )

    def _append(self, ranks: int, per_block: int, pairs: list[npt.NDArray[np.void]]) -> None:
        """Add pairs of other processes, except pairs from a smaller MPI_COMM_WORLD, which belong to a different run."""
        if ranks < self.ranks or not pairs:
            return
        if ranks > self.ranks:
            self.ranks, self.per_block, self.pairs, self.entries = ranks, per_block, [], 0
        self.pairs += pairs
        self.entries += sum(map(len, pairs))
        if self.entries > _MOST:
            self.pairs = [_added(self.pairs)]
            self.entries = len(self.pairs[0])


def _added(parts: list[npt.NDArray[np.void]]) -> npt.NDArray[np.void]:
    """Return the pairs sorted by sender and receiver, each pair once, with its values summed."""
    every = np.concatenate([np.zeros(0, _PAIR), *parts])
    keys, where = np.unique(every["sender"].astype(np.int64) << 32 | every["receiver"], return_inverse=True)
    found = np.zeros(len(keys), _PAIR)
    found["sender"], found["receiver"] = keys >> 32, keys & 0xFFFFFFFF
    for name in ("messages", "bytes", "waited"):
        found[name] = np.bincount(where.ravel(), every[name], len(keys))
    return found
