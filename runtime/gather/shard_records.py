"""Find a shard's records, which are at the same offsets in most shards of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from . import shard_layout as layout

__all__ = ["RecordPlaces", "Records"]

_Lines = npt.NDArray[np.intp]

_KINDS: Final = range(layout.REGION_RECORD, layout.MESSAGES_RECORD + 1)
_PER_LINE: Final = layout.ALIGNMENT // 4
_MOST: Final = 64  # maximum number of cached layouts, about 10 kB each; most ranks share one of a few layouts


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The records of a shard, by the lines of ``ALIGNMENT`` bytes at which they begin.

    Attributes:
        lines: ``intp[record]``: the line at which each record begins.
        heads: ``uint32[record]``: kind and number of lines.
        first: For each kind, ``intp[record]``: the line at which each record of this kind begins.
        regions: The lines of all regions, concatenated.
        used: The bytes of the shard that are in use.
        wrong: The first line without the record that must begin there; None if all records are complete.
    """

    lines: _Lines
    heads: npt.NDArray[np.uint32]
    first: dict[int, _Lines]
    regions: _Lines
    used: int
    wrong: int | None

    def offsets(self, kind: int) -> list[int]:
        """Return the offsets of the records of a kind, in bytes."""
        return [line * layout.ALIGNMENT for line in self.first[kind].tolist()]

    def strange(self) -> tuple[int, int] | None:
        """Return the offset in bytes, and the kind, of the first record of an unknown kind; None if there is none."""
        kinds = self.heads & 0xFFFF
        unknown = np.flatnonzero((kinds < _KINDS.start) | (kinds >= _KINDS.stop))
        return (int(self.lines[unknown[0]]) * layout.ALIGNMENT, int(kinds[unknown[0]])) if len(unknown) else None


class RecordPlaces:
    """Finds records by walking from one to the next, unless they are at the same offsets as in an earlier shard."""

    def __init__(self) -> None:
        self._known: list[Records] = []  # most recently used first

    def of(self, data: bytes, used: int) -> Records:
        """Return the records of a shard.

        Args:
            data: The shard's bytes.
            used: The number of bytes in use.
        """
        words = np.frombuffer(data, "u4", count=used // layout.ALIGNMENT * _PER_LINE)[::_PER_LINE]
        known = self._known
        for place, records in enumerate(known):
            if records.used == used and (words[records.lines] == records.heads).all():
                if place:
                    known.insert(0, known.pop(place))
                return records
        records = _walked(words, used)
        if records.wrong is None:
            known.insert(0, records)
            del known[_MOST:]
        return records


def _walked(words: npt.NDArray[np.uint32], used: int) -> Records:
    at: list[int] = []
    heads = words.tolist()
    line = layout.HEADER_LAYOUT.itemsize // layout.ALIGNMENT
    end = used / layout.ALIGNMENT
    wrong = None
    while line < end:
        size = heads[line] >> 16 if line < len(heads) else 0
        if not size or line + size > end:
            wrong = line
            break
        at.append(line)
        line += size
    lines = np.array(at, dtype=np.intp)
    found = words[lines]
    kinds = found & 0xFFFF
    regions = [*_lines_of(lines[kinds == layout.REGION_RECORD], found[kinds == layout.REGION_RECORD])]
    first = {kind: lines[kinds == kind] for kind in _KINDS}
    return Records(lines, found, first, np.array(regions, dtype=np.intp), used, wrong)


def _lines_of(lines: _Lines, heads: npt.NDArray[np.uint32]) -> Iterator[int]:
    for line, head in zip(lines.tolist(), heads.tolist(), strict=True):
        yield from range(line, line + (head >> 16))
