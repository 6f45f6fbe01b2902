"""Functions and lambdas within each other, and what each holds by itself."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TypeVar

from .syntax import Body, Call, Syntax

__all__ = ["Scope", "scopes"]

_Item = TypeVar("_Item")


@dataclass(slots=True)
class Scope:
    """A body, and what is in it but in no body within it, by offset.

    Attributes:
        body: The function or lambda.
        outer: The scope that holds it, None if none does.
        loops: Where loops begin, in order, and how often each runs at most; 0 if that is not known.
        calls: Functions that are called.
        heads: Those that are called before the body: in initialisers of members, in default arguments.
        labels: Where labelled statements begin.
        cases: Case labels, each with the beginning of its switch.
        inner: Start and end of the bodies within.
        switches: Start and end of ``switch`` statements.
        blocks: Start and end of blocks.
        declarations: Where declarations begin.
    """

    body: Body
    outer: Scope | None = None
    loops: dict[int, int] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    heads: list[Call] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    cases: list[tuple[int, int]] = field(default_factory=list)
    inner: list[tuple[int, int]] = field(default_factory=list)
    switches: list[tuple[int, int]] = field(default_factory=list)
    blocks: list[tuple[int, int]] = field(default_factory=list)
    declarations: list[int] = field(default_factory=list)

    def chain(self) -> Iterator[Scope]:
        """Give the scope and all that hold it, inner first."""
        scope: Scope | None = self
        while scope:
            yield scope
            scope = scope.outer

    def holds(self, offset: int) -> bool:
        """Tell whether the text at an offset is its own."""
        within = self.body.body <= offset < self.body.end
        return within and not any(start <= offset < end for start, end in self.inner)


def scopes(syntax: Syntax, masked: str) -> list[Scope]:
    """Give the scopes of a unit, an outer one before those within; a body that nobody wrote is none."""
    found: list[Scope] = []
    bodies = (_from_brace(body, masked) for body in syntax.bodies.values())
    for body in sorted(bodies, key=lambda body: body.body):
        if not masked.startswith(("{", "try"), body.body):
            continue
        outer = _around(found[-1] if found else None, body.start)
        found.append(Scope(body, outer))
        if outer:
            outer.inner.append((body.body, body.end))
    _hand_out(syntax, found)
    return found


def _hand_out(syntax: Syntax, found: list[Scope]) -> None:
    """Give each scope what it holds by itself."""
    starts = [scope.body.body for scope in found]

    def owned(items: Iterable[_Item], offset: Callable[[_Item], int]) -> Iterator[tuple[Scope, _Item]]:
        for item in items:
            index = bisect_left(starts, offset(item))
            if index and (scope := _around(found[index - 1], offset(item))):
                yield scope, item

    for scope, (loop, rounds) in owned(sorted(syntax.loops.items()), lambda item: item[0]):
        scope.loops[loop] = rounds
    of_heads, of_bodies = _by_head(syntax, found)
    for scope, call in of_heads:
        scope.heads.append(call)
    for scope, call in owned(of_bodies, lambda item: item.offset):
        scope.calls.append(call)
    for scope, label in owned(syntax.labels, int):
        scope.labels.append(label)
    for scope, case in owned(syntax.cases, int):
        scope.cases.append((case, max(start for start, end in syntax.switches if start <= case < end)))
    for scope, switch in owned(syntax.switches, lambda item: item[0]):
        scope.switches.append(switch)
    for scope, block in owned(syntax.blocks.items(), lambda item: item[0] + 1):
        scope.blocks.append(block)
    for scope, declaration in owned(syntax.declarations, int):
        scope.declarations.append(declaration)


def _by_head(syntax: Syntax, found: list[Scope]) -> tuple[list[tuple[Scope, Call]], list[Call]]:
    """Part the calls before a body, each with its scope, from the others."""
    by_start = sorted(found, key=lambda scope: scope.body.start)
    starts = [scope.body.start for scope in by_start]
    ends = list(accumulate((scope.body.end for scope in by_start), max))
    of_heads, others = [], []
    for call in syntax.calls:
        index = bisect_right(starts, call.offset) - 1
        while index >= 0 and call.offset < ends[index] and by_start[index].body.end <= call.offset:
            index -= 1
        if index >= 0 and call.offset < by_start[index].body.body:
            of_heads.append((by_start[index], call))
        else:
            others.append(call)
    return of_heads, others


def _from_brace(body: Body, masked: str) -> Body:
    """Let a body begin at its brace, which the mask has put behind a blank where it is spelled ``<%``."""
    return replace(body, body=body.body + 1) if masked.startswith(" {", body.body) else body


def _around(scope: Scope | None, offset: int) -> Scope | None:
    """Give the innermost scope of a chain that holds an offset."""
    return next((each for each in scope.chain() if each.body.body <= offset < each.body.end), None) if scope else None
