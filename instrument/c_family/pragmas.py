"""Find pragmas that bind to loops, and positions for guards that do not separate a loop from its pragmas."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..expression import expression
from .lexer import statement_end
from .preprocessed import Pragma, Preprocessed

__all__ = ["Construct", "block_start", "constructs", "device_text", "guard_start", "nested_by_directive"]

_LOOP_DIRECTIVE: Final = expression(
    r"(?:omp|acc)\b[\w\s]*?\b(?:for|simd|loop|taskloop|distribute|tile|unroll|interchange|reverse|fuse)\b"
)
_DEVICE_DIRECTIVE: Final = expression(
    r"omp\s+target\b(?!\s+(?:enter|exit|update|data)\b)|acc\s+(?:parallel|kernels|serial)\b"
)
_DIRECTIVE: Final = expression(r"omp\s+((?:(?:parallel|for|sections|single|loop|simd|master|masked)\b\s*)+)")
_ENTERED_BY_ALL: Final = frozenset({"parallel", "for", "sections", "single", "loop"})
_OF_LOOPS: Final = frozenset({"for", "loop"})
_NEST: Final = expression(
    r"(?:omp|acc)\b.*?\b(?:(?:collapse|ordered)\s*\(\s*(?P<depth>\d*)|tile\b|sizes\b|interchange\b|fuse\b)"
)
_TEXT: Final = expression(r"\S")
_LAST_ATTRIBUTES: Final = expression(r"\]\s*(\])\s*\Z")
_SQUARE: Final = expression(r"[\[\]]")
_LONGEST: Final = 1000  # maximum length of attributes
_OPENS_A_BLOCK: Final = expression(r"STDC\b|clang\s+fp\b")
# Pragmas that do not bind to a loop: they are allowed anywhere, or only at the start of a block, before the guard.
_NOT_OF_A_LOOP: Final = expression(
    r"autoanalyzer\b|STDC\b|omp\b|acc\b|clang\s+fp\b|GCC\s+(?!ivdep|unroll|novector)|message\b|pack\b"
)


def guard_start(unit: Preprocessed, loop: int) -> int:
    """Return the offset for a guard around a loop: above its attributes and the pragmas that bind to it.

    The user's marks do not bind to a loop, but may be among pragmas that do.

    ::

        #pragma omp parallel              #pragma omp parallel
                                          { guard
        #pragma omp for             →     #pragma omp for
        for (…) …                         for (…) …
                                          }
    """
    start = _above_pragmas(unit, loop)
    while match := _LAST_ATTRIBUTES.search(unit.masked, max(start - _LONGEST, 0), start):
        start = _above_pragmas(unit, _group_start(unit.masked, match.start(1)))
    return start


def _above_pragmas(unit: Preprocessed, offset: int) -> int:
    start = below = offset
    for index in range(bisect_right(unit.pragmas, offset, key=lambda pragma: pragma.start) - 1, -1, -1):
        pragma = unit.pragmas[index]
        is_mark = pragma.text.startswith("autoanalyzer")
        if unit.masked[pragma.end : below].strip() or not (is_mark or _binds(pragma)):
            break
        below = pragma.start
        start = start if is_mark else below
    return start


def _group_start(masked: str, end: int) -> int:
    """Return the offset of the bracket that the bracket at ``end`` closes; ``end`` if there is none nearby."""
    depth = 0
    for match in reversed(list(_SQUARE.finditer(masked, max(end - _LONGEST, 0), end + 1))):
        depth += 1 if match.group() == "]" else -1
        if depth == 0:
            return match.start()
    return end


def block_start(unit: Preprocessed, offset: int) -> int:
    """Return the offset for a guard at the start of a function's body, after pragmas that must come first.

    ``offset`` is the start of the body.
    """
    for pragma in unit.pragmas[bisect_left(unit.pragmas, offset, key=lambda pragma: pragma.start) :]:
        if unit.masked[offset : pragma.start].strip() or not _OPENS_A_BLOCK.match(pragma.text):
            break
        offset = pragma.end
    return offset


class Construct(NamedTuple):
    """An OpenMP construct that each thread of a team enters.

    Attributes:
        words: The directive: ``parallel``, ``parallel for``, ``single``.
        at: Offset of the loop that the construct binds to; if there is none, offset of the pragma.
        start: Offset at which a guard around the construct begins.
        end: Offset right after the construct.
        binds_loop: Whether the construct binds to a loop.
    """

    words: str
    at: int
    start: int
    end: int
    binds_loop: bool


def constructs(unit: Preprocessed, start: int, end: int) -> Iterator[Construct]:
    """Yield the OpenMP constructs between two offsets, in order."""
    for pragma in unit.pragmas:
        if not start < pragma.start < end or not (match := _DIRECTIVE.match(pragma.text)):
            continue
        words = match.group(1).split()
        if not _ENTERED_BY_ALL.intersection(words):
            continue
        binds_loop = bool(_OF_LOOPS.intersection(words))
        statement = _TEXT.search(unit.masked, pragma.end)
        at = statement.start() if binds_loop and statement else pragma.start
        first = guard_start(unit, at) if binds_loop else pragma.start
        yield Construct(" ".join(words), at, first, statement_end(unit.masked, pragma.end), binds_loop)


def nested_by_directive(unit: Preprocessed, loops: list[int]) -> set[int]:
    """Return the offsets of loops that a directive binds to the loop directly around them.

    An example of such a directive is ``collapse(2)``.

    Args:
        unit: The text.
        loops: Offsets of all loops in a function.
    """
    found: set[int] = set()
    for pragma in unit.pragmas:
        if match := _NEST.match(pragma.text):
            end = statement_end(unit.masked, pragma.end)
            inside = sorted(loop for loop in loops if pragma.end <= loop < end)
            found.update(inside[1 : int(match["depth"]) if match["depth"] else None])
    return found


def device_text(unit: Preprocessed) -> list[tuple[int, int]]:
    """Return the start and end of the statements that run on an accelerator, where probes are impossible."""
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
