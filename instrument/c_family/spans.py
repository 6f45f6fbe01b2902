"""Find parts of functions that users mark or plans merge, and the blocks of regions that plans split."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..expression import expression
from ..syntax import Body
from .lexer import LexicalError, condition_end, group_end, statement_end
from .preprocessed import Preprocessed

__all__ = ["Mark", "Spans", "marks"]

_MARK: Final = expression(r"autoanalyzer\s+(begin|end)\b[ \t]*(.*?)\s*\Z")
_TEXT: Final = expression(r"\S")
_WORD: Final = expression(r"[A-Za-z_]\w*")
_HOLDING: Final = frozenset(["if", "switch", "try", "{"])
# Words at which a block ends: loops are regions already, and __label__ declares names for the enclosing block.
_APART: Final = frozenset(["for", "while", "do", "__label__"])
_LABELLED: Final = expression(r"(?:case\b|default\b|[A-Za-z_$][\w$]*\s*:(?!:))")
_SECTION: Final = expression(r"omp\s+section\b")
_FREE: Final = expression(
    r"autoanalyzer\b|STDC\b|omp\s+(?:barrier|taskwait|taskyield|flush|cancel)\b|GCC\s+(?:diagnostic|push|pop)"
)
_BEFORE_STATEMENT: Final = frozenset(";{}:")


class Mark(NamedTuple):
    """A region between ``#pragma autoanalyzer begin NAME`` and ``end``.

    ``problem`` explains why it is invalid; empty if it is valid.
    """

    name: str
    start: int
    end: int
    problem: str = ""


def marks(unit: Preprocessed, start: int, end: int) -> Iterator[Mark]:
    """Yield the marked regions between two offsets."""
    opened: list[tuple[str, int]] = []
    for pragma in unit.pragmas[bisect_left(unit.pragmas, start, key=lambda pragma: pragma.start) :]:
        if pragma.start >= end:
            break
        if not (match := _MARK.match(pragma.text)):
            if pragma.text.startswith("autoanalyzer"):
                yield Mark("", pragma.start, pragma.end, "expected 'begin NAME' or 'end' after autoanalyzer")
            continue
        word, name = match.groups()
        if word == "begin":
            opened.append((name, pragma.end))
        elif not opened:
            yield Mark(name, pragma.start, pragma.end, "has an end but no beginning")
        else:
            begun, place = opened.pop()
            problem = f"ends as {name}" if name not in {"", begun} else "has no name" if not begun else ""
            yield Mark(begun, place, pragma.start, problem)
    for name, place in opened:
        yield Mark(name, place, place, "has no end in its function")


class _Block(NamedTuple):
    """Start and end of a block, and whether it is the body of a ``switch``."""

    start: int
    end: int
    is_of_switch: bool


class Spans:
    """Decides whether a guard can enclose a part of a function.

    Args:
        unit: The text.
        body: The function.
        has_jumps: Whether there are labels or unusual jumps in the function.
    """

    def __init__(self, unit: Preprocessed, body: Body, *, has_jumps: bool) -> None:
        self.unit = unit
        self.masked = masked = unit.masked
        self.has_jumps = has_jumps
        switched = {self._next(condition_end(masked, switch + len("switch")), body.end) for switch in body.switches}
        opened = (start for start in body.blocks if masked.startswith("{", start))
        self._blocks = [_Block(start, group_end(masked, start), start in switched) for start in opened]
        self._living = [(offset, self._block(offset)) for offset in (*body.declarations, *body.literals)]

    def why_not(self, start: int, end: int) -> str:
        """Return why no guard can enclose the text between two offsets, jumps aside, or an empty string if one can."""
        block = self._block(start)
        if block is None or block != self._block(end):
            return "does not begin and end in the same block"
        before = self.masked[block.start : start].rstrip()[-1:]
        if self.masked[start:end].lstrip().startswith("__label__"):
            return "begins with __label__"
        if before not in _BEFORE_STATEMENT or not self._ends_between_statements(start, end):
            return "does not begin and end between statements"
        if reason := self._why_pragmas(start, end):
            return reason
        if self.declares(start, end) and (self.has_jumps or block.is_of_switch):
            return "contains a declaration, in a function with jumps"
        return ""

    def _why_pragmas(self, start: int, end: int) -> str:
        if any(start <= pragma.start < end and _SECTION.match(pragma.text) for pragma in self.unit.pragmas):
            return "contains an OpenMP section"
        above = [pragma for pragma in self.unit.pragmas if pragma.end < start]
        if above and not _FREE.match(above[-1].text) and not self.masked[above[-1].end : start].strip():
            return "follows a pragma"
        return ""

    def declares(self, start: int, end: int) -> bool:
        """Return whether a part contains a declaration that is visible after it, so that no block may enclose it."""
        block = self._block(start)
        return block is not None and any(start <= at < end and around == block for at, around in self._living)

    def blocks(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the start and end of blocks of statements between two offsets, except loops and code after pragmas."""
        run = -1
        offset = start
        while (place := self._next(offset, end)) is not None:
            try:
                after = statement_end(self.masked, place)
            except (LexicalError, ValueError):  # an unknown kind of statement
                return
            match = _WORD.match(self.masked, place)
            word = match.group() if match else self.masked[place]
            has_pragma = any(offset <= pragma.start < place for pragma in self.unit.pragmas)
            if word in _HOLDING or word in _APART or has_pragma or _LABELLED.match(self.masked, place):
                if run >= 0:
                    yield run, offset
                run = -1
                if word in _HOLDING and not has_pragma:
                    yield place, after
            elif run < 0:
                run = place
            offset = after
        if run >= 0:
            yield run, offset

    def grown(self, start: int, end: int) -> tuple[int, int]:
        """Return a span that begins or ends with a call, extended to whole statements if these are in one block."""
        block = self._block(start)
        if block is None or block != self._block(end):
            return start, end
        offset, found = block.start + 1, (start, end)
        while offset < end and (place := self._next(offset, end)) is not None:
            try:
                offset = statement_end(self.masked, place)
            except (LexicalError, ValueError):
                return start, end
            match = _WORD.match(self.masked, place)
            word = match.group() if match else self.masked[place]
            if word not in _HOLDING | _APART and not _LABELLED.match(self.masked, place):
                found = place if place < start < offset else found[0], offset if place < end < offset else found[1]
        return found

    def inside(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the start and end of the text between the braces of a loop's body, or None if it has no braces."""
        inner = [block for block in self._blocks if start <= block.start and block.end <= end]
        if not inner:
            return None
        first = min(inner, key=lambda block: block.start)
        word = _WORD.match(self.masked, start)
        is_last = not self.masked[first.end : end].strip(" \t\n;") or (word is not None and word.group() == "do")
        return (first.start + 1, first.end - 1) if is_last else None

    def _block(self, offset: int) -> _Block | None:
        around = [block for block in self._blocks if block.start < offset < block.end]
        return max(around, key=lambda block: block.start) if around else None

    def _next(self, offset: int, end: int) -> int | None:
        match = _TEXT.search(self.masked, offset, end)
        return match.start() if match else None

    def _ends_between_statements(self, start: int, end: int) -> bool:
        offset = start
        try:
            while (place := self._next(offset, end)) is not None:
                offset = statement_end(self.masked, place)
        except (LexicalError, ValueError):
            return False
        following = _TEXT.search(self.masked, end)
        return offset <= end and not (following and re.compile(r"else\b").match(self.masked, following.start()))
