"""Read the samples in a shard as time lines, one per thread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from . import shard_layout as layout
from .node_values import node_values
from .recorded_values import EVERYTHING
from .shard import NODE, Shard, ThreadTree, computing_of
from .shard_header import used_part

__all__ = ["ThreadSamples", "read_samples"]

_WORD = 8  # bytes: samples, their values and their parts are aligned to this
_Words = npt.NDArray[np.uint64]
_Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class ThreadSamples:
    """A thread's samples.

    Attributes:
        begin: Start of each sample, ``float64[sample]``, in seconds since the process's start.
        end: End of each sample, ``float64[sample]``, in seconds since the process's start.
        values: ``NODE[sample]``: sums over all nodes.
        system: ``float64[sample, SYSTEM_VALUES]``, NaN if unknown.
        recorded: ``uint64[sample]``: a bit per value of ``TRACE_VALUES`` that was recorded; the other values are 0 in
            ``values``.
        first: ``int[sample + 1]``: where the parts of each sample begin in the following four arrays.
        nodes: ``int[part]``, indices of the thread's nodes; -1 means several.
        visits: ``int64[part]``: number of visits.
        seconds: ``float64[part]``: wall time.
        computing: ``float64[part]``: CPU time outside MPI, file I/O and OpenMP, in seconds.
    """

    begin: npt.NDArray[np.float64]
    end: npt.NDArray[np.float64]
    values: npt.NDArray[np.void]
    system: npt.NDArray[np.float64]
    recorded: _Words
    first: _Places
    nodes: _Places
    visits: npt.NDArray[np.int64]
    seconds: npt.NDArray[np.float64]
    computing: npt.NDArray[np.float64]


def read_samples(shard: Shard, *, rest: bool = True) -> list[ThreadSamples]:
    """Read the time lines of a shard's threads, which end where the threads were last seen.

    Args:
        shard: The shard of a process that ended, was killed or still runs.
        rest: Whether to add a last sample for the time after all samples, with the nodes' values that are in no other
            sample.

    Raises:
        InputError: The file cannot be read, or its samples are damaged.
    """
    try:
        data = used_part(shard.path)[: shard.used]
    except OSError as error:
        raise InputError(f"{shard.path}: cannot be read: {error.strerror}") from error
    return _Reader(shard, data).lines(rest=rest)


class _Reader:
    """The words of a shard, and the offsets of its samples in them."""

    def __init__(self, shard: Shard, data: bytes) -> None:
        self._shard = shard
        self._words: _Words = np.frombuffer(data, np.uint64, count=len(data) // _WORD)
        header = np.frombuffer(data, layout.HEADER_LAYOUT, count=1)[0]
        self._start = int(header["start"]["ticks"])
        self._generation = int(header["trace_generation"])
        self._threads: list[int] = []
        self._nodes: list[int] = []
        self._samples: list[int] = []
        self._find(data)

    def _defect(self, expected: str, found: object) -> InputError:
        return InputError(f"{self._shard.path}: expected a shard with {expected}, found {found}")

    def _find(self, data: bytes) -> None:
        """Record the offsets of threads, nodes and samples in a shard, whose records were checked before."""
        halves = np.frombuffer(data, np.uint16, count=len(data) // 2)
        sizes = np.frombuffer(data, np.uint32, count=len(data) // 4)
        at = layout.HEADER_LAYOUT.itemsize
        while at < len(data):
            kind, lines = int(halves[at // 2]), int(halves[at // 2 + 1])
            if not lines:
                raise self._defect(f"a complete record at byte {at}", "a size of 0")
            if kind == layout.THREAD_RECORD:
                self._threads.append(at)
            elif kind == layout.NODE_RECORD:
                self._nodes.append(at)
            elif kind == layout.CHUNK_RECORD:
                generation, used = layout.CHUNK_LAYOUT.unpack_from(data, at)
                begin, end = at + layout.CHUNK_LAYOUT.size, at + lines * layout.ALIGNMENT
                if used > end - begin:
                    raise self._defect(f"samples of at most {end - begin} bytes at byte {at}", used)
                if generation == self._generation:
                    self._walk(sizes, begin, begin + used)
            at += lines * layout.ALIGNMENT

    def _walk(self, sizes: npt.NDArray[np.uint32], at: int, end: int) -> None:
        while at < end:
            size = int(sizes[at // 4])
            if size < layout.SAMPLE_LAYOUT.itemsize or size % _WORD or at + size > end:
                raise self._defect(f"a complete sample at byte {at}", f"{size} bytes")
            self._samples.append(at)
            at += size

    def lines(self, *, rest: bool) -> list[ThreadSamples]:
        offsets = np.array(self._samples, dtype=np.intp)
        heads = self._take(offsets, layout.SAMPLE_LAYOUT.itemsize).view(layout.SAMPLE_LAYOUT)[:, 0]
        places = heads["thread"].astype(np.intp) * layout.ALIGNMENT
        strange = set(places.tolist()).difference(self._threads)
        if strange:
            raise self._defect("samples of known threads", f"one of an unknown thread at byte {min(strange)}")
        owners = np.asarray(self._words[np.array(self._nodes, dtype=np.intp) // _WORD] >> np.uint64(32))
        nodes = np.array(self._nodes, dtype=np.intp)
        lines = [
            self._line(tree, offsets[places == at], heads[places == at], nodes[owners == tree.index])
            for tree, at in zip(self._shard.threads, self._threads, strict=True)
        ]
        if not rest:
            return lines
        return [_with_rest(line, tree) for line, tree in zip(lines, self._shard.threads, strict=True)]

    def _take(self, offsets: _Places, size: int) -> _Words:
        return np.ascontiguousarray(self._words[offsets[:, None] // _WORD + np.arange(size // _WORD)])

    def _line(self, tree: ThreadTree, offsets: _Places, heads: npt.NDArray[np.void], nodes: _Places) -> ThreadSamples:
        if (heads["begin"] > heads["end"]).any() or (heads["end"][:-1] > heads["begin"][1:]).any():
            raise self._defect(f"consecutive samples of thread {tree.index}", "overlapping ones")
        raw, system, behind = self._values(offsets, heads["present"])
        first, places, visits, ticks, share = self._parts(heads, offsets, behind)
        several = places == 0
        found = np.searchsorted(nodes, places)
        if not several.all() and not np.isin(places[~several], nodes).all():
            raise self._defect(f"samples that refer to nodes of thread {tree.index}", "another node")
        rate = self._shard.ticks_per_second
        return ThreadSamples(
            begin=(heads["begin"].astype(np.int64) - self._start) / rate,
            end=(heads["end"].astype(np.int64) - self._start) / rate,
            values=node_values(raw, rate),
            system=system,
            recorded=heads["recorded"],
            first=first,
            nodes=np.where(several, -1, found),
            visits=visits,
            seconds=ticks / rate,
            computing=ticks / rate * share,
        )

    def _values(
        self, offsets: _Places, present: _Words
    ) -> tuple[npt.NDArray[np.void], npt.NDArray[np.float64], _Places]:
        """Unpack samples: return their values by node field, their system values, and where their parts begin.

        Args:
            offsets: The offset of each sample in the shard, in bytes.
            present: For each sample, a bit per value that it contains; other values are 0, unknown memory is NaN.
        """
        bits = (present[:, None] >> np.arange(layout.TRACE_VALUES, dtype=np.uint64)) & np.uint64(1)
        if (present >> np.uint64(layout.TRACE_VALUES)).any():
            raise self._defect(f"samples with at most {layout.TRACE_VALUES} values", "more")
        order = np.cumsum(bits, axis=1).astype(np.intp)
        start = offsets // _WORD + layout.SAMPLE_LAYOUT.itemsize // _WORD
        where = np.where(bits > 0, start[:, None] + order - 1, 0)
        if (where >= len(self._words)).any():
            raise self._defect("whole samples", "one that ends too early")
        values = np.where(bits > 0, self._words[where], np.uint64(0)).view(np.int64)
        raw = np.zeros(len(offsets), layout.NODE_LAYOUT)
        column = 0
        for name in layout.NODE_VALUES:
            shape = raw[name].shape[1:]
            width = shape[0] if shape else 1
            block = values[:, column : column + width]
            raw[name] = block if shape else block[:, 0]
            column += width
        system = values[:, column:].astype(np.float64)
        resident = system[:, layout.SYSTEM_VALUES.index("resident")]
        resident[resident == 0] = np.nan
        return raw, system, start + order[:, -1]

    def _parts(
        self, heads: npt.NDArray[np.void], offsets: _Places, start: _Places
    ) -> tuple[_Places, _Places, npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        counts = heads["parts"].astype(np.intp)
        words = layout.PART_LAYOUT.itemsize // _WORD
        if (start + counts * words != (offsets + heads["size"].astype(np.intp)) // _WORD).any():
            raise self._defect("samples as long as their contents", "another length")
        first = np.concatenate([[0], np.cumsum(counts)])
        within = np.arange(first[-1]) - np.repeat(first[:-1], counts)
        at = np.repeat(start, counts) + within * words
        places = (self._words[at] & np.uint64(0xFFFFFFFF)).astype(np.intp) * layout.ALIGNMENT
        share = (self._words[at] >> np.uint64(32)) / layout.PART_WHOLE
        visits, ticks = (self._words[at + word].view(np.int64) for word in (1, 2))
        if (visits < 0).any() or (np.abs(ticks) > 1 << 60).any():
            raise self._defect("possible numbers of visits and ticks", "impossible ones")
        return first, places, visits.copy(), ticks.astype(np.float64), share


def _with_rest(line: ThreadSamples, tree: ThreadTree) -> ThreadSamples:
    """Return the time line with one more sample, for the nodes' values that are in no other sample."""
    rest = np.zeros(1, NODE)
    for name in NODE.names or ():
        if name not in ("parent", "region"):
            rest[name] = max(tree.nodes[name].sum() - line.values[name].sum(), 0)
    nodes, visits, seconds, computing = _rest_by_node(line, tree)
    begin = float(line.end[-1]) if len(line.end) else _start_of(tree)
    recorded = np.bitwise_and.reduce(line.recorded, initial=np.uint64(EVERYTHING))
    if tree.last <= begin and not len(nodes) and recorded == EVERYTHING:
        return line
    return ThreadSamples(
        begin=np.append(line.begin, begin),
        end=np.append(line.end, max(tree.last, begin)),
        values=np.concatenate([line.values, rest]),
        system=np.concatenate([line.system, np.full((1, len(layout.SYSTEM_VALUES)), np.nan)]),
        recorded=np.append(line.recorded, recorded),
        first=np.append(line.first, line.first[-1] + len(nodes)),
        nodes=np.concatenate([line.nodes, nodes]),
        visits=np.concatenate([line.visits, visits]),
        seconds=np.concatenate([line.seconds, seconds]),
        computing=np.concatenate([line.computing, computing]),
    )


