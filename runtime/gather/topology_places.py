"""Read a process's coordinates in MPI topologies from its shard."""

from __future__ import annotations

import sys
from pathlib import Path

from . import shard_layout as layout
from .shard import Place
from .shard_header import shard_defect
from .shard_records import Records

__all__ = ["topology_places"]


def topology_places(path: Path, data: bytes, records: Records) -> tuple[Place, ...]:
    """Return the process's coordinates in each topology.

    Args:
        path: The shard's file, for messages.
        data: The shard's bytes.
        records: The positions of the shard's records.

    Raises:
        InputError: A record is damaged.
    """
    return tuple(_place(path, data, at) for at in records.offsets(layout.TOPOLOGY_RECORD))


def _place(path: Path, data: bytes, at: int) -> Place:
    size = int.from_bytes(data[at + 2 : at + 4], sys.byteorder) * layout.ALIGNMENT
    kind, members, dimensions = layout.TOPOLOGY_LAYOUT.unpack_from(data, at)
    start, each = at + layout.TOPOLOGY_LAYOUT.size, layout.AXIS_LAYOUT.size
    if kind >= len(layout.TOPOLOGY_KINDS) or dimensions * each > at + size - start:
        raise shard_defect(path, f"a topology at byte {at}", f"kind {kind} with {dimensions} dimensions")
    axes = list(layout.AXIS_LAYOUT.iter_unpack(data[start : start + dimensions * each]))
    if not all(0 <= place < length for length, _, place in axes):
        raise shard_defect(path, f"a place within the topology at byte {at}", axes)
    return Place(
        layout.TOPOLOGY_KINDS[kind],
        members,
        tuple((length, periodic != 0) for length, periodic, _ in axes),
        tuple(place for _, _, place in axes),
    )
