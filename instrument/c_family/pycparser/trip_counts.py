"""Compute the largest trip counts of loops in C, if constants in the translation unit determine them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from math import nan
from operator import add, floordiv, mul, sub
from typing import Any, Final

from pycparser import c_ast

from ..counted import SIGNED, trips
from ..lexer import CHARACTER

__all__ = ["TripCounts"]

_COMPARISONS: Final = frozenset(("<", ">", "!=", "<=", ">="))
_ARITHMETIC: Final = {"+": add, "-": sub, "*": mul, "/": floordiv}
_STEPS: Final = {"++": 1, "p++": 1, "+=": 1, "--": -1, "p--": -1, "-=": -1}
_INTEGERS: Final = frozenset(("int", "long", "short", "signed", "unsigned"))
_AUTOMATIC: Final = frozenset(("auto", "register"))
_SAFE: Final = 127  # numbers up to this one do not change if they are cast to another type


class TripCounts:
    """Evaluates the bounds of loops.

    Args:
        root: The unit's tree; its enumerators, and variables that it declares ``const``, are constants.
    """

    def __init__(self, root: Any) -> None:
        self._constants: dict[str, float] = {}
        self._types: dict[str, float] = {}
        for node in root.ext:
            if isinstance(node, (c_ast.Decl, c_ast.Typedef)):
                self._declare(node)

    def most(self, loop: Any, declared: Mapping[str, float]) -> int:
        """Return the largest trip count of a loop whose variable only the loop's step changes, or 0 if it is unknown.

        Args:
            loop: A node of the tree.
            declared: Name that the loop's function declares, which hides constants → the lowest value of its type; NaN
                if it cannot be a loop's counter.
        """
        if not isinstance(loop, c_ast.For) or not isinstance(loop.cond, c_ast.BinaryOp):
            return 0
        variable, first = _start(loop.init)
        compared, comparison = loop.cond.left, loop.cond.op
        if not variable or getattr(compared, "name", "") != variable or comparison not in _COMPARISONS:
            return 0
        bound, lowest = loop.cond.right, declared.get(variable, nan)
        if not isinstance(bound, c_ast.UnaryOp) and "unsigned" in getattr(bound, "type", "unsigned"):
            lowest = max(lowest, 0)  # unsigned numbers are never below 0
        step = self._step(loop.next, variable, declared)
        count = trips(self.value(first, declared), comparison, self.value(bound, declared), step, lowest)
        return 0 if count and variable in _changed(loop.stmt) else count

    def lowest(self, declaration: Any) -> float:
        """Return the lowest value of a variable's type, or NaN unless it is an automatic, non-volatile integer."""
        is_plain = isinstance(declaration, c_ast.Decl) and _AUTOMATIC.issuperset(declaration.storage)
        return self._least(declaration.type) if is_plain and "volatile" not in declaration.quals else nan

    def _least(self, kind: Any) -> float:
        names: list[str] = getattr(kind.type, "names", []) if isinstance(kind, c_ast.TypeDecl) else []
        if names and _INTEGERS.issuperset(names):
            return 0 if "unsigned" in names else SIGNED
        return self._types.get(names[0], nan) if len(names) == 1 else nan

    def _step(self, node: Any, variable: str, declared: Container[str]) -> float:
        """Return the increment of a loop's variable, or NaN if it varies."""
        one = isinstance(node, c_ast.UnaryOp)
        changed = node.expr if one else node.lvalue if isinstance(node, c_ast.Assignment) else None
        if getattr(changed, "name", "") != variable or not isinstance(changed, c_ast.ID) or node.op not in _STEPS:
            return nan
        return _STEPS[node.op] * (1 if one else self.value(node.rvalue, declared))

    def _declare(self, node: Any) -> None:
        of = node.type.type if isinstance(node.type, c_ast.TypeDecl) else node.type
        if isinstance(of, c_ast.Enum):
            value: float = -1
            for each in of.values or ():
                value = self.value(each.value) if each.value else value + 1
                self._constants[each.name] = value
        elif isinstance(node, c_ast.Typedef):
            self._types[node.name] = self._least(node.type)
        elif "const" in node.quals and "volatile" not in node.quals and self._least(node.type) <= 0:
            value = self.value(node.init)
            self._constants[node.name] = value if value >= 0 else nan

    def value(self, node: Any, hidden: Container[str] = ()) -> float:
        """Return the value of an integer expression, or NaN if it varies or might wrap around.

        ``hidden`` contains names that do not refer to the unit's constants.
        """
        match node:
            case c_ast.Constant() if node.type.endswith("int") and node.value != CHARACTER:
                digits = node.value.rstrip("uUlL")
                return int(digits, 8 if digits[0] == "0" and digits.isdigit() else 0)
            case c_ast.ID():
                return nan if node.name in hidden else self._constants.get(node.name, nan)
            case c_ast.Cast():
                value = self.value(node.expr, hidden)
                return value if 0 <= value <= _SAFE and self._least(node.to_type.type) <= 0 else nan
            case c_ast.UnaryOp(op="-", expr=c_ast.Constant(type="int" | "long int" | "long long int")):
                return -self.value(node.expr, hidden)
            case c_ast.BinaryOp() if node.op in _ARITHMETIC:
                left, right = self.value(node.left, hidden), self.value(node.right, hidden)
                value = float(_ARITHMETIC[node.op](left, right)) if left >= 0 and right >= (node.op == "/") else nan
                return value if value >= 0 else nan
        return nan


def _start(first: Any) -> tuple[str, Any]:
    """Return the name of a loop's counter, and the expression for its initial value."""
    if isinstance(first, c_ast.DeclList) and len(first.decls) == 1:
        return first.decls[0].name, first.decls[0].init
    if isinstance(first, c_ast.Assignment) and first.op == "=" and isinstance(first.lvalue, c_ast.ID):
        return first.lvalue.name, first.rvalue
    return "", None


def _changed(body: Any) -> Iterator[str]:
    """Yield the names of variables that are assigned below a node."""
    pending = [body]
    while pending:
        node = pending.pop()
        if isinstance(node, c_ast.Assignment):
            yield getattr(node.lvalue, "name", "")
        elif isinstance(node, c_ast.UnaryOp) and node.op in _STEPS:
            yield getattr(node.expr, "name", "")
        pending.extend(node)
