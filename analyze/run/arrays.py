"""Array types of the analyses, and a ratio that tolerates zeros."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Flags", "Indices", "Values", "ratio"]

Values: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.intp]
Flags: TypeAlias = npt.NDArray[np.bool_]


def ratio(amount: npt.ArrayLike, base: npt.ArrayLike) -> Values:
    """Divide elementwise; the result is 0 where the divisor is 0."""
    above, below = np.broadcast_arrays(np.asarray(amount, dtype=np.float64), np.asarray(base, dtype=np.float64))
    return np.asarray(np.divide(above, below, out=np.zeros_like(above), where=below > 0))
