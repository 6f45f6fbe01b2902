"""Read the places where OpenMP threads wait for each other from a shard."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...experiment import Region
from . import shard_layout as layout
from .shard import PlaceWait
from .shard_header import shard_defect
from .shard_records import Records

__all__ = ["place_waits"]


def place_waits(
    path: Path, data: bytes, records: Records, regions: Sequence[Region], ticks_per_second: float
) -> tuple[PlaceWait, ...]:
    """Return the waits of OpenMP threads in a shard.

    Args:
        path: The shard.
        data: The shard's bytes.
        records: The positions of the shard's records.
        regions: The regions to which nodes refer.
        ticks_per_second: The rate of the shard's clock.

    Raises:
        InputError: A record is damaged.
    """
    offsets, found = records.offsets(layout.WAIT_RECORD), list[PlaceWait]()
    known = set(records.offsets(layout.NODE_RECORD)) if offsets else set[int]()
    for at in offsets:
        (record,) = _record(data, at, layout.WAIT_LAYOUT)
        start, node = at + layout.WAIT_DESCRIPTOR, int(record["node"]) * layout.ALIGNMENT
        if node not in known or record["kind"] >= len(layout.WAIT_KINDS) or start + record["length"] > len(data):
            raise shard_defect(path, f"a record of waiting threads at byte {at}", f"kind {record['kind']}")
        if not record["entries"]:
            continue
        (owner,) = _record(data, node, layout.NODE_LAYOUT)
        region, text = int(owner["region"]), data[start : start + int(record["length"])]
        found.append(
            PlaceWait(
                int(owner["thread"]),
                regions[region] if region < len(regions) else None,
                _place(path, text.decode("utf-8", "surrogateescape")),
                int(record["entries"]),
                int(record["contended"]),
                int(record["waited"]) / ticks_per_second,
                int(record["waited_off"]) / ticks_per_second,
            )
        )
    return tuple(found)


def _place(path: Path, descriptor: str) -> Region:
    try:
        return Region.from_descriptor(descriptor)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _record(data: bytes, at: int, record: np.dtype[np.void]) -> npt.NDArray[np.void]:
    return np.frombuffer(data, record, count=1, offset=at)
