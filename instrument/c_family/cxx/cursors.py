"""What the bindings of libclang leave out, or do in a slower way."""

from __future__ import annotations

from ctypes import c_longlong, c_void_p
from typing import Any, Final

from clang.cindex import Cursor, TypeKind, callbacks, conf

__all__ = ["children", "evaluated", "operator_of", "plain_type", "spelling"]

_INTEGER: Final = 1  # twin of libclang's CXEvalResultKind
_CONTINUE: Final = 1
_POINTING: Final = frozenset(
    kind.value for kind in (TypeKind.POINTER, TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE)
)


def children(cursor: Any) -> list[Any]:
    """Give what stands right below a cursor."""
    found: list[Any] = []

    def visit(child: Any, _parent: Any, _data: Any) -> int:
        child._tu = cursor._tu  # the bindings ask for it
        found.append(child)
        return _CONTINUE

    conf.lib.clang_visitChildren(cursor, callbacks["cursor_visit"](visit), None)
    return found


def spelling(cursor: Any) -> str:
    """Give a cursor's name."""
    return str(conf.lib.clang_getCursorSpelling(cursor))


def operator_of(cursor: Any) -> int:
    """Give the number that libclang's Index.h has for the operator of a binary expression."""
    return int(conf.lib.clang_getCursorBinaryOperatorKind(cursor))


def plain_type(cursor: Any) -> Any:
    """Give the type of an expression or a declaration, or of that to which it points."""
    kind = conf.lib.clang_getCanonicalType(conf.lib.clang_getCursorType(cursor))
    return conf.lib.clang_getPointeeType(kind) if kind._kind_id in _POINTING else kind


def evaluated(expression: Any) -> int | None:
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
    lib.clang_getCursorUnaryOperatorKind.argtypes = [Cursor]
    lib.clang_Cursor_getStorageClass.argtypes = [Cursor]
    lib.clang_Cursor_Evaluate.argtypes = [Cursor]
    lib.clang_Cursor_Evaluate.restype = c_void_p
    lib.clang_EvalResult_getKind.argtypes = [c_void_p]
    lib.clang_EvalResult_getAsLongLong.argtypes = [c_void_p]
    lib.clang_EvalResult_getAsLongLong.restype = c_longlong
    lib.clang_EvalResult_dispose.argtypes = [c_void_p]
    lib.clang_EvalResult_dispose.restype = None


_declare()
