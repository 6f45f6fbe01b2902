"""The rounding error of exclusive values that are computed from inclusive ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["rounding"]


def rounding(whole: npt.ArrayLike, parts: int) -> npt.NDArray[np.float64]:
    """Return the maximum rounding error of sums: ``parts`` × the distance to the next floating-point number.

    Args:
        whole: The sums, in any unit; the result has the same shape and unit.
        parts: The maximum number of values in one sum.
    """
    return np.asarray(parts * np.spacing(np.abs(np.asarray(whole, dtype=np.float64))))
