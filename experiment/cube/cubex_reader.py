"""Read CUBE 4 (``.cubex``): a tar archive of ``anchor.xml`` and two binary files per metric.

``N.index`` lists the call paths for which metric N has values. For each of them, ``N.data`` contains a row with one
value per location.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

import numpy as np
from lxml import etree

from ...errors import InputError
from ..call_path import CallPath
from ..experiment import Experiment, Location
from ..severities import LazySeverities, Rows, Severity
from ..source import Source
from .archive import Archive
from .broken import broken_parts
from .cubex_layout import ANCHOR, DATA, LOCATIONS, NOTHING, PACKED, numbered
from .head import CubeHead, StoredMetric
from .location_table import LocationTable
from .matrices import escaped, parser_for
from .numbers import finite
from .reader import check_size
from .row_index import RowIndex
from .stored_rows import StoredRows
from .value_types import TYPES
from .wrapped import below_zero

__all__ = ["read_cubex"]

_MAX_ANCHOR: Final = 1 << 29
_CHUNK: Final = 1 << 16


def read_cubex(source: Source) -> Experiment:
    """Read a CUBE 4 file; values are read when a metric is first used.

    Raises:
        InputError: The archive is broken, unsafe or inconsistent.
    """
    archive = Archive(source)
    with broken_parts(source.path, "CUBE 4"):
        table = LocationTable.of(archive)
        anchor = _unpacked(archive.read(ANCHOR, _MAX_ANCHOR)) if table is None else table.rest_of_anchor(archive)
        try:
            head = _head(anchor)
        except etree.XMLSyntaxError:
            head = _head(escaped(anchor))
        head.check_version()
        return _experiment(archive, head, table)


def _head(anchor: bytes) -> CubeHead:
    head = CubeHead("4")
    parser = parser_for(head)
    for start in range(0, len(anchor), _CHUNK):
        parser.feed(anchor[start : start + _CHUNK])
    parser.close()
    return head


def _experiment(archive: Archive, head: CubeHead, table: LocationTable | None) -> Experiment:
    if table and not head.ours:
        raise InputError(
            f"{LOCATIONS}: expected an {ANCHOR} written by autoanalyzer beside this file, found one written by "
            "another tool"
        )
    stored = {each.metric.name: each for each in head.metrics()}
    locations = [*enumerate(table.locations)] if table else head.system.locations(ours=head.ours)
    paths = head.call_paths()
    check_size(len(paths), len(locations))
    values = _Values(archive, stored, paths, locations)
    remarks = (*archive.remarks, *values.left_out())
    metrics = [each.metric for each in stored.values()]
    severities = LazySeverities(
        stored, values.exclusive, inclusive=values.inclusive, rows=values.rows, columns=values.columns
    )
    return Experiment(
        metrics=metrics,
        call_paths=paths,
        locations=[location for _, location in locations],
        severities=severities,
        topologies=head.system.topologies(dict(locations)),
        notes=head.notes(*remarks, *(() if head.ours else below_zero(metrics, severities))),
        numbers=head.numbers(),
    )


class _Values:
    """Reads the values of metrics, one metric at a time."""

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
        self._in_order = bool((self._columns == np.arange(len(self._columns))).all())
        self._parts: dict[str, StoredRows] = {}

    def exclusive(self, name: str) -> Severity:
        return self._own(name, self._stored(name))

    def _own(self, name: str, values: Severity) -> Severity:
        """Return a metric's stored values as exclusive values; inclusive values are converted in place."""
        metric = self._metrics[name]
        if metric.inclusive and metric.metric.aggregation != "none":
            # Parents come first, so the children's values that are subtracted are still inclusive.
            for path, parent in enumerate(self._parents):
                if parent is not None:
                    values[parent] -= values[path]
        return values

    def inclusive(self, name: str) -> Severity | None:
        return self._stored(name) if self._metrics[name].inclusive else None

    def rows(self, name: str, rows: Rows) -> Severity | None:
        """Return exclusive values of some call paths, ``float64[row, location]``.

        Return None if the file stores inclusive values, or does not store each row separately.
        """
        metric = self._metrics[name]
        if metric.inclusive:
            return None
        found = self._nothing(metric, len(rows), len(self._columns))
        if f"{metric.number}.index" not in self._archive:
            return np.zeros_like(found)
        with broken_parts(self._archive.path, f"CUBE 4 with values of {name}"):
            stored = self._in_parts(metric)
            values = stored.rows(rows)
            if values is None:
                return None
            found[np.ix_(stored.has(rows), self._columns)] = values
            finite(found, metric.metric)
        return found

    def columns(self, name: str, columns: slice) -> Severity | None:
        """Return exclusive values of consecutive locations, ``float64[call path, location]``.

        Return None if the file does not store each row separately, or stores the locations in another order.
        """
        metric = self._metrics[name]
        if not self._in_order:
            return None
        found = self._nothing(metric, len(self._parents), columns.stop - columns.start)
        if f"{metric.number}.index" not in self._archive:
            return np.zeros_like(found)
        with broken_parts(self._archive.path, f"CUBE 4 with values of {name}"):
            stored = self._in_parts(metric)
            values = stored.columns(columns)
            if values is None:
                return None
            finite(values, metric.metric)
            found[stored.paths] = values
        return self._own(name, found)

    def _nothing(self, metric: StoredMetric, rows: int, columns: int) -> Severity:
        """Return the values of call paths without a row, 0 or NaN; ``float64[row, column]``."""
        if metric.metric.aggregation in NOTHING:
            return np.full((rows, columns), np.nan)
        return np.zeros((rows, columns))

    def _in_parts(self, metric: StoredMetric) -> StoredRows:
        name = metric.metric.name
        if name not in self._parts:
            index = self._index(metric)
            kind = np.dtype(index.order + TYPES[metric.dtype])
            paths = numbered(self._parents, inclusive=metric.inclusive)[index.listed]
            width = len(self._columns)
            self._parts[name] = StoredRows(self._archive, f"{metric.number}.data", index.order, kind, paths, width)
        return self._parts[name]

    def left_out(self) -> Iterator[str]:
        """Yield warnings about metrics with rows that belong to no call path, which only unpacked metrics can have."""
        for name, metric in self._metrics.items():
            data, kind = f"{metric.number}.data", TYPES.get(metric.dtype)
            if kind and f"{metric.number}.index" in self._archive and self._archive.starts(data, DATA):
                rows = (self._archive.size(data) - len(DATA)) // (len(self._columns) * np.dtype(kind).itemsize)
                with suppress(InputError):  # the error is reported when the metric is used
                    more = rows - len(self._index(metric).listed)
                    if more > 0:
                        yield f"{name}: ignored {more} row{'s' * (more > 1)} of values without a call path"

    def _stored(self, name: str) -> Severity:
        metric = self._metrics[name]
        severity = self._nothing(metric, len(self._parents), len(self._columns))
        if f"{metric.number}.index" not in self._archive:
            return np.zeros_like(severity)
        with broken_parts(self._archive.path, f"CUBE 4 with values of {name}"):
            if self._fill(severity, metric):
                return severity
            index = self._index(metric)
            if len(index.listed):
                rows = self._rows(metric, index)
                paths = numbered(self._parents, inclusive=metric.inclusive)[index.listed[: len(rows)]]
                severity[np.ix_(paths, self._columns)] = rows
            finite(severity, metric.metric)
        return severity

    def _fill(self, severity: Severity, metric: StoredMetric) -> bool:
        """Fill ``severity`` row by row; return False if the values are not stored in separate rows."""
        stored = self._in_parts(metric)
        for path in stored.paths.tolist():
            values = stored.rows(np.array([path]))
            if values is None:
                return False
            finite(values, metric.metric)
            severity[path, slice(None) if self._in_order else self._columns] = values[0]
        return True

    def _index(self, metric: StoredMetric) -> RowIndex:
        name = f"{metric.number}.index"
        try:
            return RowIndex.parse(self._archive.read(name, 64 + 4 * len(self._parents)), len(self._parents))
        except InputError as error:
            raise InputError(f"{name}: {error}") from None

    def _rows(self, metric: StoredMetric, index: RowIndex) -> Severity:
        """Return all stored rows, ``float64[row, location]``."""
        name = f"{metric.number}.data"
        kind = np.dtype(index.order + TYPES[metric.dtype])
        row = len(self._columns) * kind.itemsize
        most = len(self._parents) * row
        text = self._archive.read(name, 2 * most + (1 << 20))
        if text.startswith(PACKED):
            text = _inflated(text[len(PACKED) :], index.order, most)
        elif text.startswith(DATA):
            text = text[len(DATA) :]
        else:
            raise InputError(f"{name}: expected the file to begin with {DATA.decode()} or {PACKED.decode()}")
        try:
            rows = index.rows(len(text), row)
        except InputError as error:
            raise InputError(f"{name}: {error}") from None
        values = np.frombuffer(text, kind, rows * len(self._columns))
        return values.astype(np.float64).reshape(rows, len(self._columns))


