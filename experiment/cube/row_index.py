"""The index files of a CUBE 4 archive, which show for which call paths a metric has values.

``CUBEX.INDEX`` is followed by a byte order, a version and the kind of the index. A sparse index then lists the call
paths in the order of their rows of values; if there are no values, the list is missing. A dense index has no list: each
call path has a row, but the rows of the last call paths may be missing.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from .cubex_layout import ALL, INDEX, INDEX_HEAD, LISTED

__all__ = ["RowIndex"]


@dataclass(frozen=True)
class RowIndex:
    """The rows of a metric.

    Attributes:
        order: The byte order of the index and of the values: ``<`` or ``>``.
        listed: The numbers of the call paths, as in ``numbered``, in the order of their rows.
        dense: Whether the index is dense. If so, ``listed`` contains all call paths, but the last ones may have no row.
    """

    order: str
    listed: npt.NDArray[np.intp]
    dense: bool

    @classmethod
    def parse(cls, text: bytes, call_paths: int) -> RowIndex:
        """Read an index file.

        Raises:
            InputError: The text is not an index, has an unknown kind, is cut off, or lists nonexistent call paths.
        """
        if not text.startswith(INDEX):
            raise InputError(f"expected the index to begin with {INDEX.decode()}")
        if len(text) < INDEX_HEAD:
            raise InputError(f"expected a whole index, found {len(text)} bytes")
        order = "<" if text[11:15] == b"\x01\0\0\0" else ">"
        kind, rest = text[INDEX_HEAD - 1], text[INDEX_HEAD:]
        if kind == ALL:
            return cls(order, np.arange(call_paths), dense=True)
        if kind != LISTED:
            raise InputError(f"expected an index of kind {LISTED} (sparse) or {ALL} (dense), found kind {kind}")
        if not rest:
            return cls(order, np.arange(0), dense=False)
        if len(rest) < 4:
            raise InputError(f"expected a whole index, found {len(text)} bytes")
        (count,) = struct.unpack_from(f"{order}i", rest)
        listed = np.frombuffer(rest[4 : len(rest) // 4 * 4], f"{order}i4").astype(np.intp)
        there = (listed >= 0) & (listed < call_paths)
        if len(rest) != 4 + 4 * count or len(np.unique(listed)) != count or not there.all():
            raise InputError(
                f"expected {count} different call paths in the index, found repeated, unknown or missing ones"
            )
        return cls(order, listed, dense=False)

    def rows(self, size: int, row: int) -> int:
        """Return the number of rows of ``row`` bytes each in ``size`` bytes of values.

        Raises:
            InputError: There are fewer rows than a sparse index lists, or the last row is cut off.
        """
        wanted = len(self.listed)
        if size >= wanted * row:
            return wanted
        if not self.dense or size % row:
            raise InputError(f"expected {wanted * row} bytes of values, found {size}")
        return size // row
