"""Read single rows of a metric's values, or parts of rows, from a CUBE 4 archive."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..severities import Rows, Severity
from .archive import Archive
from .cubex_layout import DATA, PACKED

__all__ = ["StoredRows"]

_ENTRY: Final = 24  # size of a block's entry in bytes: unpacked offset, packed offset, length
_CHUNK: Final = 1 << 12  # number of bytes to unpack at a time; small, because thousands of rows may be open


class StoredRows:
    """The rows of a metric, which are unpacked or packed separately; for other layouts, the methods return None.

    Args:
        archive: The archive.
        name: The member's name.
        order: The byte order: ``<`` or ``>``.
        kind: The type of the values.
        paths: ``intp[row]``: the call path of each row.
        width: The number of values in a row.

    Attributes:
        paths: ``intp[row]``: the call path of each row.
    """

    def __init__(  # noqa: PLR0917
        self, archive: Archive, name: str, order: str, kind: np.dtype[Any], paths: Rows, width: int
    ) -> None:
        self._archive, self._name, self._order, self._kind, self._width = archive, name, order, kind, width
        self.paths = paths
        self._row = {int(path): row for row, path in enumerate(paths)}
        self._size = width * kind.itemsize
        self._plain = archive.starts(name, DATA)
        self._places = None if self._plain else self._blocks(len(paths))
        self._unpacking: dict[int, _Unpacking] = {}

    def has(self, paths: Rows) -> npt.NDArray[np.bool_]:
        """Return whether each of these call paths has a row, ``bool[path]``."""
        return np.array([int(path) in self._row for path in paths], dtype=np.bool_)

    def rows(self, paths: Rows) -> Severity | None:
        """Return the rows of the given call paths, ``float64[row, value]``; call paths without a row are left out."""
        wanted = [self._row[int(path)] for path in paths if int(path) in self._row]
        found = np.empty((len(wanted), self._width))
        for place, row in enumerate(wanted):
            text = self._plain_part(row, 0, self._size) if self._plain else self._packed_row(row)
            if text is None or len(text) != self._size:
                return None
            found[place] = np.frombuffer(text, self._kind)
        return found

    def columns(self, columns: slice) -> Severity | None:
        """Return consecutive values of all rows, ``float64[row, value]``.

        If possible, packed rows are unpacked from the end of the previous request, otherwise from the start of the row.
        """
        first, size = columns.start * self._kind.itemsize, (columns.stop - columns.start) * self._kind.itemsize
        found = np.empty((len(self._row), columns.stop - columns.start))
        for row in range(len(self._row)):
            text = self._plain_part(row, first, size) if self._plain else self._packed_part(row, first, size)
            if text is None or len(text) != size:
                return None
            found[row] = np.frombuffer(text, self._kind)
        if columns.stop == self._width:
            self._unpacking.clear()
        return found

    def _plain_part(self, row: int, first: int, size: int) -> bytes:
        return self._archive.part(self._name, len(DATA) + row * self._size + first, size)

    def _packed_row(self, row: int) -> bytes | None:
        if self._places is None:
            return None
        at, size = self._places[row]
        try:
            return zlib.decompressobj().decompress(self._archive.part(self._name, at, size), self._size + 1)
        except zlib.error:
            return None  # the caller then reads all rows, which raises an error

    def _packed_part(self, row: int, first: int, size: int) -> bytes | None:
        if self._places is None:
            return None
        state = self._unpacking.get(row)
        if state is None or state.at > first:
            state = self._unpacking[row] = _Unpacking(self._packed(row), zlib.decompressobj())
        try:
            state.skip(first - state.at)
            return state.take(size)
        except zlib.error:
            return None

    def _packed(self, row: int) -> Iterator[bytes]:
        assert self._places is not None
        at, size = self._places[row]
        for start in range(0, size, _CHUNK):
            yield self._archive.part(self._name, at + start, min(_CHUNK, size - start))

    def _blocks(self, rows: int) -> list[tuple[int, int]] | None:
        """Return the offset and size of each row's packed block; None unless there is one block per row, in order."""
        head = len(PACKED) + 8
        if not self._archive.starts(self._name, PACKED):
            return None
        count = int.from_bytes(
            self._archive.part(self._name, len(PACKED), 8), "little" if self._order == "<" else "big"
        )
        if count != rows:
            return None
        table = np.frombuffer(self._archive.part(self._name, head, _ENTRY * count), f"{self._order}i8")
        if len(table) != 3 * count:
            return None
        unpacked, packed, sizes = table[::3], table[1::3], table[2::3]
        ends = [*unpacked.tolist(), self._size * rows]
        whole = self._archive.size(self._name)
        if any(two - one != self._size for one, two in pairwise(ends)) or (packed < 0).any() or (sizes < 0).any():
            return None
        starts = head + _ENTRY * count + packed
        return None if (starts + sizes > whole).any() else [*zip(starts.tolist(), sizes.tolist(), strict=True)]


@dataclass(slots=True)
class _Unpacking:
    """A packed row that is unpacked from start to end, on demand.

    Attributes:
        packed: Yields the packed bytes that were not read yet.
        engine: The decompressor.
        piece: Packed bytes that were read but not unpacked yet.
        at: The number of unpacked bytes that have been returned or skipped so far.
    """

    packed: Iterator[bytes]
    engine: Any
    piece: bytes = b""
    at: int = 0

    def take(self, size: int) -> bytes:
        """Return the next bytes; fewer if the row ends."""
        parts, left = [], size
        while left > 0:
            piece = self.piece or next(self.packed, b"")
            part = self.engine.decompress(piece, left)
            if not (piece or part):
                break
            self.piece = self.engine.unconsumed_tail
            parts.append(part)
            left -= len(part)
        self.at += size - left
        return b"".join(parts)

    def skip(self, size: int) -> None:
        """Skip the next bytes."""
        while size > 0 and (part := self.take(min(size, _CHUNK))):
            size -= len(part)
