"""Read a process's row of the communication matrix from its shard."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...experiment.messages import MOST_BLOCKS
from . import shard_layout as layout
from .shard import MessageRow
from .shard_header import MOST, shard_defect
from .shard_records import Records

__all__ = ["row_of"]


def row_of(path: Path, data: bytes, records: Records, size: int | None) -> MessageRow | None:
    """Return the row in a shard; None if the process exchanged no messages with ranks of its MPI_COMM_WORLD.

    Args:
        path: The shard.
        data: The shard's bytes.
        records: The positions of the shard's records.
        size: The number of ranks.

    Raises:
        InputError: The record is damaged.
    """
    for at in records.offsets(layout.MESSAGES_RECORD):
        per_block, count = layout.MESSAGES_LAYOUT.unpack_from(data, at)
        start = at + layout.MESSAGES_LAYOUT.size
        damaged = not per_block or start + count * layout.TRAFFIC_LAYOUT.itemsize > len(data)
        if damaged or (size and (per_block != -(-size // MOST_BLOCKS) or count != -(-size // per_block))):
            raise shard_defect(path, f"a row of messages for {size} ranks at byte {at}", f"{count} blocks")
        every = np.frombuffer(data, layout.TRAFFIC_LAYOUT, count=count, offset=start)
        waited = every["waited"]
        strange = (every["messages"] > MOST) | (every["bytes"] > 1 << 62) | ~((waited >= 0) & (waited < np.inf))
        if strange.any():
            raise shard_defect(path, f"valid numbers of messages at byte {at}", every[np.argmax(strange)])
        blocks = np.flatnonzero((every["messages"] > 0) | (waited > 0))
        return MessageRow(per_block, blocks, every[blocks])
    return None
