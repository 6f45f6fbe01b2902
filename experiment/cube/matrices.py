"""Read the severities of a CUBE 3 file: find each metric's matrix, and read one matrix at a time."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from lxml import etree

from ...errors import InputError
from ..severities import Severity
from ..source import Source
from .broken import broken_parts
from .head import StoredMetric
from .numbers import RowParser, finite
from .value_types import UNSIGNED_64
from .wrapped import unwrapped

__all__ = ["CubeMatrices", "escaped", "parser_for", "severities_end"]

_CHUNK: Final = 1 << 20
_LONGEST_NUMBER: Final = 1 << 8  # maximum length in bytes of a number with the white space around it
_LONGEST_TAG: Final = 1 << 12
# How many bytes at the end of the file are searched for the end of the severities, which is usually there.
_TAILS: Final = (1 << 12, 1 << 20)
_MATRIX_START: Final = b"<matrix"
# Blocks are first searched for this byte of the tag, which is several times as fast; rows do not contain it.
_RARE: Final = b"m"
_SEVERITY_END: Final = b"</severity"
_MATRIX: Final = re.compile(rb"""<matrix[ \t\r\n]+metricId[ \t\r\n]*=[ \t\r\n]*["'](\d+)["'][ \t\r\n]*/?>""")
_ROW: Final = re.compile(rb'[ \t\r\n]*<row cnodeId="(\d+)">')
_ROW_END: Final = b"</row>"
_MATRIX_END: Final = re.compile(rb"[ \t\r\n]*</matrix>[ \t\r\n]*")
_AS_IT_IS: Final = re.compile(rb"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|&#?\w+;|(&)", re.S)
# Groups are atomic, so that a mismatch does not backtrack through many comments.
_SPACE: Final = rb"(?>[ \t\r\n]+|<!--.*?-->)*+"
_BETWEEN: Final = re.compile(_SPACE, re.S)
_FILE_END: Final = re.compile(rb"</severity[ \t\r\n]*>%b</cube[ \t\r\n]*>%b" % (_SPACE, _SPACE), re.S)


class CubeMatrices:
    """Reads one metric at a time; the file is scanned once to find where each metric starts.

    Args:
        source: The file.
        content: The offsets at which the content of ``<severity>`` starts and ends; None if it is empty.
        places: The row of each call path, by the call path's number in the file.
        columns: The column of each value of a row.
        metrics: The metrics by their names.
        known: The numbers of all metrics, including those left out.
    """

    def __init__(
        self,
        source: Source,
        content: tuple[int, int] | None,
        *,
        places: Mapping[int, int],
        columns: npt.NDArray[np.intp],
        metrics: Mapping[str, StoredMetric],
        known: Collection[int],
    ) -> None:
        self._source = source
        self._content = content
        self._places = places
        self._columns = columns
        self._metrics = metrics
        self._known = known
        self._longest = _LONGEST_NUMBER * (len(columns) + 1)

    def read(self, metric: str) -> Severity:
        """Return a metric's values, ``float64[call path, location]``; 0 if a row or the matrix is missing.

        Raises:
            InputError: The severities are broken, or inconsistent with the part before them.
        """
        severity = np.zeros((len(self._places), len(self._columns)))
        with broken_parts(self._source.path, f"CUBE 3 XML with values of {metric}"):
            slot = self._index.get(self._metrics[metric].number)
            if slot is not None:
                try:
                    self._fill(severity, self._regular_rows(*slot), metric)
                except _IrregularError:
                    severity[:] = 0
                    self._fill(severity, self._rows(*slot), metric)
        return severity

    def _fill(self, severity: Severity, rows: Iterator[tuple[int, bytes]], metric: str) -> None:
        seen = bytearray(len(severity))
        width = severity.shape[1]
        parser = RowParser()
        unsigned = self._metrics[metric].dtype in UNSIGNED_64
        in_order = bool((self._columns == np.arange(width)).all())
        short = 0
        for number, text in rows:
            row = self._places.get(number)
            if row is None or seen[row]:
                found = "two rows for" if row is not None else "a row for the unknown"
                raise InputError(f"expected one row of {metric} per call path, found {found} call path {number}")
            seen[row] = 1
            try:
                values = parser.parse(text)
                if unsigned:
                    values = unwrapped(values, text)
            except ValueError:
                raise InputError(f"expected numbers in {metric} of call path {number}, found something else") from None
            count = len(values)
            if count > width:
                raise InputError(f"expected {width} values of {metric} for call path {number}, found {count}")
            short += count < width
            severity[row, slice(count) if in_order else self._columns[:count]] = values
        finite(severity, self._metrics[metric].metric)
        if short:
            warnings.warn(
                f"{self._source.path}: {metric} has fewer than {width} values for {short} of the call paths; the "
                "missing values are read as 0, as in the CUBE tools",
                stacklevel=2,
            )

    def _regular_rows(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """Yield the rows of a matrix; raise ``_IrregularError`` if it does not have the layout that all tools write."""
        buffer, at, offset = b"", 0, start
        tag = _MATRIX.match(self._source.read(start, _LONGEST_TAG))
        if tag is None or tag[0].endswith(b"/>"):
            raise _IrregularError
        offset += tag.end()
        while True:
            row = _ROW.match(buffer, at)
            stop = buffer.find(b"<", row.end()) if row else -1
            if row is None or stop < 0 or (stop + len(_ROW_END) > len(buffer) and offset < end):
                if offset >= end:
                    break
                if len(buffer) - at > self._longest + _CHUNK:
                    raise _too_long(self._longest)
                size = min(max(_CHUNK, len(buffer) - at), end - offset)
                buffer, at = buffer[at:] + self._source.read(offset, size), 0
                offset += size
                continue
            text = buffer[row.end() : stop]
            at = stop + len(_ROW_END)
            if buffer[stop:at] != _ROW_END or b"&" in text:
                raise _IrregularError
            yield int(row[1]), text
        if not _MATRIX_END.fullmatch(buffer, at):
            raise _IrregularError

    def _rows(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """Yield the rows of a matrix, read with the XML parser."""
        target = _RowTarget(self._longest)
        parser = parser_for(target)
        while start < end:
            parser.feed(self._source.read(start, min(_CHUNK, end - start)))
            start += _CHUNK
            yield from target.taken()
        parser.close()
        yield from target.taken()

    @cached_property
    def _index(self) -> dict[int, tuple[int, int]]:
        """Map each metric's number to the offsets at which its matrix starts and ends."""
        if self._content is None:
            return {}
        start, stop = self._content
        starts = self._starts(start, stop)
        if len(starts) > len(self._known):
            raise InputError(f"expected one matrix per metric ({len(self._known)}), found {len(starts)}")
        self._check_gap(start, starts[0] if starts else stop)
        index: dict[int, tuple[int, int]] = {}
        for start, end in pairwise([*starts, stop]):
            tag = _MATRIX.match(self._source.read(start, _LONGEST_TAG))
            if tag is None:
                raise _broken("expected a <matrix> with the number of a metric")
            number = int(tag[1])
            if number in index:
                raise InputError(f"expected one matrix for metric {number}, found two")
            if number not in self._known:
                raise InputError(f"expected matrices of known metrics, found one for the unknown metric {number}")
            index[number] = (start, end)
        return index

    def _starts(self, offset: int, end: int) -> list[int]:
        """Return the offsets in a part of the file at which matrices start."""
        starts: list[int] = []
        before = chunk = b""
        while following := self._source.read(offset, min(_CHUNK, end - offset)):
            before, chunk = chunk, following
            # A tag may begin at the end of the previous block. The overlap is too short to contain a whole tag.
            overlap = before[1 - len(_MATRIX_START) :]
            if _RARE in chunk or _RARE in overlap:
                text, base = overlap + chunk, offset - len(overlap)
                at = text.find(_MATRIX_START)
                while at >= 0:
                    starts.append(base + at)
                    at = text.find(_MATRIX_START, at + 1)
            offset += len(chunk)
        return starts

    def _check_gap(self, start: int, end: int) -> None:
        if not _BETWEEN.fullmatch(self._source.read(start, min(end - start, _CHUNK))):
            raise _broken("expected a <matrix>")


def severities_end(source: Source, start: int) -> int:
    """Return the offset of ``</severity>``, after which the file must end.

    Args:
        source: The file.
        start: The offset at which the content of ``<severity>`` starts.

    Raises:
        InputError: The file is cut off, or contains more than ``</cube>`` after ``</severity>``.
    """
    end = source.end()
    for size in _TAILS:
        offset = max(start, end - size)
        tail = source.read(offset, size)
        at = tail.rfind(_SEVERITY_END)
        if at >= 0:
            break
    if at < 0 or not _FILE_END.fullmatch(tail, at):
        raise _broken(f"expected </severity> and </cube> in the last {_TAILS[-1] >> 10} KiB; is the file truncated?")
    return offset + at


def _broken(message: str) -> InputError:
    return InputError(f"broken XML: {message}")


def _too_long(longest: int) -> InputError:
    return InputError(f"expected rows of at most {longest:,} characters, found a longer one")


class _IrregularError(Exception):
    """Raised if a matrix does not have the layout that all tools write."""


class _RowTarget:
    """Handles a parser's events within one ``<matrix>``."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._length = 0
        self._tags: list[str] = []
        self._number = 0
        self._text: list[str] = []
        self._rows: list[tuple[int, bytes]] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._tags.append(tag)
        if self._tags != ["matrix", "row"][: len(self._tags)]:
            raise InputError(f"expected rows in a matrix, found <{tag[:80]}>")
        if tag == "row":
            self._number = int(attributes["cnodeId"])
            self._text, self._length = [], 0

    def data(self, text: str) -> None:
        self._length += len(text)
        if self._length > self._longest:
            raise _too_long(self._longest)
        self._text.append(text)

    def end(self, tag: str) -> None:
        self._tags.pop()
        if tag == "row":
            self._rows.append((self._number, "".join(self._text).encode()))
            self._text = []

    def doctype(self, *_: str | None) -> None:
        raise InputError("refused a document type among the severities")

    def close(self) -> None:
        """Handle the end of the matrix."""

    def taken(self) -> list[tuple[int, bytes]]:
        rows, self._rows = self._rows, []
        return rows


def parser_for(target: Any) -> Any:
    """Return an XML parser that passes its events to ``target``, loads no other files and has no limits of its own."""
    return etree.XMLParser(
        target=target, resolve_entities=True, load_dtd=False, no_network=True, huge_tree=True, remove_pis=True
    )


def escaped(text: bytes) -> bytes:
    """Escape ampersands that do not begin an entity, because some names contain them, and the CUBE tools accept them.

    Args:
        text: The whole text up to the severities, so that no entity is cut off.
    """
    return _AS_IT_IS.sub(lambda found: b"&amp;" if found[1] else found[0], text) if b"&" in text else text
