"""Convert unsigned counts that fell below zero and therefore appear as huge counts in a file.

A tool that subtracts unsigned 64-bit counts writes 2^64 - n for -n. The CUBE tools add and subtract modulo 2^64, so
these values cancel out. If they are read as negative numbers, they also cancel out in floating point.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

import numpy as np

from ...errors import InputError
from ..metric import Metric
from ..severities import LazySeverities, Severity
from .value_types import UNSIGNED_64

__all__ = ["below_zero", "unwrapped"]

_MOST: Final = 1 << 63
_WRAP: Final = 1 << 64


def unwrapped(values: Severity, text: bytes) -> Severity:
    """Return a row of unsigned counts, with 2^64 subtracted from counts of at least 2^63.

    Args:
        values: The counts as floating-point numbers, which are too imprecise for such counts.
        text: The row in the file: numbers separated by white space.
    """
    if not (values >= _MOST).any():
        return values
    numbers = (int(each) if each.isdigit() else float(each) for each in text.split())
    return np.array([float(each - _WRAP if _MOST <= each <= _WRAP else each) for each in numbers])


def below_zero(metrics: Iterable[Metric], severities: LazySeverities) -> Iterator[str]:
    """Yield a warning for each unsigned metric that has values that were read as negative numbers.

    Metrics that cannot be read are skipped; they raise an error when they are used.
    """
    for metric in metrics:
        if metric.dtype in UNSIGNED_64:
            with suppress(InputError):
                stored = severities.inclusive(metric.name)
                count = int(np.count_nonzero((severities[metric.name] if stored is None else stored) < 0))
                if count:
                    yield (
                        f"{metric.name}: {count:,} unsigned value{'s' * (count > 1)} wrapped around below zero and "
                        f"{'are' if count > 1 else 'is'} read as negative, so that sums are correct"
                    )
