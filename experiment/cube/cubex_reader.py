"""Reading CUBE 4 (``.cubex``): a tar archive of ``anchor.xml`` and of two binary files a metric.

``N.index`` lists the call paths that metric N has values of, ``N.data`` the values, location by location. Exclusive
metrics number the call paths depth first, inclusive ones each path's children before theirs.
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
from .head import CubeHead, StoredMetric
from .matrices import parser_for
from .numbers import finite
from .reader import check_size

__all__ = ["read_cubex"]

_ANCHOR: Final = "anchor.xml"
_MAX_ANCHOR: Final = 1 << 29
_CHUNK: Final = 1 << 16
_INDEX: Final = b"CUBEX.INDEX"
_INDEX_HEAD: Final = 22  # bytes: the word above, byte order, version, kind, how many call paths
_DATA: Final = b"CUBEX.DATA"
_PACKED: Final = b"ZCUBEX.DATA"
_LISTED: Final = 1  # the kind of index that lists its call paths

_TYPES: Final = {
    **dict.fromkeys(("FLOAT", "DOUBLE", "MINDOUBLE", "MAXDOUBLE"), "f8"),
    **dict.fromkeys(("INTEGER", "SIGNED INTEGER", "INT64"), "i8"),
    **dict.fromkeys(("UNSIGNED INTEGER", "UINT64"), "u8"),
    **dict.fromkeys(("INT", "SIGNED INT", "INT32"), "i4"),
    **dict.fromkeys(("UNSIGNED INT", "UINT32"), "u4"),
    **dict.fromkeys(("SHORT INT", "SIGNED SHORT INT", "INT16"), "i2"),
    **dict.fromkeys(("UNSIGNED SHORT INT", "UINT16"), "u2"),
    "INT8": "i1",
    **dict.fromkeys(("UINT8", "CHAR"), "u1"),
}


def read_cubex(source: Source) -> Experiment:
    """Read a CUBE 4 file; of its values none until a metric is asked for.

    Raises:
        InputError: The archive is broken or unsafe, or its parts contradict each other.
    """
    archive = Archive(source)
    with broken_parts(source.path, "CUBE 4"):
        head = CubeHead("4")
        parser = parser_for(head)
        anchor = _unpacked(archive.read(_ANCHOR, _MAX_ANCHOR))
        for start in range(0, len(anchor), _CHUNK):
            parser.feed(anchor[start : start + _CHUNK])
        parser.close()
        return _experiment(archive, head)


def _experiment(archive: Archive, head: CubeHead) -> Experiment:
    stored = {each.metric.name: each for each in head.metrics()}
    locations = head.system.locations(ours=False)
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
        severity = np.zeros((len(self._parents), len(self._columns)))
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
        if not text.startswith(_INDEX):
            raise InputError(f"{metric.number}.index: expected {_INDEX.decode()} at its start")
        if len(text) < _INDEX_HEAD:
            raise InputError(f"{metric.number}.index: expected a whole index, found {len(text)} bytes")
        order = "<" if text[11:15] == b"\x01\0\0\0" else ">"
        kind, count = struct.unpack(f"{order}Bi", text[17:_INDEX_HEAD])
        if kind != _LISTED:
            raise InputError(f"{metric.number}.index: expected an index of kind {_LISTED}, found kind {kind}")
        listed = np.frombuffer(text[_INDEX_HEAD:], f"{order}i4")
        if (
            len(listed) != count
            or len(np.unique(listed)) != count
            or not ((listed >= 0) & (listed < len(self._parents))).all()
        ):
            raise InputError(f"{metric.number}.index: expected {count} different call paths")
        paths = self._breadth_first() if metric.inclusive else np.arange(len(self._parents))
        return order, paths[listed]

    def _breadth_first(self) -> npt.NDArray[np.intp]:
        """Number the call paths so that the children of each follow one another, before those of the first child."""
        children: list[list[int]] = [[] for _ in self._parents]
        for path, parent in enumerate(self._parents):
            if parent is not None:
                children[parent].append(path)
        order: list[int] = []
        for root in (path for path, parent in enumerate(self._parents) if parent is None):
            order.append(root)
            pending = [root]
            while pending:
                below = children[pending.pop()]
                order.extend(below)
                pending.extend(reversed(below))
        return np.array(order, dtype=np.intp)

    def _data(self, metric: StoredMetric, order: str, count: int) -> npt.NDArray[np.float64]:
        kind = np.dtype(order + _TYPES[metric.metric.dtype])
        size = count * kind.itemsize
        text = self._archive.read(f"{metric.number}.data", 2 * size + (1 << 20))
        if text.startswith(_PACKED):
            text = _inflated(text[len(_PACKED) :], order, size)
        elif text.startswith(_DATA):
            text = text[len(_DATA) :]
        else:
            raise InputError(f"{metric.number}.data: expected {_DATA.decode()} or {_PACKED.decode()} at its start")
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
        raise InputError(f"{_ANCHOR}: broken gzip data: {error}") from None
    if len(text) > _MAX_ANCHOR or not engine.eof:
        raise InputError(f"{_ANCHOR}: expected whole gzip data of at most {_MAX_ANCHOR >> 20} MiB unpacked")
    return text