def _inflated(text: bytes, order: str, most: int) -> bytes:
    """Unpack blocks, after their count and the unpacked offset, packed offset and packed size of each block."""
    count = struct.unpack_from(f"{order}q", text)[0]
    if not 0 <= 24 * count <= len(text):
        raise InputError(f"expected a list of {count} packed blocks, found fewer")
    blocks = struct.unpack_from(f"{order}{3 * count}q", text, 8)
    start = 8 + 24 * count
    unpacked = bytearray()
    for place, at, packed in sorted(zip(blocks[::3], blocks[1::3], blocks[2::3], strict=True)):
        if place < len(unpacked) or at < 0 or packed < 0 or start + at + packed > len(text):
            raise InputError(
                "expected consecutive packed blocks, found one that overlaps another or extends beyond the end"
            )
        unpacked.extend(bytes(min(place, most + 1) - len(unpacked)))  # unset values have no block and are 0
        engine = zlib.decompressobj()
        try:
            unpacked += engine.decompress(text[start + at : start + at + packed], most - len(unpacked) + 1)
        except (zlib.error, ValueError) as error:
            raise InputError(f"broken packed values: {error}") from None
        if len(unpacked) > most:
            raise InputError(f"expected packed values of at most {most} bytes, found more")
    return bytes(unpacked)


def _unpacked(anchor: bytes) -> bytes:
    """Return the anchor, unpacked if it is gzipped."""
    if not anchor.startswith(b"\x1f\x8b"):
        return anchor
    engine = zlib.decompressobj(wbits=31)
    try:
        text = engine.decompress(anchor, _MAX_ANCHOR + 1)
    except zlib.error as error:
        raise InputError(f"{ANCHOR}: broken gzip data: {error}") from None
    if len(text) > _MAX_ANCHOR or not engine.eof:
        raise InputError(f"{ANCHOR}: expected complete gzip data of at most {_MAX_ANCHOR >> 20} MiB unpacked")
    return text
