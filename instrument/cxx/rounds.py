"""How often a loop runs at most, where the source's constants say so."""

from __future__ import annotations

from ctypes import c_longlong, c_void_p
from typing import Any, Final

from clang.cindex import Cursor, CursorKind, callbacks, conf

__all__ = ["children", "most_rounds"]

_DECLARATION: Final = CursorKind.DECL_STMT.value
_BINARY: Final = CursorKind.BINARY_OPERATOR.value
_STEPS: Final = frozenset((CursorKind.UNARY_OPERATOR.value, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR.value))
# Twins of libclang's Index.h.
_COMPARISONS: Final = {11: 0, 12: 0, 16: 0, 13: 1, 14: 1}  # < > !=, and a round more for <= >=
_ASSIGNMENT: Final = 22
_INTEGER: Final = 1
_CONTINUE: Final = 1


def most_rounds(loop: Any) -> int:
    """Give the most rounds of a ``for`` whose bounds are constants; 0 if they are not known.

    ::

        for (int i = 0; i < 8; ++i) …    8
        for (int i = 0; i < n; ++i) …    0

    What the body does with the variable is not looked at.

    Args:
        loop: The cursor of a ``for`` statement.
    """
    parts = children(loop)
    if len(parts) != 4:
        return 0
    first, condition, step, _ = parts
    if condition._kind_id != _BINARY or _operator(condition) not in _COMPARISONS or step._kind_id not in _STEPS:
        return 0
    variable, low = _start(first)
    compared, bound = children(condition)
    high = _constant(bound)
    if not variable or _spelling(compared) != variable or low is None or high is None:
        return 0
    return abs(high - low) + _COMPARISONS[_operator(condition)]


def _start(statement: Any) -> tuple[str, int | None]:
    """Give the variable that a loop counts by, and what it is at first."""
    parts = children(statement)
    if statement._kind_id == _DECLARATION and len(parts) == 1:
        values = children(parts[0])
        return _spelling(parts[0]), _constant(values[-1]) if values else None
    if statement._kind_id == _BINARY and _operator(statement) == _ASSIGNMENT:
        return _spelling(parts[0]), _constant(parts[1])
    return "", None


def children(cursor: Any) -> list[Any]:
    """Give what stands right below a cursor."""
    found: list[Any] = []

    def visit(child: Any, _parent: Any, _data: Any) -> int:
        found.append(child)
        return _CONTINUE

    conf.lib.clang_visitChildren(cursor, callbacks["cursor_visit"](visit), None)
    return found


def _spelling(cursor: Any) -> str:
    return str(conf.lib.clang_getCursorSpelling(cursor))


def _operator(cursor: Any) -> int:
    return int(conf.lib.clang_getCursorBinaryOperatorKind(cursor))


def _constant(expression: Any) -> int | None:
    """Evaluate an expression; None if it is no integer, or depends on a template's arguments."""
    result = conf.lib.clang_Cursor_Evaluate(expression)
    if not result:
        return None
    try:
        is_integer = conf.lib.clang_EvalResult_getKind(result) == _INTEGER
        return int(conf.lib.clang_EvalResult_getAsLongLong(result)) if is_integer else None
    finally:
        conf.lib.clang_EvalResult_dispose(result)


def _declare() -> None:
    """Tell the types of functions that the bindings leave out."""
    lib = conf.lib
    lib.clang_getCursorBinaryOperatorKind.argtypes = [Cursor]
    lib.clang_Cursor_Evaluate.argtypes = [Cursor]
    lib.clang_Cursor_Evaluate.restype = c_void_p
    lib.clang_EvalResult_getKind.argtypes = [c_void_p]
    lib.clang_EvalResult_getAsLongLong.argtypes = [c_void_p]
    lib.clang_EvalResult_getAsLongLong.restype = c_longlong
    lib.clang_EvalResult_dispose.argtypes = [c_void_p]
    lib.clang_EvalResult_dispose.restype = None


_declare()
