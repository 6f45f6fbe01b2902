"""The rounding error of exclusive values that are computed from inclusive ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["rounding"]


def rounding(whole: npt.ArrayLike, parts: int) -> npt.NDArray[np.float64]:
    """Return the greatest rounding error of sums: the distance to the next number, for each part that is added.

    Args:
        whole: The sums, in any unit.
        parts: The greatest number of values in one sum.
    """
    return np.asarray(parts * np.spacing(np.abs(np.asarray(whole, dtype=np.float64))))
