"""A table of a large experiment's locations, stored in addition to the XML, which would take seconds to parse.

CUBE 4 does not define this member of the archive, and its tools ignore it. The table also contains the range of the XML
that describes the same locations, so that readers can skip it.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

import numpy as np

from ...errors import InputError
from ..experiment import Location
from .archive import Archive
from .cubex_layout import ANCHOR, LOCATIONS

__all__ = ["LocationTable"]

_MAGIC: Final = b"AALOCATIONS1"
_HEAD: Final = struct.Struct(
    "<IQQQQ"
)  # checksum of everything after it; number of locations; range of the XML to cut; length of the names
_CHECKSUM: Final = 4
_KINDS: Final = ("<i4", "<i4", "<i8", "<i8")  # machine and node, as indices of names; process; thread
_ROW: Final = sum(np.dtype(kind).itemsize for kind in _KINDS)
_MOST: Final = 1 << 30
_NUMBER: Final = re.compile(rb'<location Id="(\d{1,18})"')
_LONGEST: Final = 40  # maximum number of bytes in a match
_PIECE: Final = 1 << 20
_BEFORE: Final = b"<system>"
_BEHIND: Final = (b"<topologies>", b"</system>")


@dataclass(frozen=True)
class LocationTable:
    """The locations of an experiment.

    Attributes:
        locations: All locations, in the order of their numbers in the file.
        cut: The offsets in the XML at which the part with the same locations begins and ends.
    """

    locations: Sequence[Location]
    cut: tuple[int, int]

    def to_bytes(self) -> bytes:
        """Return the content of the archive's member."""
        names = dict.fromkeys(name for each in self.locations for name in (each.machine, each.node))
        place = {name: number for number, name in enumerate(names)}
        columns = (
            [place[each.machine] for each in self.locations],
            [place[each.node] for each in self.locations],
            [each.process for each in self.locations],
            [each.thread for each in self.locations],
        )
        arrays = b"".join(np.array(column, kind).tobytes() for column, kind in zip(columns, _KINDS, strict=True))
        text = json.dumps(list(names)).encode()
        body = _HEAD.pack(0, len(self.locations), *self.cut, len(text))[_CHECKSUM:] + text + arrays
        return _MAGIC + struct.pack("<I", zlib.crc32(body)) + body

    @classmethod
    def of(cls, archive: Archive) -> LocationTable | None:
        """Read the table from an archive; return None if there is none.

        Raises:
            InputError: The table is broken.
        """
        if LOCATIONS not in archive:
            return None
        text = archive.read(LOCATIONS, _MOST)
        if not text.startswith(_MAGIC) or len(text) < len(_MAGIC) + _HEAD.size:
            instead = f"{len(text)} bytes" if text.startswith(_MAGIC) else repr(text[: len(_MAGIC)])
            raise InputError(f"{LOCATIONS}: expected {_MAGIC.decode()} and a header, found {instead}")
        checksum, count, start, end, length = _HEAD.unpack_from(text, len(_MAGIC))
        names_at = len(_MAGIC) + _HEAD.size
        size = names_at + length + count * _ROW
        if len(text) < size:
            raise InputError(f"{LOCATIONS}: expected {size} bytes for {count} locations, found {len(text)} bytes")
        computed = zlib.crc32(memoryview(text)[len(_MAGIC) + _CHECKSUM : size])
        if computed != checksum:
            raise InputError(f"{LOCATIONS}: expected the checksum {checksum:#010x}, found {computed:#010x}")
        names = json.loads(text[names_at : names_at + length])
        columns = []
        at = names_at + length
        for kind in _KINDS:
            columns.append(np.frombuffer(text, kind, count, at))
            at += columns[-1].nbytes
        if not all(isinstance(name, str) for name in names):
            raise InputError(f"{LOCATIONS}: expected names of machines and nodes, found other values")
        most = (len(names), len(names), 1 << 62, 1 << 62)
        for what, column, end_of in zip(("machine", "node", "process", "thread"), columns, most, strict=True):
            if count and (column.min() < 0 or column.max() >= end_of):
                raise InputError(
                    f"{LOCATIONS}: expected {what} numbers from 0 to {end_of - 1}, found numbers from "
                    f"{column.min()} to {column.max()}"
                )
        machine, node, process, thread = (column.tolist() for column in columns)
        found = map(Location, map(names.__getitem__, machine), map(names.__getitem__, node), process, thread)
        return cls(list(found), (start, end))

    def rest_of_anchor(self, archive: Archive) -> bytes:
        """Return the XML without the part that the table replaces.

        Raises:
            InputError: The part is not the complete system, or contains other locations.
        """
        start, end = self.cut
        size = archive.size(ANCHOR)
        before = archive.part(ANCHOR, 0, min(start, _MOST))
        behind = archive.part(ANCHOR, end, min(size, _MOST)) if start <= end <= size else b""
        if not before.endswith(_BEFORE) or not behind.startswith(_BEHIND):
            raise InputError(
                f"{LOCATIONS}: expected the complete system in bytes {start} to {end} of {ANCHOR}, found only a part"
            )
        there = [number for numbers in _numbers(archive, start, end) for number in numbers]
        if len(there) != len(self.locations):
            raise InputError(
                f"{LOCATIONS}: expected {len(there)} locations as in {ANCHOR}, found {len(self.locations)}"
            )
        for number, own in zip(there, self._in_order(), strict=True):
            if number != own:
                raise InputError(
                    f"{LOCATIONS}: expected the locations' order in {ANCHOR}, found location {own} instead of {number}"
                )
        return before + behind

    def _in_order(self) -> list[int]:
        """Return the numbers of the locations in the XML's order: by machine, node, process and thread."""
        keys = [*map(attrgetter("machine", "node", "process", "thread"), self.locations)]
        return sorted(range(len(keys)), key=keys.__getitem__)


def _numbers(archive: Archive, start: int, end: int) -> Iterator[list[int]]:
    """Yield the locations' numbers in a range of the XML, block by block.

    A number on the boundary between two blocks is yielded with the second one.
    """
    rest = b""
    while start < end and (text := archive.part(ANCHOR, start, min(_PIECE, end - start))):
        start += len(text)
        text = rest + text
        yield [int(number) for number in _NUMBER.findall(text)]
        rest = text[max(text.rfind(b"<"), len(text) - _LONGEST) :]
        if _NUMBER.match(rest):
            rest = b""
