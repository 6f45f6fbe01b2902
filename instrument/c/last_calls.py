"""Calls that a function ends with: compilers turn them into jumps, which a probe at the function's end undoes.

Recursion that is nothing but such calls runs in no stack at all, over however many elements; with probes it would use
the stack up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Final

from pycparser import c_ast

__all__ = ["Calls", "calls_of", "endless", "reached"]

_CASES: Final = (c_ast.Case, c_ast.Default)


@dataclass(slots=True)
class Calls:
    """The functions that a function calls by name: those that it ends with, and the others."""

    last: set[str] = field(default_factory=set)
    other: set[str] = field(default_factory=set)


def calls_of(body: Any) -> Calls:
    """Find the calls in a function's body."""
    found = Calls()
    pending = [(body, True)]
    while pending:
        node, is_last = pending.pop()
        if isinstance(node, c_ast.FuncCall):
            (found.last if is_last else found.other).add(getattr(node.name, "name", ""))
        last = set(map(id, _last(node, is_last)))
        pending.extend((child, id(child) in last) for _, child in node.children())
    return found


def endless(calls: Mapping[str, Calls]) -> set[str]:
    """Name the functions that come back to themselves by last calls alone.

    One that also calls itself in another way, to sort the first half before the second for instance, needs the stack
    without probes, too.

    Args:
        calls: Those of each function of a unit.
    """
    last = {name: each.last & calls.keys() for name, each in calls.items()}
    ahead = {name: reached(last, name) for name in calls}
    found = set()
    for name, following in ahead.items():
        circle = {each for each in following if name in ahead[each]}
        if circle and not any(calls[each].other & circle for each in circle):
            found.add(name)
    return found


def reached(calls: Mapping[str, Set[str]], start: str) -> set[str]:
    """Name the functions that calls lead to from one; itself, if they lead back."""
    found: set[str] = set()
    pending = [start]
    while pending:
        following = calls[pending.pop()] - found
        found |= following
        pending += following
    return found


def _last(node: Any, is_last: bool) -> Iterator[Any]:
    """Give what of a node a function ends with; what is returned wherever it stands."""
    match node:
        case c_ast.Return():
            yield node.expr
        case _ if not is_last:
            return
        case c_ast.Compound():
            yield from _last_of(node.block_items)
        case c_ast.Case() | c_ast.Default():
            yield from _last_of(node.stmts)
        case c_ast.If() | c_ast.TernaryOp():
            yield from (node.iftrue, node.iffalse)
        case c_ast.Switch() | c_ast.Label():
            yield node.stmt
        case c_ast.BinaryOp() if node.op in ("&&", "||"):
            yield node.right
        case c_ast.ExprList():
            yield node.exprs[-1]
        case c_ast.Cast():
            yield node.expr


def _last_of(statements: Any) -> Iterator[Any]:
    """Give the last statement, those that a ``return`` or ``break`` follows, and in a ``switch`` every case."""
    for statement, following in zip(statements or (), [*(statements or ())[1:], None], strict=True):
        ends = following is None or isinstance(following, c_ast.Break)
        if ends or (isinstance(following, c_ast.Return) and not following.expr) or isinstance(statement, _CASES):
            yield statement
