"""Query libclang's cursors, which are nodes of the syntax tree."""

from __future__ import annotations

from typing import Any, Final

from .library import TypeKind, Visit, lib

__all__ = ["children", "evaluated", "operator_of", "plain_type", "spelling"]

_INTEGER: Final = 1  # a value of libclang's CXEvalResultKind
_NEXT: Final = 1
_POINTING: Final = frozenset((TypeKind.POINTER, TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE))


def children(cursor: Any) -> list[Any]:
    """Return the children of a cursor."""
    found: list[Any] = []
    lib.clang_visitChildren(cursor, _APPEND, found)
    return found


def _append(child: Any, _parent: Any, found: list[Any]) -> int:
    found.append(child)
    return _NEXT


_APPEND: Final = Visit(_append)


def spelling(cursor: Any) -> str:
    """Return a cursor's name."""
    return str(lib.clang_getCursorSpelling(cursor))


def operator_of(cursor: Any) -> int:
    """Return the number, from libclang's Index.h, of a binary expression's operator."""
    return int(lib.clang_getCursorBinaryOperatorKind(cursor))


def plain_type(cursor: Any) -> Any:
    """Return the type of an expression or a declaration; for a reference or pointer, the type to which it refers."""
    kind = lib.clang_getCanonicalType(lib.clang_getCursorType(cursor))
    return lib.clang_getPointeeType(kind) if kind.kind in _POINTING else kind


def evaluated(expression: Any) -> int | None:
    """Return the value of an expression, or None if it is not an integer or depends on a template's arguments."""
    result = lib.clang_Cursor_Evaluate(expression)
    if not result:
        return None
    try:
        is_integer = lib.clang_EvalResult_getKind(result) == _INTEGER
        return int(lib.clang_EvalResult_getAsLongLong(result)) if is_integer else None
    finally:
        lib.clang_EvalResult_dispose(result)
