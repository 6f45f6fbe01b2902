"""CUBE's types for the values of metrics."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..metric import Metric
from ..severities import Severity

__all__ = ["TYPES", "UNSIGNED_64", "WIDER", "stored_rows", "typed"]

UNSIGNED_64: Final = frozenset({"UNSIGNED INTEGER", "UINT64"})

TYPES: Final = {
    **dict.fromkeys(("FLOAT", "DOUBLE", "MINDOUBLE", "MAXDOUBLE"), "f8"),
    **dict.fromkeys(("INTEGER", "SIGNED INTEGER", "INT64"), "i8"),
    **dict.fromkeys(UNSIGNED_64, "i8"),  # counts that wrapped around below zero become negative
    **dict.fromkeys(("INT", "SIGNED INT", "INT32"), "i4"),
    **dict.fromkeys(("UNSIGNED INT", "UINT32"), "u4"),
    **dict.fromkeys(("SHORT INT", "SIGNED SHORT INT", "INT16"), "i2"),
    **dict.fromkeys(("UNSIGNED SHORT INT", "UINT16"), "u2"),
    "INT8": "i1",
    **dict.fromkeys(("UINT8", "CHAR"), "u1"),
}
WIDER: Final = "DOUBLE"


def typed(severity: Severity, metric: Metric) -> tuple[str, npt.NDArray[Any]]:
    """Convert values to their metric's type, unless that would change a value.

    Returns:
        The name of the resulting type, and the values in the same shape.
    """
    kind = TYPES.get(metric.dtype)
    if kind == "f8":
        return metric.dtype, severity
    if kind:
        with np.errstate(invalid="ignore"):
            values = severity.astype(kind)
        if values.astype(np.float64).tobytes() == severity.tobytes():
            return metric.dtype, values
    return WIDER, severity


def stored_rows(values: npt.NDArray[Any], nothing: float = 0.0) -> list[int]:
    """Return the call paths whose rows must be stored, because not all values in the row are ``nothing``.

    Args:
        values: The values, ``[call path, location]``; -0 differs from 0.
        nothing: The value that readers assume in omitted rows.
    """
    left_out = np.full(values.shape[1:], nothing, values.dtype).tobytes()
    return [path for path, row in enumerate(values) if row.tobytes() != left_out]
