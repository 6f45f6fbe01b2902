"""Read and write rows of numbers in the format of CUBE 3, exactly and fast."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import orjson
import simdjson

from ...errors import InputError
from ..metric import Metric
from ..severities import Severity

__all__ = ["RowParser", "finite", "row_text"]

_NEWLINE: Final = ord("\n")
_COMMA: Final = ord(",")
_SPACE: Final = b" \t\r\n"  # white space in XML; Python also accepts other characters
_NO_NUMBER: Final = re.compile(rb"[_\x00-\x08\x0b\x0c\x0e-\x1f]")  # characters that Python accepts, but XML does not
_MINUS_ZERO: Final = re.compile(rb"-0(?![.\d])")  # JSON readers parse ``-0`` as an integer, which loses the sign
_LARGEST: Final = np.finfo(np.float64).max
_LONG: Final = 1 << 12  # from this number of bytes, numpy replaces characters faster than ``bytes.replace``


def row_text(values: Severity) -> bytes:
    """Return a row as the shortest text that reads back bit for bit, with one number per line; ``nan`` if missing."""
    text = orjson.dumps(np.ascontiguousarray(values), option=orjson.OPT_SERIALIZE_NUMPY)[1:-1].replace(b",", b"\n")
    if b"null" in text:
        text = text.replace(b"null", b"nan")
    return text if b"-0.0" in text else (text + b"\n").replace(b".0\n", b"\n")[:-1]


class RowParser:
    """Parses rows, one after the other."""

    def __init__(self) -> None:
        self._json = simdjson.Parser()

    def parse(self, text: bytes) -> Severity:
        """Return the numbers in a text, separated by white space, as ``float64[number]``.

        Raises:
            ValueError: A word is not a number.
        """
        # With commas instead of newlines, the text is a JSON list of numbers, for which there is a fast, exact parser.
        # Python parses what JSON cannot express, such as nan.
        if not (b"," in text or b"[" in text):
            try:
                numbers = self._json.parse(_with_commas(b"[%b]" % text.strip(_SPACE)))
                if isinstance(numbers, simdjson.Array):
                    values = np.frombuffer(numbers.as_buffer(of_type="d"))
                    if b"-" not in text or values.all() or not _MINUS_ZERO.search(text):
                        return values
            except (ValueError, TypeError, RuntimeError):
                pass
        if _NO_NUMBER.search(text):
            raise ValueError("expected numbers between white space")
        return np.array([float(each) for each in text.decode("ascii").split()], dtype=np.float64)


def finite(values: Severity, metric: Metric) -> None:
    """Replace missing values with NaN, in place.

    In minima and maxima, infinity and the largest floating-point number mark missing values. All missing values get the
    same bits, because other NaNs would not read back bit for bit.

    Raises:
        InputError: A metric that is neither a minimum nor a maximum has an infinite value.
    """
    values[np.isnan(values)] = np.nan
    if metric.aggregation in ("min", "max"):
        values[np.abs(values) >= _LARGEST] = np.nan
    elif np.isinf(values).any():
        raise InputError(f"expected finite values of {metric.name}, or nan for missing ones, found infinity")


def _with_commas(text: bytes) -> bytes:
    """Replace newlines with commas."""
    if len(text) < _LONG:
        return text.replace(b"\n", b",")
    codes = np.frombuffer(text, dtype=np.uint8)
    return bytes(codes + (codes == _NEWLINE) * np.uint8(_COMMA - _NEWLINE))
