"""The bytes of a shard → what they say; whatever is broken in them becomes one line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...experiment.file_use import FileUse
from ...experiment.region import Region
from . import shard_layout as layout
from .shard import NODE, Place, Shard, ThreadTree, Tracing

__all__ = ["node_values", "read_shard", "used_bytes", "used_part"]

_MOST: Final = 1 << 48  # what is counted can be no more: a nanosecond each, for three days
_MOST_RANKS: Final = 1 << 24  # no machine has as many processors


def read_shard(path: Path) -> Shard:
    """Read a shard, of a process that ended, was killed or still runs.

    Raises:
        InputError: The file cannot be read, is no shard, one of another version, or damaged.
    """
    try:
        data = used_part(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    return _Reader(path, data).shard()


def used_part(path: Path) -> bytes:
    """Give the bytes of a shard that are in use: the rest is large, and empty."""
    with path.open("rb") as stream:
        used = used_bytes(stream)
        stream.seek(0)
        return stream.read(used)


def used_bytes(stream: BinaryIO) -> int:
    """Tell how many bytes of a shard are in use; its header is read."""
    size = os.fstat(stream.fileno()).st_size
    data = stream.read(layout.HEADER_LAYOUT.itemsize)
    if len(data) < layout.HEADER_LAYOUT.itemsize:
        return size
    return max(len(data), min(int(np.frombuffer(data, layout.HEADER_LAYOUT)["used"][0]), size))


class _Reader:
    """The bytes of one file, and the defects that are found in them."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self.data = data
        self.header = self._header()
        self.used = int(self.header["used"])
        self.ticks_per_second = _rate(self.header)
        self.throttled: dict[int, int] = {}
        self.timed_again: frozenset[int] = frozenset()

    def defect(self, expected: str, found: object) -> InputError:
        return InputError(f"{self.path}: expected a shard with {expected}, found {found}")

    def _header(self) -> np.void:
        size = layout.HEADER_LAYOUT.itemsize
        if len(self.data) < len(layout.MAGIC) or not self.data.startswith(layout.MAGIC):
            found = repr(self.data[: len(layout.MAGIC)]) if self.data else "an empty file"
            raise self.defect(f"{layout.MAGIC!r} at its start", found)
        if len(self.data) < size:
            raise self.defect(f"a header of {size} bytes", len(self.data))
        header: np.void = np.frombuffer(self.data, layout.HEADER_LAYOUT, count=1)[0]
        if header["byte_order"] != layout.BYTE_ORDER:
            raise self.defect("this machine's byte order", f"{int(header['byte_order']):#010x}")
        if header["version"] != layout.VERSION:
            raise self.defect(f"version {layout.VERSION}", f"version {header['version']}")
        found_sizes = [int(header[name]) for name in ("header_size", "thread_size", "node_size")]
        sizes = [size, layout.THREAD_LAYOUT.itemsize, layout.NODE_LAYOUT.itemsize]
        if found_sizes != sizes:
            raise self.defect(f"records of {sizes} bytes", found_sizes)
        if not size <= header["used"] <= len(self.data):
            raise self.defect(f"{header['used']} bytes in use", f"{len(self.data)} bytes")
        if not 1e3 < header["ticks_per_second"] < 1e12:
            raise self.defect("a clock rate between 1e3 and 1e12 ticks per second", header["ticks_per_second"])
        return header

    def records(self) -> Iterator[tuple[int, int, int]]:
        """Yield each record's type, offset and size."""
        words = np.frombuffer(self.data, "u2", count=self.used // layout.ALIGNMENT * layout.ALIGNMENT // 2)
        heads = words.reshape(-1, layout.ALIGNMENT // 2)[:, :2].tolist()
        at = layout.HEADER_LAYOUT.itemsize
        while at < self.used:
            kind, lines = heads[at // layout.ALIGNMENT] if at + layout.ALIGNMENT <= self.used else (0, 0)
            size = lines * layout.ALIGNMENT
            if not size or at + size > self.used:
                raise self.defect(f"a whole record at byte {at}", f"a size of {size}")
            yield kind, at, size
            at += size

    def shard(self) -> Shard:
        kinds = (layout.REGION_RECORD, layout.THREAD_RECORD, layout.NODE_RECORD, layout.THROTTLE_RECORD)
        offsets: dict[int, list[int]] = {kind: [] for kind in kinds}
        files = []
        places = []
        for kind, at, size in self.records():
            if kind == layout.FILE_RECORD:
                files.append(self._file(at, size))
            elif kind == layout.TOPOLOGY_RECORD:
                places.append(self._place(at, size))
            elif kind == layout.CHUNK_RECORD:
                pass  # which samples.py reads
            elif kind not in offsets:
                raise self.defect(f"a known record at byte {at}", f"type {kind}")
            else:
                offsets[kind].append(at)
        regions = tuple(self._region(number, at) for number, at in enumerate(offsets[layout.REGION_RECORD]))
        self._read_throttled(offsets[layout.THROTTLE_RECORD], offsets[layout.NODE_RECORD])
        threads = self._threads(offsets[layout.THREAD_RECORD], offsets[layout.NODE_RECORD], len(regions))
        return self._describe(regions, threads, tuple(files), tuple(places))

    def _file(self, at: int, size: int) -> FileUse:
        length, calls, read, written, ticks = layout.FILE_LAYOUT.unpack_from(self.data, at)
        start = at + layout.FILE_LAYOUT.size
        if start + length > at + size:
            raise self.defect(f"a file at byte {at}", "a name that is too long")
        name = self.data[start : start + length].decode("utf-8", "replace")
        return FileUse(name, 1, calls, read, written, ticks / self.ticks_per_second)

    def _place(self, at: int, size: int) -> Place:
        kind, members, dimensions = layout.TOPOLOGY_LAYOUT.unpack_from(self.data, at)
        start, each = at + layout.TOPOLOGY_LAYOUT.size, layout.AXIS_LAYOUT.size
        if kind >= len(layout.TOPOLOGY_KINDS) or dimensions * each > at + size - start:
            raise self.defect(f"a topology at byte {at}", f"kind {kind} with {dimensions} dimensions")
        axes = list(layout.AXIS_LAYOUT.iter_unpack(self.data[start : start + dimensions * each]))
        if not all(0 <= place < length for length, _, place in axes):
            raise self.defect(f"a place within the topology at byte {at}", axes)
        return Place(
            layout.TOPOLOGY_KINDS[kind],
            members,
            tuple((length, periodic != 0) for length, periodic, _ in axes),
            tuple(place for _, _, place in axes),
        )

    def _region(self, number: int, at: int) -> Region:
        identifier, length = layout.REGION_LAYOUT.unpack_from(self.data, at)
        start = at + layout.REGION_LAYOUT.size
        if identifier != number or start + length > self.used:
            raise self.defect(f"region {number} at byte {at}", f"region {identifier} of {length} bytes")
        try:
            return _region_of(self.data[start : start + length])
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from error

    def _read_throttled(self, offsets: list[int], node_offsets: list[int]) -> None:
        """Learn where throttled nodes stand in the file, how many visits were timed, and which are timed again."""
        if not offsets:
            return
        found = self._take(offsets, layout.THROTTLE_LAYOUT)
        places = (found["node"].astype(np.int64) * layout.ALIGNMENT).tolist()
        strange = set(places).difference(node_offsets)
        if strange:
            raise self.defect("throttled nodes", f"none at byte {min(strange)}")
        nodes = self._take(places, layout.NODE_LAYOUT)
        for place, record, node in zip(places, found, nodes, strict=True):
            visits, again, most = (int(each) for each in (record["visits"], record["again"], node["visits"]))
            if node["region"] == layout.NO_REGION:
                raise self.defect("throttled regions", f"a base at byte {place}")
            strange_number = next((each for each in (visits, again) if each > most), None)
            if strange_number is not None:
                raise self.defect(f"at most the {most} visits of the throttled node at byte {place}", strange_number)
            self.throttled[place] = min(visits + (most - again if again else 0), most)
        self.timed_again = frozenset(place for place, again in zip(places, found["again"], strict=True) if again)

    def _take(self, offsets: list[int], record: np.dtype[Any]) -> npt.NDArray[np.void]:
        """Gather records of one type; ``offsets`` are multiples of the alignment."""
        lines = np.frombuffer(self.data, f"V{layout.ALIGNMENT}", count=self.used // layout.ALIGNMENT)
        first = np.array(offsets, dtype=np.int64)[:, None] // layout.ALIGNMENT
        picked = lines[first + np.arange(record.itemsize // layout.ALIGNMENT)]
        taken: npt.NDArray[np.void] = np.ascontiguousarray(picked).view(record)[:, 0]
        return taken

    def _threads(self, thread_offsets: list[int], node_offsets: list[int], regions: int) -> tuple[ThreadTree, ...]:
        if not thread_offsets or not node_offsets:
            return ()
        threads, nodes = self._take(thread_offsets, layout.THREAD_LAYOUT), self._take(node_offsets, layout.NODE_LAYOUT)
        if threads["index"].tolist() != list(range(len(threads))):
            raise self.defect(f"threads 0 to {len(threads) - 1}", threads["index"].tolist()[:20])
        offsets = np.array(node_offsets, dtype=np.int64)
        return tuple(self._thread(thread, nodes, offsets, regions) for thread in threads)

    def _thread(
        self, thread: np.void, nodes: npt.NDArray[np.void], offsets: npt.NDArray[np.int64], regions: int
    ) -> ThreadTree:
        mine = nodes["thread"] == thread["index"]
        places = offsets[mine]
        tree = self._nodes(nodes[mine], places, regions, int(thread["index"]))
        current = np.flatnonzero(places == int(thread["current"]) - int(self.header["base"]))
        counts = ("repairs", "unmatched", "collapsed", "reentered", "stopped", "synchronised", "passed")
        for name in counts:
            if thread[name] > _MOST:
                raise self.defect(f"at most {_MOST} {name} in thread {thread['index']}", thread[name])
        return ThreadTree(
            index=int(thread["index"]),
            tid=int(thread["tid"]),
            taken=int(thread["taken"]),
            alive=bool(thread["in_use"]),
            current=int(current[0]) if len(current) else 0,
            last=self._since_start(thread["last"]) or 0.0,
            throttled={place: self.throttled[at] for place, at in enumerate(places.tolist()) if at in self.throttled}
            if self.throttled
            else {},
            timed_again=frozenset(place for place, at in enumerate(places.tolist()) if at in self.timed_again)
            if self.timed_again
            else frozenset(),
            nodes=tree,
            **{name: int(thread[name]) for name in counts},
        )

    def _nodes(
        self, raw: npt.NDArray[np.void], places: npt.NDArray[np.int64], regions: int, thread: int
    ) -> npt.NDArray[np.void]:
        nodes = node_values(raw, self.ticks_per_second)
        nodes["parent"] = self._parents(raw, places, thread)
        region = np.where(raw["region"] == layout.NO_REGION, -1, raw["region"].astype(np.int64))
        if (region >= regions).any():
            raise self.defect(f"regions 0 to {regions - 1} in thread {thread}", region.max())
        if (raw["visits"] > _MOST).any():
            raise self.defect(f"at most {_MOST} visits in thread {thread}", raw["visits"].max())
        nodes["region"] = region
        return nodes

    def _parents(self, raw: npt.NDArray[np.void], places: npt.NDArray[np.int64], thread: int) -> npt.NDArray[np.int64]:
        """Turn offsets into indices: places are sorted, and a parent stands before its children."""
        above = raw["parent"].astype(np.int64) * layout.ALIGNMENT
        parents = np.searchsorted(places, above)
        known = np.isin(above, places)
        parents[above == 0] = -1
        if not len(raw) or parents[0] != -1 or not known[1:].all() or (parents >= np.arange(len(raw))).any():
            raise self.defect(f"a tree in thread {thread}", "a node without its parent")
        return parents

    def _tracing(self) -> Tracing | None:
        interval, generation = (int(self.header[f"trace_{name}"]) for name in ("interval", "generation"))
        if not interval:
            return None
        if interval > _MOST or not generation:
            raise self.defect(
                f"an interval of at most {_MOST} ticks, of a generation from 1 on", (interval, generation)
            )
        slowed, lost = (int(self.header[f"trace_{name}"]) for name in ("slowed", "lost"))
        left_out = int(self.header["trace_left_out"])
        return Tracing(interval / self.ticks_per_second, generation - 1, slowed, lost, left_out)

    def _since_start(self, ticks: np.uint64) -> float | None:
        start = int(self.header["start"]["ticks"])
        return (int(ticks) - start) / self.ticks_per_second if ticks else None

    def _describe(
        self,
        regions: tuple[Region, ...],
        threads: tuple[ThreadTree, ...],
        files: tuple[FileUse, ...],
        places: tuple[Place, ...],
    ) -> Shard:
        header = self.header
        if not 0 <= header["state"] < len(layout.STATES):
            raise self.defect(f"a state of 0 to {len(layout.STATES) - 1}", header["state"])
        if header["size"] > _MOST_RANKS:
            raise self.defect(f"at most {_MOST_RANKS} ranks", header["size"])
        if header["involuntary"] > _MOST:
            raise self.defect(f"at most {_MOST} involuntary switches", header["involuntary"])
        latest = self._since_start(header["latest"]["ticks"]) or 0.0
        return Shard(
            path=self.path,
            used=len(self.data),
            host=_text(header["host"]),
            pid=int(header["pid"]),
            rank=_known(header["rank"]),
            size=_known(header["size"]),
            thread_level=_known(header["thread_level"]),
            executable=_text(header["executable"]),
            script=_text(header["script"]),
            cpus=_known(header["cpus"]),
            state=layout.STATES[header["state"]],
            exit_code=int(header["exit_code"]),
            start_realtime=int(header["start_realtime"]) * 1e-9,
            mpi_initialised=self._since_start(header["mpi_initialised"]),
            mpi_finalising=self._since_start(header["mpi_finalising"]),
            mpi_finalised=self._since_start(header["mpi_finalised"]),
            end=self._since_start(header["end"]),
            last=max([0.0, latest, *(thread.last for thread in threads)]),
            ticks_per_second=self.ticks_per_second,
            wall_clock=_text(header["wall_clock"]),
            cpu_clock=_text(header["cpu_clock"]),
            pair_cost=float(header["pair_cost"]) * 1e-9,
            throttled_cost=float(header["throttled_cost"]) * 1e-9,
            passing_cost=float(header["passing_cost"]) * 1e-9,
            unrecorded=int(header["unrecorded"]),
            uncounted=int(header["uncounted"]),
            refused=int(header["refused"]),
            deepest=int(header["deepest"]) or None,
            forked_from=int(header["forked_from"]) or None,
            run_delay=float(header["run_delay"]) * 1e-9 if header["run_delay"] >= 0 else None,
            involuntary_switches=int(header["involuntary"]),
            spawned=bool(header["spawned"]),
            sources=_sources(header),
            regions=regions,
            threads=threads,
            files=files,
            places=places,
            topologies_left_out=int(header["topologies_left_out"]),
            tracing=self._tracing(),
        )


def node_values(raw: npt.NDArray[np.void], ticks_per_second: float) -> npt.NDArray[np.void]:
    """Give what nodes hold, ``NODE_LAYOUT[node]``, as ``NODE[node]``, where nothing stands above another.

    Clocks jitter: a sum that must lie between 0 and the wall time may miss it by nanoseconds.
    """
    nodes = np.zeros(len(raw), NODE)
    for name in ("visits", "io_calls", *layout.NODE_COUNTS):
        nodes[name] = raw[name]
    for number, name in enumerate(layout.COUNTERS):
        nodes[name] = raw["counters"][:, number]
    walls = np.maximum(raw["wall"], 0) / ticks_per_second
    before = len(layout.SHARES) - 1
    for place, kind in enumerate(layout.MPI_KINDS, start=before):
        nodes[f"mpi_{kind}"] = walls[:, place]
    wall = np.column_stack([walls[:, :before], walls[:, before:].sum(axis=1)])
    cpu = np.clip(wall - raw["off"] / ticks_per_second, 0, wall)
    nodes["wall"], nodes["cpu"] = wall.sum(axis=1), cpu.sum(axis=1)
    for place, share in enumerate(layout.SHARES[1:], start=1):
        nodes[f"{share}_wall"], nodes[f"{share}_cpu"] = wall[:, place], cpu[:, place]
    return nodes


@lru_cache(maxsize=1 << 16)
def _region_of(text: bytes) -> Region:
    """Read a descriptor; ranks have the same ones."""
    return Region.from_descriptor(text.decode("utf-8", "surrogateescape"))


def _rate(header: np.void) -> float:
    """Return ticks per second: by the latest anchor, unless it is too early or was caught half-written."""
    measured = float(header["ticks_per_second"])
    start, latest = header["start"], header["latest"]
    nanoseconds = int(latest["monotonic"]) - int(start["monotonic"])
    if nanoseconds <= 0:
        return measured
    anchored = (int(latest["ticks"]) - int(start["ticks"])) / nanoseconds * 1e9
    return anchored if abs(anchored / measured - 1) < 1e-3 else measured


def _sources(header: np.void) -> dict[str, str]:
    texts = zip(layout.COUNTERS, header["sources"].tolist(), strict=True)
    return {name: _text(source) for name, source in texts if source}


def _known(number: np.int32) -> int | None:
    return int(number) if number >= 0 else None


def _text(characters: bytes) -> str:
    return characters.partition(b"\0")[0].decode("utf-8", "surrogateescape")
