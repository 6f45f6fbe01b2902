"""Pragmas that bind to a loop, and what they mean for a guard around it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Final

from .lexer import statement_end
from .preprocessed import Pragma, Preprocessed

__all__ = ["block_start", "device_text", "guard_start"]

_LOOP_DIRECTIVE: Final = re.compile(
    r"(?:omp|acc)\b[\w\s]*?\b(?:for|simd|loop|taskloop|distribute|tile|unroll|interchange|reverse|fuse)\b"
)
_DEVICE_DIRECTIVE: Final = re.compile(
    r"omp\s+target\b(?!\s+(?:enter|exit|update|data)\b)|acc\s+(?:parallel|kernels|serial)\b"
)
_OPENS_A_BLOCK: Final = re.compile(r"STDC\b|clang\s+fp\b")
# They may stand anywhere, or at the start of a block alone: the guard comes after them.
_NOT_OF_A_LOOP: Final = re.compile(r"STDC\b|omp\b|acc\b|clang\s+fp\b|GCC\s+(?!ivdep|unroll|novector)|message\b|pack\b")


def guard_start(unit: Preprocessed, loop: int) -> int:
    """Tell where a guard around the loop at an offset begins: above the pragmas that bind to the loop.

    ::

        #pragma omp parallel              #pragma omp parallel
                                          { guard
        #pragma omp for             →     #pragma omp for
        for (…) …                         for (…) …
                                          }
    """
    start = loop
    index = bisect_right(unit.pragmas, loop, key=lambda pragma: pragma.start) - 1
    while index >= 0 and not unit.masked[unit.pragmas[index].end : start].strip():
        if not _binds(unit.pragmas[index]):
            break
        start = unit.pragmas[index].start
        index -= 1
    return start


def block_start(unit: Preprocessed, offset: int) -> int:
    """Tell where a guard in a function goes whose body begins at an offset: below pragmas that must come first."""
    for pragma in unit.pragmas[bisect_left(unit.pragmas, offset, key=lambda pragma: pragma.start) :]:
        if unit.masked[offset : pragma.start].strip() or not _OPENS_A_BLOCK.match(pragma.text):
            break
        offset = pragma.end
    return offset


def device_text(unit: Preprocessed) -> list[tuple[int, int]]:
    """Give start and end of the statements that run on an accelerator, where there are no probes."""
    return [
        (pragma.end, statement_end(unit.masked, pragma.end))
        for pragma in unit.pragmas
        if _DEVICE_DIRECTIVE.match(pragma.text)
    ]


def _binds(pragma: Pragma) -> bool:
    directive = pragma.text
    return bool(
        _LOOP_DIRECTIVE.match(directive) or _DEVICE_DIRECTIVE.match(directive) or not _NOT_OF_A_LOOP.match(directive)
    )
