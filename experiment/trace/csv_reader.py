"""Read traces in CSV, which any monitoring system can write.

The first line contains the names of the columns, ``time,process,thread,<metric>[<unit>],…``. Every other line is a
sample: seconds, a rank, a thread, and one number per metric. An empty field is a missing value.
"""

from __future__ import annotations

import csv
import re
from codecs import getincrementaldecoder
from dataclasses import replace
from math import isfinite, nan
from typing import BinaryIO, Final

import numpy as np

from ...errors import InputError
from .samples import Samples

__all__ = ["COLUMNS", "TraceReader", "read_trace"]

COLUMNS: Final = ("time", "process", "thread")
_COLUMN: Final = re.compile(r"(?P<name>.*?)(?:\[(?P<unit>[^\[\]]*)\])?", re.DOTALL)
_NOTHING: Final = frozenset({"", "nan", "NaN", "NA"})
_PIECE: Final = 2**22  # number of bytes to read at a time
_LONGEST: Final = 2**24  # maximum number of characters in a line
_NUMBER: Final = 2**31
_DIGITS: Final = 100  # maximum number of digits in a number, including leading zeros
_LAST: Final = 2.0**53  # the latest time, in seconds


class TraceReader:
    """Reads a trace piece by piece.

    Args:
        name: The trace's name in messages.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._decoder = getincrementaldecoder("utf-8-sig")()
        self._line = 0
        self._rest = ""
        self._metrics: tuple[str, ...] | None = None
        self._units: tuple[str, ...] = ()
        self._locations: dict[tuple[int, int], int] = {}

    @property
    def metrics(self) -> tuple[str, ...] | None:
        """The names of the metrics; None until the header has been read."""
        return self._metrics

    def feed(self, piece: bytes, *, last: bool = False) -> Samples:
        """Parse the next piece and return its samples; an incomplete last line is kept for the next piece.

        Args:
            piece: Text of any length.
            last: Whether this is the last piece, whose last line is complete even if it does not end with a newline.

        Raises:
            InputError: A line is not a sample; the message contains its number.
        """
        rows: list[tuple[int, list[str]]] = []
        try:
            for line in self._lines(piece, last=last):
                self._line += 1
                row = next(csv.reader([line], strict=True), [])
                if not row:
                    continue
                if self._metrics is None:
                    self._header(row)
                else:
                    rows.append((self._line, row))
        except csv.Error as error:
            raise InputError(f"{self._name}:{self._line}: expected a line of a trace, found {error}") from None
        if last and self._metrics is None:
            raise InputError(
                f"{self._name}: expected a trace that begins with {','.join(COLUMNS)}, found an empty file"
            )
        return self._samples(rows)

    def _lines(self, piece: bytes, *, last: bool) -> list[str]:
        try:
            lines = (self._rest + self._decoder.decode(piece, last)).split("\n")
        except UnicodeDecodeError as error:
            line = self._line + 1 + error.object[: error.start].count(b"\n")
            found = f"byte {error.object[error.start]:#x}"
            raise InputError(f"{self._name}:{line}: expected text in UTF-8, found {found}") from None
        self._rest = lines.pop()
        if last and self._rest:
            lines.append(self._rest)
        if len(self._rest) > _LONGEST:
            raise InputError(
                f"{self._name}:{self._line + 1}: expected a line of a trace, found more than {_LONGEST} "
                "characters without a line end"
            )
        return [line.removesuffix("\r") for line in lines]

    def _header(self, row: list[str]) -> None:
        if tuple(row[: len(COLUMNS)]) != COLUMNS or len(row) == len(COLUMNS):
            found = ",".join(row)[:60]
            raise InputError(
                f"{self._name}:{self._line}: expected a header {','.join(COLUMNS)},<metric>[<unit>],…, found {found!r}"
            )
        columns = [_COLUMN.fullmatch(word) for word in row[len(COLUMNS) :]]
        names = tuple(match["name"] if match else "" for match in columns)
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if "" in names:
            column = len(COLUMNS) + 1 + names.index("")
            raise InputError(
                f"{self._name}:{self._line}: expected a name for each metric, found none in column {column}"
            )
        if twice is not None:
            raise InputError(f"{self._name}:{self._line}: expected metrics with different names, found {twice!r} again")
        self._metrics = names
        self._units = tuple((match["unit"] or "") if match else "" for match in columns)

    def _samples(self, rows: list[tuple[int, list[str]]]) -> Samples:
        width = len(COLUMNS) + len(self._metrics or ())
        times, places, values = [], [], []
        for line, row in rows:
            try:
                if len(row) != width:
                    raise ValueError(f"expected {width} fields, found {len(row)}")
                times.append(_seconds(row[0]))
                place = _whole(row[1]), _whole(row[2])
                places.append(self._locations.setdefault(place, len(self._locations)))
                values.append([nan if field in _NOTHING else _finite(field) for field in row[len(COLUMNS) :]])
            except ValueError as error:
                raise InputError(f"{self._name}:{line}: {error}") from None
        return Samples(
            self._metrics or (),
            self._units,
            list(self._locations),
            np.array(times, dtype=np.float64),
            np.array(places, dtype=np.intp),
            np.array(values, dtype=np.float64).reshape(len(times), len(self._metrics or ())),
        )


def read_trace(stream: BinaryIO, name: str) -> Samples:
    """Read a whole trace, sorted by time.

    Raises:
        InputError: The text is not a trace.
    """
    reader = TraceReader(name)
    parts = [reader.feed(piece) for piece in iter(lambda: stream.read(_PIECE), b"")]
    samples = Samples.none().with_more(*parts, reader.feed(b"", last=True))
    order = np.argsort(samples.times, kind="stable")
    return replace(samples, times=samples.times[order], places=samples.places[order], values=samples.values[order])


def _finite(field: str) -> float:
    try:
        if "_" in field or not field.isascii():  # Python accepts underscores and other digits in numbers
            raise ValueError
        value = float(field)
    except ValueError:
        raise ValueError(f"expected a number, found {field[:60]!r}") from None
    if not isfinite(value):
        raise ValueError(f"expected a finite number, found {field[:60]!r}")
    return value


def _seconds(field: str) -> float:
    value = _finite(field)
    if abs(value) >= _LAST:
        raise ValueError(f"expected seconds, found {field[:60]!r}, which is too large to resolve fractions of a second")
    return value


def _whole(field: str) -> int:
    if not field.isascii() or not field.isdigit() or len(field) > _DIGITS or int(field) >= _NUMBER:
        raise ValueError(f"expected a process or thread number, 0 or more, found {field[:60]!r}")
    return int(field)
