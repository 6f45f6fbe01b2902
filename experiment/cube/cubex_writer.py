"""Write an experiment as CUBE 4 (``.cubex``), which cubelib and CubeGUI open; see ``cubex_layout``.

Several processes may write one file, each with the values of some locations. They exchange each metric block by block,
so that each process gets whole rows and writes them at their final offsets. No process ever stores more of a metric
than its own share and one block of rows.
"""

from __future__ import annotations

import io
import os
import struct
import tarfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, pairwise
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt

from ...atomic_file import replacing
from ...errors import InputError
from ..communicator import Alone, Communicator
from ..experiment import Experiment
from ..metric import Metric
from ..severities import Severity
from .cubex_layout import ANCHOR, DATA, INDEX, LISTED, LOCATIONS, NOTHING, PACKED, numbered
from .head_writer import CUBE_4, MetricStorage, check_writable, cube_element, write_head
from .location_table import LocationTable
from .value_types import WIDER, stored_rows, typed

__all__ = ["Part", "write_cubex", "write_parts"]

_Values = npt.NDArray[Any]

_BLOCK: Final = 512  # size of a tar archive's block in bytes
_RECORD: Final = 20 * _BLOCK  # an archive's size is a multiple of this
_LARGEST: Final = (1 << 33) - 1  # maximum size in bytes of a member that every reader supports
_EXCHANGED: Final = 32 << 20  # size of a block of rows in bytes, per process
_SMALL: Final = 1 << 12  # rows with fewer bytes are always packed, which costs almost no time
_TRIED: Final = 1 << 16  # number of bytes of a row that are packed to test whether packing is worthwhile
_SAMPLE: Final = 4  # number of rows that are packed to test whether packing is worthwhile
# Packing must reduce the size by this factor. Most doubles shrink by only 10 %, which costs more time than it saves.
_WORTH: Final = 4
_FAST: Final = 1
_MANY: Final = 1000  # from this number of locations, which take 20 ms to parse as XML, a table is written as well


@dataclass(frozen=True)
class Part:
    """One process's share of an experiment.

    Attributes:
        experiment: The experiment with only the process's locations.
        columns: ``intp[location]``: the indices of these locations among all locations.
        writes: Whether the process can write the file; True for process 0.
    """

    experiment: Experiment
    columns: npt.NDArray[np.intp]
    writes: bool = True


def write_cubex(experiment: Experiment, path: Path) -> None:
    """Write ``path``, completely or not at all; every value reads back bit for bit.

    Values that were read as inclusive are written as inclusive, so nothing is rounded.

    Raises:
        InputError: The folder does not exist or cannot be written, a value is infinite, a metric has more than 8 GiB
            of values, a metric's name would be read back as another name, or there are no locations.
    """
    check_writable(experiment, path)
    with replacing(path) as file:
        write_parts(Alone(), Part(experiment, np.arange(len(experiment.locations))), experiment, file, path)


def write_parts(
    communicator: Communicator,
    part: Part,
    whole: Experiment | None,
    file: IO[bytes] | None,
    path: Path,
    *,
    told: Callable[[], object] | None = None,
) -> None:
    """Write an experiment whose values are distributed over several processes; all of them must call this function.

    Args:
        communicator: The processes.
        part: This process's share.
        whole: The experiment without its values, on process 0.
        file: The file to which this process writes; None if it does not write.
        path: The file's final path.
        told: Progress callback, called before each block of rows.

    Raises:
        InputError: A value is infinite, or a metric has more than 8 GiB of values.
    """
    archive = _Archive(communicator, file, path, told)
    rows = _Rows(communicator, part)
    storage = {}
    for number, metric in enumerate(part.experiment.metrics):
        storage[metric.name] = _write_metric(archive, rows, number, metric)
    if whole is not None:
        _write_head(archive, whole, storage)


def _write_metric(archive: _Archive, rows: _Rows, number: int, metric: Metric) -> MetricStorage:
    """Write a metric's values in its own type, or as floating-point numbers if that would change a value."""
    inclusive = rows.part.experiment.stored_inclusive(metric.name)
    for dtype in (metric.dtype, WIDER):
        member = _Data(archive, replace(metric, dtype=dtype))
        if all(
            member.add(first, values)
            for first, values in (rows.exclusive(metric.name) if inclusive is None else rows.inclusive(inclusive))
        ):
            break
    nothing = metric.aggregation in NOTHING
    if member.listed or nothing:  # without an index, readers assume that all values are 0, even minima
        archive.end_member(f"{number}.data", member.end())
        index = INDEX + struct.pack(f"<ihBi{len(member.listed)}i", 1, 0, LISTED, len(member.listed), *member.listed)
        archive.add(f"{number}.index", index)
    return MetricStorage(member.dtype, "EXCLUSIVE" if inclusive is None else "INCLUSIVE")


