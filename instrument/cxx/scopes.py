"""Functions and lambdas within each other, and what each holds by itself."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from .syntax import Body, Syntax

__all__ = ["Scope", "scopes"]


@dataclass(slots=True)
class Scope:
    """A body, and what is in it but in no body within it, by offset.

    Attributes:
        body: The function or lambda.
        outer: The scope that holds it, None if none does.
        loops: Where loops begin.
        calls: Names of functions that are called; empty for one that is not known before instantiation.
        labels: Where labelled statements begin.
        cases: Case labels, each with the beginning of its switch.
        inner: Start and end of the bodies within.
    """

    body: Body
    outer: Scope | None = None
    loops: list[int] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    cases: list[tuple[int, int]] = field(default_factory=list)
    inner: list[tuple[int, int]] = field(default_factory=list)

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
    for body in sorted(syntax.bodies.values(), key=lambda body: body.body):
        if not masked.startswith(("{", "try"), body.body):
            continue
        outer = _around(found[-1] if found else None, body.start)
        found.append(Scope(body, outer))
        if outer:
            outer.inner.append((body.body, body.end))
    starts = [scope.body.body for scope in found]

    def owner(offset: int) -> Scope | None:
        index = bisect_left(starts, offset)
        return _around(found[index - 1], offset) if index else None

    for loop in sorted(syntax.loops):
        if scope := owner(loop):
            scope.loops.append(loop)
    for offset, name in syntax.calls:
        if scope := owner(offset):
            scope.calls.append(name)
    for label in syntax.labels:
        if scope := owner(label):
            scope.labels.append(label)
    for case in syntax.cases:
        if scope := owner(case):
            scope.cases.append((case, max(start for start, end in syntax.switches if start <= case < end)))
    return found


def _around(scope: Scope | None, offset: int) -> Scope | None:
    """Give the innermost scope of a chain that holds an offset."""
    return next((each for each in scope.chain() if each.body.body <= offset < each.body.end), None) if scope else None
