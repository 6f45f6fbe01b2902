"""Estimate from the text how many statements a function or a loop executes at most."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from math import inf
from typing import Final, TypeVar

from ..expression import expression
from ..library_names import is_instruction, is_move
from ..size import TINY, called_often
from ..syntax import Body, Call, Loop
from .lexer import branches, statement_end

__all__ = ["StatementCost"]

_STATEMENT: Final = expression(r";|\b(?:if|switch)\b")
# Expansions of assertions: glibc's in GNU C, which has four statements; those that call another function to end the
# program; and those that check nothing.
_ASSERTS: Final = expression(
    r"(?P<four>;\s*else\s+__assert_fail\b)|\b__assert_(?:fail|rtn)\s*\("
    r"|\((?:\(void\)|static_cast\s*<\s*void\s*>)\s*\(?0\)?\)\s*;"
)
_IF: Final = expression(r"\bif\b")
# Calls that communicate or process a range: a function that contains one is worth a probe, whatever its size.
_WEIGHTY: Final = expression(
    r"(?:\w+\s*::\s*)*(?:P?MPI_(?!Wtime|Wtick|Comm_rank|Comm_size)\w+|accumulate|reduce|transform_reduce|inner_product"
    r"|for_each(?:_n)?|transform|generate(?:_n)?|(?:stable_|partial_)?sort|nth_element|count_if|partial_sum"
    r"|(?:inclusive|exclusive)_scan)\s*[(<]"
)
# A function in a library header that consists of one block; words that only occur in statements that are not simple;
# and calls of functions.
_SIMPLE: Final = expression(r"\w+\s*\([^;{}]*\{([^{}]*)\}")
_GOES_ON: Final = expression(r"\b(?:for|while|do|goto|new|delete|asm|__asm__|co_\w+)\b")
_CALLED: Final = expression(r"\b(?!(?:if|switch|return|sizeof|alignof|noexcept|decltype)\b)(\w+)\s*\(")
_CONDITION: Final = expression(r"for\s*\([^;{}()]*;[^;{}]*;")
_DEEPEST: Final = 50  # maximum depth to which nested calls are followed
_NESTED: Final = 2  # minimum number of loops around a call in nested loops; a program's main loop alone is too few
_Item = TypeVar("_Item", Call, Loop)


class StatementCost:
    """Counts statements in the function bodies of a translation unit.

    Args:
        masked: The unit's text.
        bodies: The unit's functions and lambdas.
    """

    def __init__(self, masked: str, bodies: Iterable[Body]) -> None:
        self._masked = masked
        self._all = tuple(bodies)
        self._bodies = {body.name_offset: body for body in self._all if body.name}
        self._executed: dict[int, float] = {}
        self._depth = 0
        self._bounds = {call for body in self._bodies.values() for call in self._bounding(body)}

    def statements(self, start: int, end: int) -> int:
        """Return the number of statements between two offsets, without assertions, which may be switched off."""
        found = len(_STATEMENT.findall(self._masked, start, end))
        return found - sum(4 if match["four"] else 1 for match in _ASSERTS.finditer(self._masked, start, end))

    def calls(self, body: Body) -> bool:
        """Return whether a function calls anything more expensive than an instruction or two."""
        return any(not is_instruction(call.name) and self._of_library(call.callee) > TINY for call in body.calls)

    def is_weighty(self, body: Body) -> bool:
        """Return whether a function calls MPI, or a library algorithm over a range."""
        return any(_WEIGHTY.match(self._masked, call.offset) for call in body.calls)

    def executed(self, body: Body, start: int, end: int, without: Container[int] = ()) -> float:
        """Return the maximum number of statements that a part of a function executes, including loops and calls.

        Args:
            body: The function.
            start: Offset at which the part begins.
            end: Offset at which it ends.
            without: Offsets of loops to leave out.

        Returns:
            The number, including the statements of called functions; infinity if a trip count or a callee's number is
            unknown, or if the part contains a label, to which a jump may go back.
        """
        total = 0.0
        if any(start <= label < end for label in body.labels):
            return inf
        for loop in _within(body.loops, start, end):
            if start <= loop.offset:
                counts = loop.offset not in without
                if counts and not loop.trips:
                    return inf
                total += self._straight(body, start, loop.offset)
                start = statement_end(self._masked, loop.offset)
                if counts:
                    total += loop.trips * max(self.executed(body, loop.offset + 1, start), 1)
        return total + self._straight(body, start, end)

    def passes(self, body: Body) -> bool:
        """Return whether a function without loops usually does little, and calls other functions only in branches.

        For example, a function appends to a buffer, and calls another function only if the buffer is full. Moving bytes
        counts as little work. A function that only selects a callee does not qualify.
        """
        start, end = body.opening, body.end
        always = self._straight(body, start, end, are_moves_short=True)
        return not body.labels and 0 < self._least(body, start, end) <= TINY < always

    def _least(self, body: Body, start: int, end: int) -> float:
        """Return how many statements a part executes if each ``if`` takes its shorter branch.

        An ``if`` itself does not count as a statement.
        """
        total = 0.0
        while match := _IF.search(self._masked, start, end):
            spans = branches(self._masked, match.end())
            total += self._straight(body, start, match.start(), are_moves_short=True)
            total += self._straight(body, match.end(), spans[0][0], are_moves_short=True)
            total += min(self._least(body, *span) for span in spans)
            start = spans[-1][1]
        return total + self._straight(body, start, end, are_moves_short=True)

    @cached_property
    def often(self) -> set[int]:
        """The offsets of the names of functions, and the starts of lambdas, that may run often."""
        main = {offset for offset, body in self._bodies.items() if body.name == "main"}
        return called_often((body.name_offset for body in self._all), main, self._callings())

    @cached_property
    def nested(self) -> set[int]:
        """The offsets of the names of functions that are called in nested loops, in one function or across several."""
        calls = [
            (body.name_offset, call.callee, depth)
            for body in self._all
            for call, depth in self._depths(body, [call for call in body.calls if call.callee in self._bodies])
            if call.callee != body.name_offset
        ]
        levels = dict.fromkeys(self._bodies, 0)
        before: dict[int, int] = {}
        while levels != before:
            before = levels.copy()
            for caller, called, depth in calls:
                levels[called] = max(levels[called], min(levels.get(caller, 0) + depth, _NESTED))
        return {function for function, level in levels.items() if level == _NESTED}

    def _depths(self, body: Body, calls: list[Call]) -> Iterator[tuple[Call, int]]:
        """Yield calls, each with the number of loops around it in its function."""
        loops = [(loop.offset, statement_end(self._masked, loop.offset)) for loop in body.loops] if calls else ()
        for call in calls:
            yield call, sum(start <= call.offset < end for start, end in loops)

    def _callings(self) -> Iterator[tuple[int, int, bool]]:
        """Yield the calls within the unit: the offsets of both functions' names, and whether the call is in a loop."""
        for body in self._all:
            calls = [call for call in (*body.calls, *body.heads) if call.callee in self._bodies]
            loops = body.loops if calls else ()
            ends = [0, *accumulate((statement_end(self._masked, loop.offset) for loop in loops), max)]
            for call in calls:
                yield body.name_offset, call.callee, call.offset < ends[bisect_left(loops, call.offset, key=_offset)]

    def _bounding(self, body: Body) -> Iterator[int]:
        """Yield the offsets of calls that are constant bounds of loops, as in ``i < a.size()`` for an array."""
        for loop in body.loops:
            if loop.trips and (condition := _CONDITION.match(self._masked, loop.offset)):
                yield from (call.offset for call in _within(body.calls, loop.offset, condition.end()))

    def _straight(self, body: Body, start: int, end: int, *, are_moves_short: bool = False) -> float:
        calls = [
            call
            for call in _within(body.calls, start, end)
            if call.offset not in self._bounds
            and not is_instruction(call.name)
            and not (are_moves_short and is_move(call.name))
        ]
        called = (self._called(-1 if call.is_virtual else call.callee) for call in calls)
        return self.statements(start, end) + sum(called)

    def _called(self, callee: int) -> float:
        if callee not in self._bodies:
            return self._of_library(callee)
        if self._bodies[callee].unread:
            return inf
        if callee not in self._executed:
            self._executed[callee] = inf  # prevents endless recursion if the function calls itself
            if self._depth < _DEEPEST:
                body = self._bodies[callee]
                self._depth += 1
                self._executed[callee] = self.executed(body, body.opening, body.end)
                self._depth -= 1
        return self._executed[callee]

    def _of_library(self, callee: int) -> float:
        """Return the statement count of a library header's function, or infinity if it has loops, jumps or calls."""
        if callee in self._bodies or callee < 0 or not (match := _SIMPLE.match(self._masked, callee)):
            return inf
        is_simple = not _GOES_ON.search(match[1]) and all(map(is_instruction, _CALLED.findall(match[1])))
        return self.statements(*match.span(1)) if is_simple else inf


def _within(items: tuple[_Item, ...], start: int, end: int) -> tuple[_Item, ...]:
    """Return the items that begin in ``[start, end)``, from a tuple sorted by offset."""
    return items[bisect_left(items, start, key=_offset) : bisect_left(items, end, key=_offset)]


def _offset(item: Call | Loop) -> int:
    return item.offset
