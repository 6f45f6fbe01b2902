"""How many statements a function or a loop executes at most, where its text tells."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from math import inf
from typing import Final

from ..library_names import is_instruction
from ..syntax import Body
from .lexer import statement_end

__all__ = ["StatementCost"]

_STATEMENT: Final = re.compile(r";|\b(?:if|switch)\b")
# What communicates, or goes through a range, is worth a probe in a function of any size.
_WEIGHTY: Final = re.compile(
    r"(?:\w+\s*::\s*)*(?:P?MPI_(?!Wtime|Wtick|Comm_rank|Comm_size)\w+|accumulate|reduce|transform_reduce|inner_product"
    r"|for_each(?:_n)?|transform|generate(?:_n)?|(?:stable_|partial_)?sort|nth_element|count_if|partial_sum"
    r"|(?:inclusive|exclusive)_scan)\s*[(<]"
)
_CONDITION: Final = re.compile(r"for\s*\([^;{}()]*;[^;{}]*;")


class StatementCost:
    """Count statements in the bodies of a unit.

    Args:
        masked: The unit's text.
        bodies: Its functions and lambdas.
    """

    def __init__(self, masked: str, bodies: Iterable[Body]) -> None:
        self._masked = masked
        self._bodies = {body.name_offset: body for body in bodies if body.name}
        self._executed: dict[int, float] = {}
        self._bounds = {call for body in self._bodies.values() for call in self._bounding(body)}

    def statements(self, start: int, end: int) -> int:
        """Count the statements of a text."""
        return len(_STATEMENT.findall(self._masked, start, end))

    def calls(self, body: Body) -> bool:
        """Tell whether a function calls what is more than an instruction or two."""
        return any(not is_instruction(call.name) for call in body.calls)

    def is_weighty(self, body: Body) -> bool:
        """Tell whether a function calls MPI, or an algorithm of the library that goes through a range."""
        return any(_WEIGHTY.match(self._masked, call.offset) for call in body.calls)

    def executed(self, body: Body, start: int, end: int, without: Container[int] = ()) -> float:
        """Count what a part of a body executes at most, each loop as often as it runs, calls of the unit's functions.

        Args:
            body: The function.
            start: Where the part begins.
            end: Where it ends.
            without: Where loops begin that do not count.

        Returns:
            The number; infinity where a loop or a call tells none.
        """
        total = 0.0
        for loop in body.loops:
            if start <= loop.offset < end:
                total += self._straight(body, start, loop.offset)
                start = statement_end(self._masked, loop.offset)
                if loop.offset not in without:
                    total += (loop.trips or inf) * max(self.executed(body, loop.offset + 1, start), 1)
        return total + self._straight(body, start, end)

    def _bounding(self, body: Body) -> Iterator[int]:
        """Give the calls that are a constant by which a loop is bound: ``i < a.size()`` of an array."""
        for loop in body.loops:
            if loop.trips and (condition := _CONDITION.match(self._masked, loop.offset)):
                yield from (call.offset for call in body.calls if loop.offset < call.offset < condition.end())

    def _straight(self, body: Body, start: int, end: int) -> float:
        calls = [
            call
            for call in body.calls
            if start <= call.offset < end and call.offset not in self._bounds and not is_instruction(call.name)
        ]
        called = (self._called(-1 if call.is_virtual else call.callee) for call in calls)
        return self.statements(start, end) + sum(called)

    def _called(self, callee: int) -> float:
        if callee not in self._bodies:
            return inf
        if callee not in self._executed:
            self._executed[callee] = inf  # should it call itself
            body = self._bodies[callee]
            self._executed[callee] = self.executed(body, body.opening, body.end)
        return self._executed[callee]
