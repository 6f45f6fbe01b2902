"""Pack numbers into compact text, which the page can quickly convert to typed arrays."""

from __future__ import annotations

import zlib
from base64 import b64encode
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

__all__ = ["ROUNDING", "Packed", "packed", "packed_text", "rounded"]

_KEPT: Final = 12  # bits kept after the leading one of a rounded number; enough, because the page shows three digits
ROUNDING: Final = 2.0 ** (-_KEPT - 1)  # the largest relative error
_LEVEL: Final = 6

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Packed:
    """Packed numbers.

    Attributes:
        text: Base 64 of the compressed bytes: the lowest byte of each number, then the next byte of each, and so on.
        kind: ``f8``, or ``f4`` for rounded numbers.
        count: The number of numbers.
    """

    text: str
    kind: Literal["f4", "f8"]
    count: int


def packed(values: Numbers, *, exact: bool) -> Packed:
    """Return packed numbers, with all digits or rounded.

    Args:
        values: An array of any shape, which is stored row by row; it may contain NaN.
        exact: Whether to keep all digits. They are also kept if a number does not fit single precision.
    """
    flat = np.ascontiguousarray(values, dtype="<f8").ravel()
    short = None if exact else rounded(flat)
    numbers = flat if short is None else short
    planes = numbers.view(np.uint8).reshape(-1, numbers.itemsize).T
    return Packed(_text(np.ascontiguousarray(planes).tobytes()), "f8" if short is None else "f4", flat.size)


def packed_text(text: bytes) -> str:
    """Return a text compressed and in Base 64, a form that the page can decode."""
    return _text(text)


def rounded(values: Numbers) -> npt.NDArray[np.float32] | None:
    """Return ``float32`` numbers of the same shape, rounded to 12 bits after the leading one, halves to even.

    None if a number is too large or too small for float32.
    """
    sizes = np.abs(values)
    limits = np.finfo(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        fits = np.isnan(sizes) | (sizes == 0) | ((sizes >= limits.tiny) & (sizes < limits.max / 2))
    if not fits.all():
        return None
    bits = values.astype("<f4").view("<u4")
    dropped = np.finfo(np.float32).nmant - _KEPT
    half = (np.uint32(1) << np.uint32(dropped - 1)) - np.uint32(1)
    even = (bits >> np.uint32(dropped)) & np.uint32(1)
    kept = (bits + half + even) & ~np.uint32((1 << dropped) - 1)
    kept = np.where(np.isnan(values), np.uint32(0x7FC00000), kept)
    return np.asarray(kept, "<u4").view("<f4")


def _text(data: bytes) -> str:
    maker = zlib.compressobj(_LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)  # gzip format, without name and time
    return b64encode(maker.compress(data) + maker.flush()).decode()
