"""Rows of values in a CUBE 4 archive that are read without the others."""

from __future__ import annotations

import zlib
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..severities import Rows, Severity
from .archive import Archive
from .cubex_layout import DATA, PACKED

__all__ = ["PackedRows"]

_ENTRY: Final = 24  # bytes: where a block is unpacked, where it is packed, how long


class PackedRows:
    """Finds the rows of a metric, plain or packed one by one, as cubelib and we do; of other layouts it gives None.

    Args:
        archive: Where they are.
        name: Of the member.
        order: Of bytes: ``<`` or ``>``.
        kind: Of the values.
        paths: ``intp[row]``: the call path of each row.
        width: Values in a row.
    """

    def __init__(  # noqa: PLR0917
        self, archive: Archive, name: str, order: str, kind: np.dtype[Any], paths: Rows, width: int
    ) -> None:
        self._archive, self._name, self._order, self._kind, self._width = archive, name, order, kind, width
        self._row = {int(path): row for row, path in enumerate(paths)}
        self._size = width * kind.itemsize
        self._plain = archive.starts(name, DATA)
        self._places = None if self._plain else self._blocks(len(paths))

    def has(self, paths: Rows) -> npt.NDArray[np.bool_]:
        """Tell which call paths have a row."""
        return np.array([int(path) in self._row for path in paths], dtype=np.bool_)

    def rows(self, paths: Rows) -> Severity | None:
        """Give the rows of those call paths that have one; ``float64[row, value]``."""
        wanted = [self._row[int(path)] for path in paths if int(path) in self._row]
        texts = [self._plain_row(row) if self._plain else self._packed_row(row) for row in wanted]
        if any(text is None or len(text) != self._size for text in texts):
            return None
        values = np.frombuffer(b"".join(text for text in texts if text is not None), self._kind)
        return values.astype(np.float64).reshape(len(wanted), self._width)

    def _plain_row(self, row: int) -> bytes:
        return self._archive.part(self._name, len(DATA) + row * self._size, self._size)

    def _packed_row(self, row: int) -> bytes | None:
        if self._places is None:
            return None
        at, size = self._places[row]
        try:
            return zlib.decompressobj().decompress(self._archive.part(self._name, at, size), self._size + 1)
        except zlib.error:
            return None  # said when all are read

    def _blocks(self, rows: int) -> list[tuple[int, int]] | None:
        """Find where each row is packed, and how long; None unless each has a block of its own, in their order."""
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
