"""Decide whether a command enables OpenMP, so that parallel regions and worksharing constructs become regions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .expression import expression

__all__ = ["openmp_is_on"]

_OPENMP: Final = expression(r"-(?:f|q|fi|)openmp(?:=.*)?$|-f?mp(?:=.*)?$|-qsmp(?:=.*\bomp\b.*)?$|-h(?:\w+,)*omp\b")
_NO_OPENMP: Final = expression(r"-(?:f|q)no-openmp$|-nomp$|-qnosmp$|-h(?:\w+,)*noomp\b")


def openmp_is_on(options: Iterable[str]) -> bool:
    """Return whether compiler options enable OpenMP; the last relevant option counts."""
    on = False
    for option in options:
        if _OPENMP.match(option):
            on = True
        elif _NO_OPENMP.match(option):
            on = False
    return on
