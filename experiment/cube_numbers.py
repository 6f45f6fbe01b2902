"""Rows of numbers as CUBE 3 writes them, exactly and fast."""

from __future__ import annotations

from typing import Final

import numpy as np
import orjson
import simdjson

from .severities import Severity

__all__ = ["RowParser", "row_text"]

_NEWLINE: Final = ord("\n")
_COMMA: Final = ord(",")
_LONG: Final = 1 << 12  # from where on numpy replaces single bytes sooner than bytes.replace


def row_text(values: Severity) -> bytes:
    """Write a row, one number a line, the shortest that is read back bit for bit; NaN is a missing value."""
    text = orjson.dumps(np.ascontiguousarray(values), option=orjson.OPT_SERIALIZE_NUMPY)[1:-1].replace(b",", b"\n")
    if b"null" in text:
        text = text.replace(b"null", b"nan")
    return text if b"-0.0" in text else (text + b"\n").replace(b".0\n", b"\n")[:-1]


class RowParser:
    """Reads rows, one after the other."""

    def __init__(self) -> None:
        self._json = simdjson.Parser()

    def parse(self, text: bytes) -> Severity:
        """Read numbers between white space.

        Raises:
            ValueError: Something is no number.
        """
        # With commas for newlines it is a list of numbers in JSON, which a fast and exact reader exists for. What JSON
        # has no word for, as nan, is left to Python.
        if not (b"," in text or b"[" in text):
            try:
                numbers = self._json.parse(_with_commas(b"[%b]" % text.strip()))
                if isinstance(numbers, simdjson.Array):
                    return np.frombuffer(numbers.as_buffer(of_type="d"))
            except (ValueError, TypeError, RuntimeError):
                pass
        return np.array([float(each) for each in text.decode("ascii").replace("_", "?").split()], dtype=np.float64)


def _with_commas(text: bytes) -> bytes:
    """Put commas where newlines stand."""
    if len(text) < _LONG:
        return text.replace(b"\n", b",")
    codes = np.frombuffer(text, dtype=np.uint8)
    return bytes(codes + (codes == _NEWLINE) * np.uint8(_COMMA - _NEWLINE))
