"""Parse percentages on the command line."""

from __future__ import annotations

import math

__all__ = ["share_of"]


def share_of(text: str) -> float:
    """Convert a percentage such as ``5%`` or ``5`` to a fraction such as 0.05; return NaN if it is not a number."""
    try:
        return float(text.strip().removesuffix("%").replace("_", "no digit")) / 100
    except ValueError:
        return math.nan
