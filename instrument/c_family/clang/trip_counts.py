"""Compute the largest trip counts of loops, if compile-time constants determine them."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from typing import Any, Final

from ..counted import SIGNED, trips
from .constants import Constants
from .cursors import children, evaluated, operator_of
from .library import CursorKind, TypeKind, lib

__all__ = ["TripCounts"]

_FOR: Final = CursorKind.FOR_STMT
_RANGE: Final = CursorKind.CXX_FOR_RANGE_STMT
_DECLARATION: Final = CursorKind.DECL_STMT
_VARIABLE: Final = CursorKind.VAR_DECL
_NAME: Final = CursorKind.DECL_REF_EXPR
_BINARY: Final = CursorKind.BINARY_OPERATOR
_UNARY: Final = CursorKind.UNARY_OPERATOR
_COMPOUND: Final = CursorKind.COMPOUND_ASSIGNMENT_OPERATOR
_PARENTHESES: Final = CursorKind.PAREN_EXPR
_LAMBDA: Final = CursorKind.LAMBDA_EXPR
_SUBSCRIPT: Final = CursorKind.ARRAY_SUBSCRIPT_EXPR
_VALUE: Final = CursorKind.UNEXPOSED_EXPR  # the kind of implicit casts, which convert an object to a number
_SCOPES: Final = frozenset(
    (
        *(CursorKind.FUNCTION_DECL, CursorKind.FUNCTION_TEMPLATE, CursorKind.CXX_METHOD),
        *(CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR, CursorKind.CONVERSION_FUNCTION),
    )
)
_INTEGERS: Final = {
    **dict.fromkeys((TypeKind.SHORT, TypeKind.INT, TypeKind.LONG, TypeKind.LONGLONG), SIGNED),
    **dict.fromkeys((TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG, TypeKind.ULONGLONG), 0),
}
# Numbers from libclang's Index.h.
_COMPARISONS: Final = {11: "<", 12: ">", 16: "!=", 13: "<=", 14: ">="}
_ASSIGNMENT: Final = 22
_STEPS: Final = {
    (_UNARY, 1): 1,
    (_UNARY, 3): 1,
    (_COMPOUND, 26): 1,
    (_UNARY, 2): -1,
    (_UNARY, 4): -1,
    (_COMPOUND, 27): -1,
}
_ADDRESS: Final = 5
_SHIFTS: Final = frozenset((8, 9))  # << and >>, which may be stream operators in a template
_AUTOMATIC: Final = frozenset((1, 6, 7))


class TripCounts:
    """Evaluates the bounds of loops.

    Args:
        constants: The constants of the translation unit.
    """

    def __init__(self, constants: Constants) -> None:
        self._constants = constants
        self._seen: dict[int, set[int]] = {}

    def most(self, loop: Any) -> int:
        """Return the largest trip count of a loop from compile-time constants, or 0 if it is unknown.

        ::

            for (int i = 0; i < 8; ++i) …    8
            for (int i = 0; i < N; ++i) …    if N is a template's parameter, the largest N in the unit
            for (double x : coordinates) …   3, if coordinates is an array of 3
            for (int i = 0; i < n; ++i) …    0

        Args:
            loop: The cursor of a loop.
        """
        parts = children(loop)
        if loop.kind == _RANGE:
            return self._constants.elements(parts[-2]) or 0 if len(parts) > 2 else 0
        if loop.kind != _FOR or len(parts) != 4:
            return 0
        first, condition, step, body = parts
        if condition.kind != _BINARY or operator_of(condition) not in _COMPARISONS:
            return 0
        variable, start = _start(first)
        compared, bound = children(condition)
        if variable is None or not _is(compared, variable):
            return 0
        by = _step(step, variable)
        # The largest value of a template's parameter does not bound the start of an upward loop, or the end of a
        # downward loop.
        low, high = (evaluated, self._constants.value) if by > 0 else (self._constants.value, evaluated)
        comparison, lowest = _COMPARISONS[operator_of(condition)], _lowest(variable, compared)
        count = trips(_number(low(start)), comparison, _number(high(bound)), by, lowest)
        is_own = count and (first.kind == _DECLARATION or not self._is_seen(variable))
        return count if is_own and not any(_same(each, variable) for each in _given_away(body, setting=True)) else 0

    def _is_seen(self, variable: Any) -> bool:
        """Return whether a pointer may refer to a variable that is declared outside the loop."""
        scope = lib.clang_getCursorSemanticParent(variable)
        if scope.kind not in _SCOPES:
            return True
        if (key := scope.data[0]) not in self._seen:  # identifies the declaration
            self._seen[key] = {each.data[0] for each in _given_away(scope, setting=False)}
        return variable.data[0] in self._seen[key]


def _start(statement: Any) -> tuple[Any, Any]:
    """Return a loop's counter and its initial value, or None for both if they are not found."""
    parts = children(statement)
    if statement.kind == _DECLARATION and len(parts) == 1:
        values = children(parts[0])
        return (parts[0], values[-1]) if values else (None, None)
    if statement.kind == _BINARY and operator_of(statement) == _ASSIGNMENT and parts[0].kind == _NAME:
        return lib.clang_getCursorReferenced(parts[0]), parts[1]
    return None, None


