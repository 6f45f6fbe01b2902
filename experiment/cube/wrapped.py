"""Unsigned counts that went below zero, and so stand in a file as huge ones.

What subtracts counts of 64 bits without a sign writes 2^64 - n for -n. The tools of CUBE add and subtract modulo 2^64,
where such values cancel out. Read as the negative numbers that they stand for, they do so in floating point, too.
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
    """Give a row of counts without a sign, those from 2^63 on less 2^64.

    Args:
        values: As floating-point numbers, which are too coarse there.
        text: As it stands in the file, numbers between white space.
    """
    if not (values >= _MOST).any():
        return values
    numbers = (int(each) if each.isdigit() else float(each) for each in text.split())
    return np.array([float(each - _WRAP if _MOST <= each <= _WRAP else each) for each in numbers])


def below_zero(metrics: Iterable[Metric], severities: LazySeverities) -> Iterator[str]:
    """Say how many values of unsigned metrics were read as negative ones.

    What cannot be read says so when it is asked for.
    """
    for metric in metrics:
        if metric.dtype in UNSIGNED_64:
            with suppress(InputError):
                stored = severities.inclusive(metric.name)
                count = int(np.count_nonzero((severities[metric.name] if stored is None else stored) < 0))
                if count:
                    yield (
                        f"{metric.name}: {count:,} unsigned value{'s' * (count > 1)} wrapped around below zero, and "
                        f"{'are' if count > 1 else 'is'} read as negative, so that sums are right"
                    )
