"""Read the samples of one process's threads from its shard."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Region
from . import shard_layout as layout
from .sample_sums import CodePlace, Covered, Samples
from .sampled_nodes import is_probed
from .shard_header import MOST, shard_defect
from .shard_records import Records

__all__ = ["samples_of"]

_SHARE_BITS: Final = 56  # the same as in runtime/probe/sample.c
_HEAD: Final = layout.SAMPLES_LAYOUT.itemsize
_PER_LINE: Final = layout.ALIGNMENT // 4
_REGION_WORD: Final = 3  # index of the region's number among the words of a node


def samples_of(
    path: Path,
    data: bytes,
    records: Records,
    regions: Sequence[Region],
    executable: str,
    *,
    owned: Sequence[npt.NDArray[np.intp] | slice],
) -> Samples | None:
    """Return the samples in a shard; None if sampling was not requested.

    Args:
        path: The shard.
        data: The shard's bytes.
        records: The positions of the shard's records.
        regions: The regions to which nodes refer.
        executable: The process's program.
        owned: For each thread, which of all nodes are its own.

    Raises:
        InputError: A record is damaged.
    """
    offsets = records.offsets(layout.SAMPLES_RECORD)
    if not offsets:
        return None
    objects = _Objects(path, data, records, executable)
    words = np.frombuffer(data, "u4", count=len(data) // 4)
    nodes = records.first[layout.NODE_RECORD]
    states, places = Counter[str](), Counter[tuple[Region | None, CodePlace | None]]()
    by_node: dict[tuple[int, int], Counter[CodePlace | None]] = {}
    owners = _owners(owned, len(nodes)) if not any(map(is_probed, regions)) else None
    total: Counter[str] = Counter()
    by_thread: dict[int, Covered] = {}
    period = 0
    for at in offsets:
        head = np.frombuffer(data, layout.SAMPLES_LAYOUT, count=1, offset=at)[0]
        room = int(head["room"])
        end = at + _HEAD + room * layout.SAMPLE_COUNT_LAYOUT.itemsize
        if end > len(data) or head["state"] >= len(layout.SAMPLING_STATES) or not 0 < head["period"] < MOST:
            raise shard_defect(path, f"samples at byte {at}", f"{room} entries, state {head['state']}")
        period = int(head["period"])
        states[layout.SAMPLING_STATES[head["state"]]] += 1
        thread, seen, lost = int(head["thread"]), int(head["periods"]), int(head["lost"])
        before = by_thread.get(thread, Covered(0.0, 0.0, goes_on=True))
        by_thread[thread] = Covered(
            before.seconds + max(seen - lost, 0) * period * 1e-9,
            before.lost + lost * period * 1e-9,
            before.goes_on and layout.SAMPLING_STATES[head["state"]] == "on",
        )
        total.update({name: int(head[name]) for name in ("signals", "periods", "crowded", "lost")})
        counts = np.frombuffer(data, layout.SAMPLE_COUNT_LAYOUT, count=room, offset=at + _HEAD)
        counts = counts[(counts["node"] > 0) & (counts["periods"] > 0) & (counts["place"] >> _SHARE_BITS == 0)]
        counts = counts[np.isin(counts["node"], nodes)]  # a running program may have made more nodes in the meantime
        numbers = words[counts["node"].astype(np.intp) * _PER_LINE + _REGION_WORD].tolist()
        found = np.searchsorted(nodes, counts["node"]).tolist()
        for number, address, periods, node in zip(
            numbers, counts["place"].tolist(), counts["periods"].tolist(), found, strict=True
        ):
            region = regions[number] if number < len(regions) else None
            place = objects.place(address) if address else None
            places[region, place] += periods
            if owners:
                by_node.setdefault(owners[node], Counter())[place] += periods
    seconds = period * 1e-9
    signals, periods, crowded, lost = (total[name] for name in ("signals", "periods", "crowded", "lost"))
    return Samples(signals, periods * seconds, seconds, states, crowded, lost, places, by_node, by_thread)


def _owners(owned: Sequence[npt.NDArray[np.intp] | slice], nodes: int) -> list[tuple[int, int]]:
    """Return the thread of each node, and its index among the thread's nodes."""
    found = [(0, 0)] * nodes
    for thread, own in enumerate(owned):
        for index, node in enumerate(np.arange(nodes)[own].tolist()):
            found[node] = thread, index
    return found


class _Objects:
    """Finds the program or library at an address, unless two libraries were loaded there one after the other."""

    def __init__(self, path: Path, data: bytes, records: Records, executable: str) -> None:
        found: list[tuple[int, int, int, str]] = []
        for at in records.offsets(layout.MAPPING_RECORD):
            length, start, end, bias = layout.MAPPING_LAYOUT.unpack_from(data, at)
            name = data[at + layout.MAPPING_LAYOUT.size :][:length]
            if len(name) < length or start >= end:
                raise shard_defect(path, f"an object at byte {at}", f"{start:#x} to {end:#x}")
            found.append((start, end, bias, os.fsdecode(name) or executable))
        self._starts, self._ends = (np.array([each[edge] for each in found], dtype=np.uint64) for edge in (0, 1))
        self._found = found

    def place(self, address: int) -> CodePlace:
        """Return the object's file, and the address in this file as it was linked; empty and 0 if unknown."""
        at = np.uint64(address)
        around = np.flatnonzero((self._starts <= at) & (at < self._ends))
        if len(around) != 1:
            return "", 0
        _, _, bias, name = self._found[around[0]]
        return name, address - bias