def _rest_by_node(
    line: ThreadSamples, tree: ThreadTree
) -> tuple[_Places, npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the nodes' values that are in no sample: nodes, visits, seconds and CPU seconds.

    If any part of a sample combines several nodes (-1), the result also combines all nodes.
    """
    all_of_them = tree.nodes["visits"], tree.nodes["wall"], computing_of(tree.nodes)
    sampled = line.visits, line.seconds, line.computing
    if (line.nodes < 0).any():
        rest = [np.atleast_1d(whole.sum() - part.sum()) for whole, part in zip(all_of_them, sampled, strict=True)]
        nodes = np.full(1, -1, dtype=np.intp)
    else:
        rest = [whole.copy() for whole in all_of_them]
        for each, part in zip(rest, sampled, strict=True):
            np.subtract.at(each, line.nodes, part)
        nodes = np.arange(len(rest[0]))
    left = (rest[0] > 0) | (rest[1] > 0)
    visits, seconds, computing = (np.maximum(each[left], 0) for each in rest)
    # Shares are rounded, so the remaining CPU seconds may exceed the remaining wall seconds.
    return nodes[left], visits, seconds, np.minimum(computing, seconds)


def _start_of(tree: ThreadTree) -> float:
    """Return when a thread without samples seems to have begun, in seconds: its last event minus its wall time."""
    return max(0.0, tree.last - float(tree.nodes["wall"].sum()))