def _lowest(variable: Any, compared: Any) -> float:
    """Return the lowest value that a local variable can have in a comparison.

    NaN if the variable is static, volatile, a parameter or not an integer.
    """
    kind = lib.clang_getCanonicalType(lib.clang_getCursorType(variable))
    is_plain = variable.kind == _VARIABLE and lib.clang_Cursor_getStorageClass(variable) in _AUTOMATIC
    is_volatile = lib.clang_isVolatileQualifiedType(kind)
    is_unsigned = _INTEGERS.get(lib.clang_getCanonicalType(lib.clang_getCursorType(compared)).kind) == 0
    lowest = 0 if is_unsigned and kind.kind in _INTEGERS else _INTEGERS.get(kind.kind, nan)
    return lowest if is_plain and not is_volatile else nan


def _step(statement: Any, variable: Any) -> float:
    """Return the increment of a loop's variable, or NaN if it varies."""
    kind, parts = statement.kind, children(statement)
    operator = lib.clang_getCursorUnaryOperatorKind(statement) if kind == _UNARY else operator_of(statement)
    if (kind, operator) not in _STEPS or not _is(parts[0], variable):
        return nan
    return _STEPS[kind, operator] * (_number(evaluated(parts[1])) if kind == _COMPOUND else 1)


def _number(value: int | None) -> float:
    return nan if value is None else value


def _is(expression: Any, variable: Any) -> bool:
    """Return whether an expression consists only of a variable's name."""
    expression = _inner(expression)
    declared = lib.clang_getCursorReferenced(expression) if expression.kind == _NAME else None
    return declared is not None and _same(declared, variable)


def _inner(expression: Any) -> Any:
    """Return an expression without parentheses and implicit casts."""
    while expression.kind in {_VALUE, _PARENTHESES} and len(parts := children(expression)) == 1:
        expression = parts[0]
    return expression


def _same(one: Any, other: Any) -> bool:
    return bool(lib.clang_equalCursors(one, other))


def _given_away(node: Any, *, setting: bool) -> Iterator[Any]:
    """Yield the variables that code below a node may change in a way that the text does not show.

    Reading a variable does not count.

    Args:
        node: The node to search.
        setting: Whether assignments and increments in the text count as well.
    """
    pending = [(node, child, setting) for child in children(node)]
    while pending:
        parent, child, counts = pending.pop()
        kind = child.kind
        if kind == _NAME:
            if not _takes_value(parent, child, counts) and (variable := lib.clang_getCursorReferenced(child)):
                yield variable
            continue
        user = parent if kind == _PARENTHESES else child
        counts = counts or kind == _LAMBDA  # a loop may call the lambda
        pending += [(user, each, counts) for each in children(child)]


def _takes_value(parent: Any, name: Any, setting: bool) -> bool:
    """Return whether an expression only reads the named variable; without ``setting``, it may also assign to it."""
    kind = parent.kind
    if kind == _UNARY:
        operator = lib.clang_getCursorUnaryOperatorKind(parent)
        return operator != _ADDRESS and not (setting and (_UNARY, operator) in _STEPS)
    if kind == _COMPOUND or (kind == _BINARY and operator_of(parent) == _ASSIGNMENT):
        return not setting or not _same(_inner(children(parent)[0]), name)
    return kind in {_VALUE, _SUBSCRIPT} or (kind == _BINARY and operator_of(parent) not in _SHIFTS)
