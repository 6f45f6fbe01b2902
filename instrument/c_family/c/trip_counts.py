"""How often a loop of C runs at most, where constants of its unit say so."""

from __future__ import annotations

from collections.abc import Container, Iterator
from math import isnan, nan
from operator import add, floordiv, mul, sub
from typing import Any, Final

from pycparser import c_ast

__all__ = ["TripCounts"]

_COMPARISONS: Final = {"<": 0, ">": 0, "!=": 0, "<=": 1, ">=": 1}  # and a trip more
_ARITHMETIC: Final = {"+": add, "-": sub, "*": mul, "/": floordiv}
_SIGNS: Final = {"-": -1, "+": 1}
_CHANGES: Final = frozenset(("++", "--", "p++", "p--", "&"))


class TripCounts:
    """Evaluate the bounds of loops.

    Args:
        root: The unit's tree; its enumerators, and what it declares ``const``, are constants.
    """

    def __init__(self, root: Any) -> None:
        self._constants: dict[str, float] = {}
        for node in root.ext:
            if isinstance(node, (c_ast.Decl, c_ast.Typedef)):
                self._declare(node)

    def most(self, loop: Any, hidden: Container[str]) -> int:
        """Give the most trips of a loop that constants bound, and that does not set its variable; else 0.

        Args:
            loop: A node of the tree.
            hidden: What its function declares, which hides constants of the same name.
        """
        if not isinstance(loop, c_ast.For) or not isinstance(loop.cond, c_ast.BinaryOp):
            return 0
        variable, first = _start(loop.init)
        compared, steps = loop.cond.left, isinstance(loop.next, (c_ast.UnaryOp, c_ast.Assignment))
        if not variable or getattr(compared, "name", "") != variable or loop.cond.op not in _COMPARISONS or not steps:
            return 0
        trips = abs(self._value(loop.cond.right, hidden) - self._value(first, hidden)) + _COMPARISONS[loop.cond.op]
        return 0 if isnan(trips) or variable in _changed(loop.stmt) else int(trips)

    def _declare(self, node: Any) -> None:
        of = node.type.type if isinstance(node.type, c_ast.TypeDecl) else node.type
        if isinstance(of, c_ast.Enum):
            value: float = -1
            for each in of.values or ():
                value = self._value(each.value) if each.value else value + 1
                self._constants[each.name] = value
        elif isinstance(node.type, c_ast.TypeDecl) and "const" in node.quals and isinstance(node, c_ast.Decl):
            self._constants[node.name] = self._value(node.init)

    def _value(self, node: Any, hidden: Container[str] = ()) -> float:
        """Evaluate an expression of whole numbers; NaN if it varies."""
        match node:
            case c_ast.Constant() if node.type.endswith("int"):
                digits = node.value.rstrip("uUlL")
                return int(digits, 8 if digits[0] == "0" and digits.isdigit() else 0)
            case c_ast.ID():
                return nan if node.name in hidden else self._constants.get(node.name, nan)
            case c_ast.Cast():
                return self._value(node.expr, hidden)
            case c_ast.UnaryOp() if node.op in _SIGNS:
                return _SIGNS[node.op] * self._value(node.expr, hidden)
            case c_ast.BinaryOp() if node.op in _ARITHMETIC:
                left, right = self._value(node.left, hidden), self._value(node.right, hidden)
                return float(_ARITHMETIC[node.op](left, right)) if right or node.op != "/" else nan
        return nan


def _start(first: Any) -> tuple[str, Any]:
    """Give the variable that a loop counts by, and what it is at first."""
    if isinstance(first, c_ast.DeclList) and len(first.decls) == 1:
        return first.decls[0].name, first.decls[0].init
    if isinstance(first, c_ast.Assignment) and first.op == "=" and isinstance(first.lvalue, c_ast.ID):
        return first.lvalue.name, first.rvalue
    return "", None


def _changed(body: Any) -> Iterator[str]:
    """Name what is assigned to below a node, or has its address taken."""
    pending = [body]
    while pending:
        node = pending.pop()
        if isinstance(node, c_ast.Assignment):
            yield getattr(node.lvalue, "name", "")
        elif isinstance(node, c_ast.UnaryOp) and node.op in _CHANGES:
            yield getattr(node.expr, "name", "")
        pending.extend(node)