def _write_head(archive: _Archive, whole: Experiment, storage: dict[str, MetricStorage]) -> None:
    anchor = io.BytesIO()
    with cube_element(anchor, CUBE_4) as xml:
        cut = write_head(xml, anchor, whole, CUBE_4, storage)
    archive.add(ANCHOR, anchor.getbuffer())
    if len(whole.locations) >= _MANY:
        archive.add(LOCATIONS, LocationTable(whole.locations, cut).to_bytes())
    archive.close()


class _Rows:
    """Distributes whole rows of metrics, block by block, over the processes that write."""

    def __init__(self, communicator: Communicator, part: Part) -> None:
        self.part = part
        self._communicator = communicator
        self._columns = communicator.allgather(part.columns)
        self._writers = communicator.allgather(part.writes)
        self._width = sum(map(len, self._columns))
        self._parents = [each.parent for each in part.experiment.call_paths]

    def exclusive(self, name: str) -> Iterator[tuple[int, Severity]]:
        """Yield each block: the number of its first row in the file, and this process's rows."""
        order = numbered(self._parents, inclusive=False)
        experiment = self.part.experiment
        whole: Severity | None = None
        for start in range(0, len(order), self._step):
            rows = order[start : start + self._step]
            part = experiment.alone(name, rows) if whole is None else None
            if part is None:
                whole = experiment.exclusive(name) if whole is None else whole
                part = whole[rows]
            first, mine = self._redistributed(part)
            yield start + first, mine

    def inclusive(self, values: Severity) -> Iterator[tuple[int, Severity]]:
        """Yield blocks of inclusive values, whose rows are numbered differently from those of exclusive values."""
        order = numbered(self._parents, inclusive=True)
        for start in range(0, len(order), self._step):
            first, mine = self._redistributed(values[order[start : start + self._step]])
            yield start + first, mine

    @property
    def _step(self) -> int:
        """The number of rows per block, over all processes."""
        return max(1, _EXCHANGED // max(1, 8 * self._width)) * sum(self._writers)

    def _redistributed(self, values: Severity) -> tuple[int, Severity]:
        """Distribute rows over the writing processes; return the index of this process's first row, and its rows."""
        if self._communicator.size == 1:
            return 0, values
        shares = [*accumulate(self._writers, initial=0)]
        bounds = [len(values) * share // shares[-1] for share in shares]
        found = self._communicator.alltoall([values[start:stop] for start, stop in pairwise(bounds)])
        first, last = bounds[self._communicator.rank : self._communicator.rank + 2]
        rows = np.empty((last - first, self._width))
        for columns, part in zip(self._columns, found, strict=True):
            rows[:, columns] = part.reshape(last - first, len(columns))
        return first, rows


@dataclass
class _Archive:
    """A tar archive that several processes write; each of them tracks where the next member begins."""

    communicator: Communicator
    file: IO[bytes] | None
    path: Path
    told: Callable[[], object] | None = None
    start: int = 0

    def write(self, offset: int, content: bytes | memoryview) -> None:
        """Write bytes at an offset in the current member."""
        assert self.file is not None
        left = memoryview(content).cast("B")
        offset += self.start + _BLOCK
        while len(left):
            done = os.pwrite(self.file.fileno(), left, offset)
            left, offset = left[done:], offset + done

    def end_member(self, name: str, size: int) -> None:
        """End a member. If it ends on a block boundary, add a byte, because cubelib expects another block.

        Raises:
            InputError: The member is too large.
        """
        padded = size % _BLOCK == 0
        if size + padded > _LARGEST:
            raise InputError(
                f"{self.path}: expected at most {_LARGEST:,} bytes of {name}, found {size:,}; leave out regions or "
                "ranks"
            )
        if self.communicator.rank == 0:
            if padded:
                self.write(size, b"\n")
            member = tarfile.TarInfo(name)
            member.size = size + padded
            self.write(-_BLOCK, member.tobuf(tarfile.USTAR_FORMAT))
        self.start += _BLOCK + -(-(size + padded) // _BLOCK) * _BLOCK

    def add(self, name: str, content: bytes | memoryview) -> None:
        """Add a whole member. All processes must have its content, except for the last members, added by process 0."""
        if self.communicator.rank == 0 and len(content) <= _LARGEST:
            self.write(0, content)
        self.end_member(name, len(content))

    def close(self) -> None:
        """End the archive."""
        assert self.file is not None
        os.ftruncate(self.file.fileno(), self.start)  # a first attempt to write the last metric may have been longer
        end = self.start + 2 * _BLOCK
        os.ftruncate(self.file.fileno(), -(-end // _RECORD) * _RECORD)


@dataclass
class _Data:
    """The rows of a metric from all processes, which become the current member.

    Attributes:
        archive: The archive.
        metric: The metric; its ``dtype`` is the type in which the values are stored.
        dtype: The type that the rows added last need; ``WIDER`` if they do not fit the metric's type.
        listed: The numbers of the stored rows; for all other rows, readers assume 0 or missing values.
    """

    archive: _Archive
    metric: Metric
    dtype: str = ""
    listed: list[int] = field(default_factory=list)
    _size: int = 0  # size of a row in bytes
    _packed: bool | None = None
    _blocks: dict[int, bytes] = field(default_factory=dict)  # index of a stored row of this process → packed block
    _sizes: list[int] = field(default_factory=list)

    def add(self, first: int, severity: Severity) -> bool:
        """Add the next rows of all processes.

        Args:
            first: The number of this process's first row.
            severity: This process's rows, with all locations.

        Returns:
            Whether all values fit the metric's type.

        Raises:
            InputError: A value is infinite.
        """
        if self.archive.told:
            self.archive.told()
        if np.isinf(severity).any():
            raise InputError(f"{self.archive.path}: expected finite values of {self.metric.name}, found infinity")
        self.dtype, values = typed(severity, self.metric)
        nothing = NOTHING.get(self.metric.aggregation, 0.0)
        if nothing:
            values = np.where(np.isnan(values), nothing, values)
        rows = stored_rows(values, nothing)
        self._size = values.shape[1] * values.itemsize
        found = self.archive.communicator.allgather((self.dtype, [first + row for row in rows]))
        if any(dtype != self.metric.dtype for dtype, _ in found):
            self.dtype = WIDER
            return self.metric.dtype == WIDER
        stored = [listed for _, listed in found]
        if self._packed is None and any(stored):
            self._packed = self._is_worth_packing(values, rows)
        place = len(self.listed) + sum(map(len, stored[: self.archive.communicator.rank]))
        self.listed += (row for listed in stored for row in listed)
        values = values.astype(values.dtype.newbyteorder("<"), copy=False)
        if self._packed:
            self._pack(values, rows, place)
        else:
            self._write(values, rows, place)
        return True

    def end(self) -> int:
        """Write the remaining data, and return the size of the member."""
        if self._packed is False:
            if self.archive.communicator.rank == 0:
                self.archive.write(0, DATA)
            return len(DATA) + len(self.listed) * self._size
        places = [*accumulate(self._sizes, initial=0)]
        entries = [each for row, size in enumerate(self._sizes) for each in (row * self._size, places[row], size)]
        table = PACKED + struct.pack(f"<{1 + len(entries)}q", len(self._sizes), *entries)
        if self.archive.communicator.rank == 0:
            self.archive.write(0, table)
        for row, block in self._blocks.items():
            self.archive.write(len(table) + places[row], block)
        return len(table) + places[-1]

    def _is_worth_packing(self, values: _Values, rows: Sequence[int]) -> bool:
        """Return whether packing makes rows much smaller, based on a sample from each process."""
        if self._size < _SMALL:
            return True
        sample = rows[:: max(1, -(-len(rows) // _SAMPLE))]
        texts = [values[row].tobytes()[:_TRIED] for row in sample]
        sizes = [(len(text), len(zlib.compress(text, _FAST))) for text in texts]
        found = [each for listed in self.archive.communicator.allgather(sizes) for each in listed]
        return _WORTH * sum(packed for _, packed in found) < sum(plain for plain, _ in found)

    def _pack(self, values: _Values, rows: Sequence[int], place: int) -> None:
        """Pack each row separately, so that readers can find a single row."""
        level = zlib.Z_DEFAULT_COMPRESSION if self._size < _SMALL else _FAST
        packed = [zlib.compress(values[row].tobytes(), level) for row in rows]
        self._blocks |= enumerate(packed, start=place)
        for sizes in self.archive.communicator.allgather([len(block) for block in packed]):
            self._sizes += sizes

    def _write(self, values: _Values, rows: Sequence[int], place: int) -> None:
        """Write rows unpacked, so that any part can be read separately; adjacent rows are written at once."""
        for _, group in groupby(enumerate(rows), lambda each: each[1] - each[0]):
            run = [*group]
            (at, start), (_, stop) = run[0], run[-1]
            content = np.ascontiguousarray(values[start : stop + 1])
            self.archive.write(len(DATA) + (place + at) * self._size, content.data)
