"""Whether a command asks for OpenMP: its parallel regions and the constructs that share work are regions then."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .expression import expression

__all__ = ["openmp_is_on"]

_OPENMP: Final = expression(r"-(?:f|q|fi|)openmp(?:=.*)?$|-f?mp(?:=.*)?$|-qsmp(?:=.*\bomp\b.*)?$|-h(?:\w+,)*omp\b")
_NO_OPENMP: Final = expression(r"-(?:f|q)no-openmp$|-nomp$|-qnosmp$|-h(?:\w+,)*noomp\b")


def openmp_is_on(options: Iterable[str]) -> bool:
    """Tell it by the last of a command's options that says anything of it."""
    on = False
    for option in options:
        if _OPENMP.match(option):
            on = True
        elif _NO_OPENMP.match(option):
            on = False
    return on
