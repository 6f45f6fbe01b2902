"""The rounding error of own values that are taken from inclusive ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["rounding"]


def rounding(whole: npt.ArrayLike, parts: int) -> npt.NDArray[np.float64]:
    """Return by how much sums may be off by rounding: by the distance to the next number for each part that is added.

    Args:
        whole: The sums, in any unit.
        parts: How many values are added up to each of them, at most.
    """
    return np.asarray(parts * np.spacing(np.abs(np.asarray(whole, dtype=np.float64))))
