"""Parse the bytes of a shard; any defect becomes a one-line error."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...experiment.file_use import FileUse
from ...experiment.region import Region
from ..papi.sources import CHOSEN, PACKAGED
from . import shard_layout as layout
from .critical_path import PathRecords
from .message_row import row_of
from .node_values import node_values
from .place_waits import place_waits
from .shard import Form, Shard, ThreadTree
from .shard_header import MOST, header_of, shard_defect, sources_of, text_of, tick_rate, tracing_of, used_part
from .shard_records import RecordPlaces, Records
from .shard_samples import samples_of
from .topology_places import topology_places

__all__ = ["ShardReader", "read_shard"]

_COUNTS_IN: Final = {"mpi": layout.COUNTS_IN_MPI, "io": layout.COUNTS_IN_IO}
_MOST_RANKS: Final = 1 << 24  # maximum number of ranks; no machine has so many cores
_MOST_FORMS: Final = 256  # maximum number of cached forms, about 50 kB each; most ranks share one of a few forms

_OWNER: Final = slice(1, 4)  # a node's first words after its head: thread, parent, region
_WORDS: Final = layout.ALIGNMENT // 4


def read_shard(path: Path) -> Shard:
    """Read the shard of a process that ended, was killed or still runs.

    Raises:
        InputError: The file cannot be read, is not a shard, has a different version, or is damaged.
    """
    return ShardReader().read(path)


class ShardReader:
    """Reads shards one after the other, and caches the data that processes of one run have in common."""

    def __init__(self) -> None:
        self._places = RecordPlaces()
        self._forms: list[_Formed] = []

    def read(self, path: Path) -> Shard:
        """Read a shard; see ``read_shard``.

        Raises:
            InputError: The file cannot be read, is not a shard, has a different version, or is damaged.
        """
        try:
            data = used_part(path)
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from error
        return _Reader(path, data).shard(self._places, self._forms)


@dataclass(frozen=True, slots=True, eq=False)
class _Formed:
    """A form, and the bytes by which a shard with the same form is recognised.

    Attributes:
        form: The form.
        records: The places of the shard's records; the same object for shards with the same layout.
        text: The bytes of all regions, and of the nodes' threads, parents and regions.
        nodes: ``intp[node, line]``: the lines of all nodes.
        owned: For each thread, which of these nodes are its own.
    """

    form: Form
    records: Records
    text: bytes
    nodes: npt.NDArray[np.intp]
    owned: tuple[npt.NDArray[np.intp] | slice, ...]


class _Reader:
    """Parses the bytes of one file."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self.data = data
        self.header = header_of(path, data)
        self.used = int(self.header["used"])
        self.lines = np.frombuffer(data, f"V{layout.ALIGNMENT}", count=self.used // layout.ALIGNMENT)
        self.ticks_per_second = tick_rate(self.header)
        self.throttled: dict[int, int] = {}
        self.timed_again: frozenset[int] = frozenset()

    def defect(self, expected: str, found: object) -> InputError:
        return shard_defect(self.path, expected, found)

    def shard(self, places: RecordPlaces, forms: list[_Formed]) -> Shard:
        records = places.of(self.data, self.used)
        if (strange := records.strange()) is not None:
            raise self.defect(f"a known record at byte {strange[0]}", f"type {strange[1]}")
        if records.wrong is not None:
            at = records.wrong * layout.ALIGNMENT
            size = self._size(at) if at + layout.ALIGNMENT <= self.used else 0
            raise self.defect(f"a complete record at byte {at}", f"a size of {size}")
        formed = self._formed(records, forms)
        nodes = self._take(formed.nodes, layout.NODE_LAYOUT)
        self._read_throttled(records.offsets(layout.THROTTLE_RECORD), records.offsets(layout.NODE_RECORD))
        shard = self._describe(formed.form, self._threads(formed, nodes), records)
        return replace(
            shard,
            chains=self._path(formed) if self.header["path_state"] else None,
            waits=place_waits(self.path, self.data, records, formed.form.regions, self.ticks_per_second),
            samples=samples_of(
                self.path, self.data, records, formed.form.regions, shard.executable, owned=formed.owned
            ),
            row=row_of(self.path, self.data, records, shard.size),
        )

    def _path(self, formed: _Formed) -> PathRecords:
        header = self.header
        records = self._records(formed.records.offsets(layout.PATH_RECORD), layout.PATH_LAYOUT)
        strange = (records["kind"] >= len(layout.PATH_KINDS)) | (records["count"] > layout.PATH_ENTRIES)
        if header["path_state"] >= len(layout.PATH_STATES) or strange.any():
            found = f"state {header['path_state']}, {strange.sum()} invalid parts"
            raise self.defect("valid parts of a critical path", found)
        offsets = formed.records.first[layout.NODE_RECORD]
        places = np.zeros((len(offsets), 2), dtype=np.int32)
        for thread, own in enumerate(formed.owned):
            mine = np.arange(len(offsets))[own]
            places[mine] = np.stack([np.full(len(mine), thread), np.arange(len(mine))], axis=1)
        return PathRecords(
            state=layout.PATH_STATES[header["path_state"]],
            counted=text_of(header["sources"][0]).startswith("simulated"),
            messages=header["path_messages"],
            seconds=header["path_ticks"] / self.ticks_per_second,
            lost=header["path_lost"],
            left_out=frozenset(
                name for bit, name in enumerate(layout.PATH_LEFT_OUT) if header["path_left_out"] >> bit & 1
            ),
            records=records,
            offsets=offsets.astype(np.int64),
            places=places,
        )

    def _formed(self, records: Records, forms: list[_Formed]) -> _Formed:
        """Return the cached form of shards with the same regions and tree, or create it."""
        words = np.frombuffer(self.data, "u4", count=len(self.lines) * _WORDS).reshape(-1, _WORDS)
        owners = words[records.first[layout.NODE_RECORD], _OWNER]
        text = self.lines[records.regions].tobytes() + owners.tobytes()
        for place, formed in enumerate(forms):
            if formed.records is records and formed.text == text:
                if place:
                    forms.insert(0, forms.pop(place))
                return formed
        forms.insert(0, self._new_form(records, text, owners))
        del forms[_MOST_FORMS:]
        return forms[0]

    def _new_form(self, records: Records, text: bytes, owners: npt.NDArray[np.uint32]) -> _Formed:
        regions = tuple(self._region(*each) for each in enumerate(records.offsets(layout.REGION_RECORD)))
        nodes = records.first[layout.NODE_RECORD]
        threads = len(records.first[layout.THREAD_RECORD]) if len(nodes) else 0
        owned: list[npt.NDArray[np.intp] | slice] = []
        trees = []
        for thread in range(threads):
            mine = owners[:, 0] == thread
            own = slice(None) if mine.all() else np.flatnonzero(mine)
            trees.append(self._tree(owners[own], nodes[own], len(regions), thread))
            owned.append(own)
        key = blake2b(repr([tuple(region) for region in regions]).encode("utf-8", "surrogateescape"), digest_size=16)
        for tree in trees:
            for column in tree:
                key.update(len(column).to_bytes(8) + column.tobytes())
        lines = nodes[:, None] + np.arange(layout.NODE_LAYOUT.itemsize // layout.ALIGNMENT)
        return _Formed(Form(key.digest(), regions, tuple(trees)), records, text, lines, tuple(owned))

    def _size(self, at: int) -> int:
        return int.from_bytes(self.data[at + 2 : at + 4], sys.byteorder) * layout.ALIGNMENT

    def _file(self, at: int) -> FileUse:
        length, calls, read, written, ticks = layout.FILE_LAYOUT.unpack_from(self.data, at)
        name = self._name(at, at + layout.FILE_LAYOUT.size, length).decode("utf-8", "replace")
        return FileUse(name, 1, calls, read, written, ticks / self.ticks_per_second)

    def _library(self, at: int) -> str:
        (length,) = layout.OBJECT_LAYOUT.unpack_from(self.data, at)
        return os.fsdecode(self._name(at, at + layout.OBJECT_LAYOUT.size, length))

    def _name(self, at: int, start: int, length: int) -> bytes:
        if start + length > at + self._size(at):
            raise self.defect(f"a file at byte {at}", "a name that is too long")
        return self.data[start : start + length]

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
        """Read the records of throttled nodes: their offsets, how many visits were timed, and which are timed again."""
        if not offsets:
            return
        found = self._records(offsets, layout.THROTTLE_LAYOUT)
        places = (found["node"].astype(np.int64) * layout.ALIGNMENT).tolist()
        strange = set(places).difference(node_offsets)
        if strange:
            raise self.defect("throttled nodes", f"none at byte {min(strange)}")
        nodes = self._records(places, layout.NODE_LAYOUT)
        for place, record, node in zip(places, found, nodes, strict=True):
            visits, again, most = (int(each) for each in (record["visits"], record["again"], node["visits"]))
            if node["region"] == layout.NO_REGION:
                raise self.defect("throttled regions", f"a base at byte {place}")
            strange_number = next((each for each in (visits, again) if each > most), None)
            if strange_number is not None:
                raise self.defect(
                    f"at most {most} visits, as many as the throttled node at byte {place} has", strange_number
                )
            self.throttled[place] = min(visits + (most - again if again else 0), most)
        self.timed_again = frozenset(place for place, again in zip(places, found["again"], strict=True) if again)

    def _records(self, offsets: list[int], record: np.dtype[Any]) -> npt.NDArray[np.void]:
        """Return records of one type at some offsets, which are multiples of the alignment."""
        first = np.array(offsets, dtype=np.intp)[:, None] // layout.ALIGNMENT
        return self._take(first + np.arange(record.itemsize // layout.ALIGNMENT), record)

    def _take(self, lines: npt.NDArray[np.intp], record: np.dtype[Any]) -> npt.NDArray[np.void]:
        """Return records of one type, given the lines of each, ``lines[record, line]``."""
        taken: npt.NDArray[np.void] = self.lines[lines].view(record)[:, 0]
        return taken

    def _threads(self, formed: _Formed, raw: npt.NDArray[np.void]) -> tuple[ThreadTree, ...]:
        if not formed.owned:
            return ()
        threads = self._records(formed.records.offsets(layout.THREAD_RECORD), layout.THREAD_LAYOUT)
        if threads["index"].tolist() != list(range(len(threads))):
            raise self.defect(f"threads 0 to {len(threads) - 1}", threads["index"].tolist()[:20])
        nodes = node_values(raw, self.ticks_per_second)
        places = formed.records.first[layout.NODE_RECORD] * layout.ALIGNMENT
        return tuple(
            self._thread(
                dict(zip(layout.THREAD_LAYOUT.names or (), thread, strict=True)), nodes[own], places[own], tree
            )
            for thread, own, tree in zip(threads.tolist(), formed.owned, formed.form.trees, strict=True)
        )

    def _thread(
        self,
        thread: dict[str, int],
        nodes: npt.NDArray[np.void],
        places: npt.NDArray[np.intp],
        tree: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]],
    ) -> ThreadTree:
        nodes["parent"], nodes["region"] = tree
        visits = nodes["visits"].view("u8")
        if (visits > MOST).any():
            raise self.defect(f"at most {MOST} visits in thread {thread['index']}", visits.max())
        current = np.searchsorted(places, thread["current"] - self.header["base"])
        known = current < len(places) and places[current] == thread["current"] - self.header["base"]
        counts = (
            *("repairs", "unmatched", "collapsed", "reentered", "stopped"),
            *("synchronised", "fortran", "passed", "opened", "left", "slotted"),
        )
        for name in counts:
            if thread[name] > MOST:
                raise self.defect(f"at most {MOST} {name} in thread {thread['index']}", thread[name])
        return ThreadTree(
            index=thread["index"],
            tid=thread["tid"],
            taken=thread["taken"],
            alive=bool(thread["in_use"]),
            current=int(current) if known else 0,
            last=self._since_start(thread["last"]) or 0.0,
            throttled={place: self.throttled[at] for place, at in enumerate(places.tolist()) if at in self.throttled}
            if self.throttled
            else {},
            timed_again=frozenset(place for place, at in enumerate(places.tolist()) if at in self.timed_again)
            if self.timed_again
            else frozenset(),
            nodes=nodes,
            **{name: thread[name] for name in counts},
        )

    def _tree(
        self, owners: npt.NDArray[np.uint32], lines: npt.NDArray[np.intp], regions: int, thread: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return the parents and the regions of a thread's nodes."""
        region = np.where(owners[:, 2] == layout.NO_REGION, -1, owners[:, 2].astype(np.int64))
        parents = self._parents(owners[:, 1].astype(np.int64), lines, thread)
        if (region >= regions).any():
            raise self.defect(f"regions 0 to {regions - 1} in thread {thread}", region.max())
        return parents.astype(np.int32), region.astype(np.int32)

    def _parents(self, above: npt.NDArray[np.int64], lines: npt.NDArray[np.intp], thread: int) -> npt.NDArray[np.int64]:
        """Convert lines of parents to indices; nodes are sorted, and parents come before children."""
        parents = np.searchsorted(lines, above)
        known = np.isin(above, lines)
        parents[above == 0] = -1
        if not len(above) or parents[0] != -1 or not known[1:].all() or (parents >= np.arange(len(above))).any():
            raise self.defect(f"a tree in thread {thread}", "a node without its parent")
        return parents

    def _since_start(self, ticks: int) -> float | None:
        _, start = self.header["start"]
        return (ticks - start) / self.ticks_per_second if ticks else None

    def _describe(self, form: Form, threads: tuple[ThreadTree, ...], records: Records) -> Shard:
        header = self.header
        if not 0 <= header["state"] < len(layout.STATES):
            raise self.defect(f"a state of 0 to {len(layout.STATES) - 1}", header["state"])
        if header["size"] > _MOST_RANKS:
            raise self.defect(f"at most {_MOST_RANKS} ranks", header["size"])
        if header["involuntary"] > MOST:
            raise self.defect(f"at most {MOST} involuntary switches", header["involuntary"])
        if max(header["system"]) > MOST:
            raise self.defect(f"at most {MOST} page faults, switches and bytes in use", header["system"].tolist())
        _, latest = header["latest"]
        return Shard(
            path=self.path,
            used=len(self.data),
            host=text_of(header["host"]),
            pid=header["pid"],
            rank=_known(header["rank"]),
            size=_known(header["size"]),
            thread_level=_known(header["thread_level"]),
            executable=text_of(header["executable"]),
            libraries=tuple(map(self._library, records.offsets(layout.OBJECT_RECORD))),
            script=text_of(header["script"]),
            cpus=_known(header["cpus"]),
            state=layout.STATES[header["state"]],
            exit_code=header["exit_code"],
            start_realtime=header["start_realtime"] * 1e-9,
            mpi_initialised=self._since_start(header["mpi_initialised"]),
            mpi_finalising=self._since_start(header["mpi_finalising"]),
            mpi_finalised=self._since_start(header["mpi_finalised"]),
            end=self._since_start(header["end"]),
            last=max([0.0, self._since_start(latest) or 0.0, *(thread.last for thread in threads)]),
            mpi_bypassed=header["mpi_bypassed"],
            ticks_per_second=self.ticks_per_second,
            wall_clock=text_of(header["wall_clock"]),
            cpu_clock=text_of(header["cpu_clock"]),
            pair_cost=header["pair_cost"] * 1e-9,
            fortran_cost=header["fortran_cost"] * 1e-9,
            throttled_cost=header["throttled_cost"] * 1e-9,
            passing_cost=header["passing_cost"] * 1e-9,
            left_cost=header["left_cost"] * 1e-9,
            opened_cost=header["opened_cost"] * 1e-9,
            slot_cost=header["slot_cost"] * 1e-9,
            call_cost=header["call_cost"] * 1e-9,
            unrecorded=header["unrecorded"],
            uncounted=header["uncounted"],
            refused=header["refused"],
            deepest=header["deepest"] or None,
            forked_from=header["forked_from"] or None,
            run_delay=header["run_delay"] * 1e-9 if header["run_delay"] >= 0 else None,
            involuntary_switches=header["involuntary"],
            system=tuple(header["system"]),
            spawned=bool(header["spawned"]),
            sources=sources_of(tuple(header["sources"])),
            counted_in=tuple(call for call, bit in _COUNTS_IN.items() if header["counting"] & bit),
            by_turns=bool(header["counting"] & layout.COUNTS_BY_TURNS),
            papi=_papi(int(header["counting"])),
            form=form,
            threads=threads,
            files=tuple(map(self._file, records.offsets(layout.FILE_RECORD))),
            places=topology_places(self.path, self.data, records),
            topologies_left_out=header["topologies_left_out"],
            tracing=tracing_of(self.path, header, self.ticks_per_second),
            barriers=header["barriers"],
            messages_left_out=header["messages_left_out"],
        )


def _papi(counting: int) -> str:
    """Return which libpapi counted; empty if it was the system's."""
    flags = {layout.COUNTS_BY_CHOSEN_PAPI: CHOSEN, layout.COUNTS_BY_PACKAGED_PAPI: PACKAGED}
    whose = next((name for flag, name in flags.items() if counting & flag), "")
    return f"PAPI {counting >> 8 & 255}.{counting >> 16 & 255} ({whose})" if whose else ""


@lru_cache(maxsize=1 << 16)
def _region_of(text: bytes) -> Region:
    """Parse a descriptor; results are cached, because ranks have the same descriptors."""
    return Region.from_descriptor(text.decode("utf-8", "surrogateescape"))


def _known(number: int) -> int | None:
    return number if number >= 0 else None
