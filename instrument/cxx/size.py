"""How many statements a function or a loop executes at most, where its text tells."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from math import inf
from typing import Final

from ..c.judge import count_statements
from ..c.lexer import statement_end
from ..library_names import is_instruction
from .scopes import Scope

__all__ = ["Sizes", "runs_once"]

# What communicates, or goes through a range, is worth a probe in a function of any size.
_WEIGHTY: Final = re.compile(
    r"(?:\w+\s*::\s*)*(?:P?MPI_(?!Wtime|Wtick|Comm_rank|Comm_size)\w+|accumulate|reduce|transform_reduce|inner_product"
    r"|for_each(?:_n)?|transform|generate(?:_n)?|(?:stable_|partial_)?sort|nth_element|count_if|partial_sum"
    r"|(?:inclusive|exclusive)_scan)\s*[(<]"
)
_CONDITION: Final = re.compile(r"for\s*\([^;{}()]*;[^;{}]*;")
_ONCE: Final = re.compile(r"do\b.*\bwhile\s*\(\s*(?:0|false)\s*\)\s*;\Z", re.DOTALL)


class Sizes:
    """Count statements in the scopes of a unit.

    Args:
        masked: The unit's text.
        scopes: Its functions and lambdas.
    """

    def __init__(self, masked: str, scopes: list[Scope]) -> None:
        self._masked = masked
        self._scopes = {scope.body.name_offset: scope for scope in scopes if scope.body.name}
        self._executed: dict[int, float] = {}
        self._bounds = {call for scope in scopes for call in self._bounding(scope)}

    def statements(self, start: int, end: int) -> int:
        """Count the statements of a text."""
        return count_statements(self._masked, start, end)

    def calls(self, scope: Scope) -> bool:
        """Tell whether a function calls what is more than an instruction or two."""
        return any(not is_instruction(call.name) for call in scope.calls)

    def is_weighty(self, scope: Scope) -> bool:
        """Tell whether a function calls MPI, or an algorithm of the library that goes through a range."""
        return any(_WEIGHTY.match(self._masked, call.offset) for call in scope.calls)

    def executed(self, scope: Scope, start: int, end: int, without: Container[int] = ()) -> float:
        """Count what a part of a scope executes at most, each loop as often as it runs, calls of the unit's functions.

        Args:
            scope: The function.
            start: Where the part begins.
            end: Where it ends.
            without: Where loops begin that do not count.

        Returns:
            The number; infinity where a loop or a call tells none.
        """
        total = 0.0
        for loop, rounds in scope.loops.items():
            if start <= loop < end:
                after = statement_end(self._masked, loop)
                total += self._straight(scope, start, loop)
                if loop not in without:
                    often = 1 if runs_once(self._masked, loop, after) else rounds or inf
                    total += often * max(self.executed(scope, loop + 1, after), 1)
                start = after
        return total + self._straight(scope, start, end)

    def _bounding(self, scope: Scope) -> Iterator[int]:
        """Give the calls that are a constant by which a loop is bound: ``i < a.size()`` of an array."""
        for loop, rounds in scope.loops.items():
            if rounds and (condition := _CONDITION.match(self._masked, loop)):
                yield from (call.offset for call in scope.calls if loop < call.offset < condition.end())

    def _straight(self, scope: Scope, start: int, end: int) -> float:
        calls = [
            call
            for call in scope.calls
            if start <= call.offset < end and call.offset not in self._bounds and not is_instruction(call.name)
        ]
        return self.statements(start, end) + sum(self._called(call.callee) for call in calls)

    def _called(self, callee: int) -> float:
        if callee not in self._scopes:
            return inf
        if callee not in self._executed:
            self._executed[callee] = inf  # should it call itself
            scope = self._scopes[callee]
            self._executed[callee] = self.executed(scope, scope.body.body, scope.body.end)
        return self._executed[callee]


def runs_once(masked: str, start: int, end: int) -> bool:
    """Tell ``do { … } while (0)``, which macros use to be one statement: no loop to a reader."""
    return _ONCE.match(masked, start, end) is not None
