"""Find the nesting of functions and lambdas, and the loops, calls and other items directly in each."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, Final

from ...expression import expression
from ...syntax import Body, Call, Case, Loop, Syntax, Unread, UnreadError
from ..lexer import statement_end
from ..preprocessed import Preprocessed
from .tree import Found, parse

__all__ = ["read_by_clang"]

_ONCE: Final = expression(r"do\b.*\bwhile\s*\(\s*(?:0|false)\s*\)\s*;\Z", re.DOTALL)
_JUMPS: Final = expression(r"\b(?:goto|switch)\b")
_MODULE: Final = expression(r"\s*(?:export\s+)?(?:module|import)\b")


def read_by_clang(unit: Preprocessed, flags: tuple[str, ...], language: str) -> Syntax:
    """Return the syntax of a translation unit.

    Args:
        unit: The preprocessed text.
        flags: Compiler options that select the dialect of C or C++.
        language: ``c++`` or ``c``.

    Raises:
        UnreadError: The parser does not understand text outside of functions.
    """
    found = parse(unit.text.encode("latin-1"), flags, unit.is_system, language=language)
    bodies = _Nest(found, unit.masked).filled()
    return Syntax(bodies, found.declared, tuple(found.objects), tuple(found.fields))


class _Nest:
    """The function bodies in a unit, outer bodies first; bodies that the compiler generates are left out."""

    def __init__(self, found: Found, masked: str) -> None:
        self._found = found
        self._masked = masked
        bodies = [body._replace(opening=self._brace(body.opening)) for _, body in sorted(found.bodies.items())]
        self._bodies = [body for body in bodies if masked.startswith(("{", "try"), body.opening)]
        self._openings = [body.opening for body in self._bodies]
        self._outer: list[int] = []
        for number, body in enumerate(self._bodies):
            self._outer.append(self._around(body.start, number - 1))
        self._by_start = sorted(enumerate(self._bodies), key=lambda numbered: numbered[1].start)
        self._starts = [body.start for _, body in self._by_start]
        self._ends = list(accumulate((body.end for _, body in self._by_start), max))

    def filled(self) -> tuple[Body, ...]:
        """Return all bodies, each with the loops, calls and other items directly in it."""
        parts: list[dict[str, list[Any]]] = [defaultdict(list) for _ in self._bodies]
        for number, name, item in self._owned():
            parts[number][name].append(item)
        unread = self._unread()
        made: list[Body] = []
        for number, (body, outer) in enumerate(zip(self._bodies, self._outer, strict=True)):
            owned = self._certain(body, unread[number], parts[number]) if number in unread else parts[number]
            fields: dict[str, Any] = {name: tuple(items) for name, items in owned.items()}
            around = made[outer] if outer >= 0 else None
            made.append(body._replace(outer=around, unread=unread.get(number), **fields))
        return tuple(made)

    def _certain(self, body: Body, unread: Unread, owned: dict[str, list[Any]]) -> dict[str, list[Any]]:
        """Return the contents that are reliable in spite of errors in a body.

        The loops are reliable if all errors are about types and the body contains no jumps. They are returned without
        trip counts, because the parser may have dropped statements.

        Args:
            body: The body.
            unread: The error.
            owned: Name of a field of ``Body`` → items.
        """
        if not unread.is_of_types or _JUMPS.search(self._masked, body.opening, body.end):
            return {}
        return {"loops": [Loop(loop.offset) for loop in owned["loops"]]}

    def _unread(self) -> dict[int, Unread]:
        """Map the number of each outermost body to the first error in it.

        Errors that are not about types have priority.

        Raises:
            UnreadError: There is an error outside of bodies, or the parser has given up.
        """
        found: dict[int, Unread] = {}
        if self._found.fatal:
            raise self._outside(self._found.fatal)
        for unread in self._found.unread:
            around = (n for n, body in enumerate(self._bodies) if body.start <= unread.offset < body.end)
            if (number := next(around, -1)) < 0:
                raise self._outside(unread)
            if number not in found or (found[number].is_of_types and not unread.is_of_types):
                found[number] = unread
        return found

    def _outside(self, unread: Unread) -> UnreadError:
        is_module = _MODULE.match(self._masked, self._masked.rfind("\n", 0, unread.offset) + 1)
        return UnreadError(unread.offset, "C++ modules are not supported" if is_module else unread.message)

    def _owned(self) -> Iterator[tuple[int, str, Any]]:
        """Yield each item inside a body: the number of the body, the name of a field of ``Body``, and the item."""
        found = self._found
        for outer, body in zip(self._outer, self._bodies, strict=True):
            if outer >= 0:
                yield outer, "inner", (body.opening, body.end)
        for call in sorted(found.calls, key=lambda call: call.offset):
            if (number := self._head(call)) >= 0:
                yield number, "heads", call
            elif (number := self._around(call.offset)) >= 0:
                yield number, "calls", call
        items: dict[str, list[Any]] = {
            "loops": [loop for loop in sorted(found.loops, key=lambda loop: loop.offset) if not self._runs_once(loop)],
            "labels": found.labels,
            "cases": list(self._cases()),
            "switches": [start for start, _ in found.switches],
            "blocks": sorted({self._brace(block) for block in found.blocks}),
            "declarations": found.declarations,
            "literals": found.literals,
        }
        for name, each in items.items():
            for item in each:
                offset = item if isinstance(item, int) else item.offset
                if (number := self._around(offset + (name == "blocks"))) >= 0:
                    yield number, name, item

    def _cases(self) -> Iterator[Case]:
        """Yield each case label with its innermost switch, unless the parser has lost the switch after an error."""
        switches = sorted(self._found.switches, reverse=True)
        around: list[tuple[int, int]] = []
        for case in sorted(self._found.cases):
            while switches and switches[-1][0] <= case:
                around.append(switches.pop())
            while around and case >= around[-1][1]:
                around.pop()
            if around:
                yield Case(case, around[-1][0])

    def _head(self, call: Call) -> int:
        """Return the number of the body of the function whose head contains a call, or -1 if there is none.

        A default argument, for example, is in the head.
        """
        index = bisect_right(self._starts, call.offset) - 1
        while index >= 0 and call.offset < self._ends[index] and self._by_start[index][1].end <= call.offset:
            index -= 1
        return self._by_start[index][0] if index >= 0 and call.offset < self._by_start[index][1].opening else -1

    def _runs_once(self, loop: Loop) -> bool:
        """Return whether a loop is ``do { … } while (0)``, which macros use to form one statement."""
        masked, start = self._masked, loop.offset
        return masked.startswith("do", start) and bool(_ONCE.match(masked, start, statement_end(masked, start)))

    def _brace(self, offset: int) -> int:
        """Return the offset of an opening brace; in masked text, ``<%`` is replaced by a blank and a brace."""
        return offset + 1 if self._masked.startswith(" {", offset) else offset

    def _around(self, offset: int, number: int | None = None) -> int:
        """Return the number of the innermost body around an offset, or a negative number if there is none.

        Args:
            offset: The offset.
            number: The body to begin with, followed by its enclosing bodies; None for the last body that begins before
                the offset.
        """
        found = bisect_left(self._openings, offset) - 1 if number is None else number
        while found >= 0 and not self._bodies[found].opening <= offset < self._bodies[found].end:
            found = self._outer[found]
        return found
