"""Reading CUBE 4 (``.cubex``): a tar archive of ``anchor.xml`` and of two binary files a metric.

``N.index`` lists the call paths that metric N has values of, ``N.data`` the values, location by location.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ..experiment import CallPath, Experiment, Location
from ..severities import LazySeverities, Severity
from ..source import Source
from .archive import Archive
from .broken import broken_parts
from .cubex_layout import ANCHOR, DATA, INDEX, INDEX_HEAD, LISTED, NOTHING, PACKED, numbered
from .head import CubeHead, StoredMetric
from .matrices import parser_for
from .numbers import finite
from .reader import check_size
from .value_types import TYPES

__all__ = ["read_cubex"]

_MAX_ANCHOR: Final = 1 << 29
_CHUNK: Final = 1 << 16


def read_cubex(source: Source) -> Experiment:
    """Read a CUBE 4 file; of its values none until a metric is asked for.

    Raises:
        InputError: The archive is broken or unsafe, or its parts contradict each other.
    """
    archive = Archive(source)
    with broken_parts(source.path, "CUBE 4"):
        head = CubeHead("4")
        parser = parser_for(head)
        anchor = _unpacked(archive.read(ANCHOR, _MAX_ANCHOR))
        for start in range(0, len(anchor), _CHUNK):
            parser.feed(anchor[start : start + _CHUNK])
        parser.close()
        head.check_version()
        return _experiment(archive, head)


def _experiment(archive: Archive, head: CubeHead) -> Experiment:
    stored = {each.metric.name: each for each in head.metrics()}
    locations = head.system.locations(ours=head.ours)
    paths = head.call_paths()
    check_size(len(paths), len(locations))
    values = _Values(archive, stored, paths, locations)
    return Experiment(
        metrics=[each.metric for each in stored.values()],
        call_paths=paths,
        locations=[location for _, location in locations],
        severities=LazySeverities(stored, values.exclusive, inclusive=values.inclusive),
        topologies=head.system.topologies(dict(locations)),
        notes=head.notes(),
    )


class _Values:
    """Reads the values of one metric."""

    def __init__(
        self,
        archive: Archive,
        metrics: dict[str, StoredMetric],
        paths: Sequence[CallPath],
        locations: Sequence[tuple[int, Location]],
    ) -> None:
        self._archive = archive
        self._metrics = metrics
        self._parents = [path.parent for path in paths]
        self._columns = np.argsort([number for number, _ in locations])

    def exclusive(self, name: str) -> Severity:
        values = self._stored(name)
        stored = self._metrics[name]
        if not stored.inclusive or stored.metric.aggregation == "none":
            return values
        exclusive = values.copy()
        for path, parent in enumerate(self._parents):
            if parent is not None:
                exclusive[parent] -= values[path]
        return exclusive

    def inclusive(self, name: str) -> Severity | None:
        return self._stored(name) if self._metrics[name].inclusive else None

    def _stored(self, name: str) -> Severity:
        metric = self._metrics[name]
        nothing = np.nan if metric.metric.aggregation in NOTHING else 0.0
        severity = np.full((len(self._parents), len(self._columns)), nothing)
        if f"{metric.number}.index" not in self._archive:
            return severity
        with broken_parts(self._archive.path, f"CUBE 4 with values of {name}"):
            order, places = self._index(metric)
            found = self._data(metric, order, len(places) * len(self._columns))
            severity[np.ix_(places, self._columns)] = found.reshape(len(places), len(self._columns))
            finite(severity, metric.metric)
        return severity

    def _index(self, metric: StoredMetric) -> tuple[str, npt.NDArray[np.intp]]:
        """Give the byte order, and the call paths that there are values of."""
        text = self._archive.read(f"{metric.number}.index", 64 + 4 * len(self._parents))
        if not text.startswith(INDEX):
            raise InputError(f"{metric.number}.index: expected {INDEX.decode()} at its start")
        if len(text) < INDEX_HEAD:
            raise InputError(f"{metric.number}.index: expected a whole index, found {len(text)} bytes")
        order = "<" if text[11:15] == b"\x01\0\0\0" else ">"
        kind, count = struct.unpack(f"{order}Bi", text[17:INDEX_HEAD])
        if kind != LISTED:
            raise InputError(f"{metric.number}.index: expected an index of kind {LISTED}, found kind {kind}")
        listed = np.frombuffer(text[INDEX_HEAD:], f"{order}i4")
        if (
            len(listed) != count
            or len(np.unique(listed)) != count
            or not ((listed >= 0) & (listed < len(self._parents))).all()
        ):
            raise InputError(f"{metric.number}.index: expected {count} different call paths")
        return order, numbered(self._parents, inclusive=metric.inclusive)[listed]

    def _data(self, metric: StoredMetric, order: str, count: int) -> npt.NDArray[np.float64]:
        kind = np.dtype(order + TYPES[metric.dtype])
        size = count * kind.itemsize
        text = self._archive.read(f"{metric.number}.data", 2 * size + (1 << 20))
        if text.startswith(PACKED):
            text = _inflated(text[len(PACKED) :], order, size)
        elif text.startswith(DATA):
            text = text[len(DATA) :]
        else:
            raise InputError(f"{metric.number}.data: expected {DATA.decode()} or {PACKED.decode()} at its start")
        if len(text) != size:
            raise InputError(f"{metric.number}.data: expected {size} bytes of values, found {len(text)}")
        return np.frombuffer(text, kind).astype(np.float64)


def _inflated(text: bytes, order: str, size: int) -> bytes:
    """Unpack blocks: their count, then for each its place unpacked, its place packed and its packed size."""
    count = struct.unpack_from(f"{order}q", text)[0]
    if not 0 <= 24 * count <= len(text):
        raise InputError(f"expected a list of {count} packed blocks, found fewer")
    blocks = struct.unpack_from(f"{order}{3 * count}q", text, 8)
    at = 8 + 24 * count
    parts: list[bytes] = []
    left = size
    for packed in blocks[2::3]:
        engine = zlib.decompressobj()
        try:
            part = engine.decompress(text[at : at + packed], left + 1) if packed else b""
        except zlib.error as error:
            raise InputError(f"broken packed values: {error}") from None
        at += packed
        left -= len(part)
        if left < 0 or packed < 0:
            raise InputError(f"expected packed values of {size} bytes, found more")
        parts.append(part)
    return b"".join(parts)


def _unpacked(anchor: bytes) -> bytes:
    """Unpack the anchor if it is packed."""
    if not anchor.startswith(b"\x1f\x8b"):
        return anchor
    engine = zlib.decompressobj(wbits=31)
    try:
        text = engine.decompress(anchor, _MAX_ANCHOR + 1)
    except zlib.error as error:
        raise InputError(f"{ANCHOR}: broken gzip data: {error}") from None
    if len(text) > _MAX_ANCHOR or not engine.eof:
        raise InputError(f"{ANCHOR}: expected whole gzip data of at most {_MAX_ANCHOR >> 20} MiB unpacked")
    return text
