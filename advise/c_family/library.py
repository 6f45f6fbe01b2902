"""The parts of libclang's interface that only the advice needs."""

from __future__ import annotations

import re
from ctypes import byref, c_char_p, c_double, c_uint, c_void_p
from typing import Any, Final, NamedTuple

from ...instrument.c_family.clang.cursors import children
from ...instrument.c_family.clang.library import CursorKind, TypeKind, UnsavedFile, lib

__all__ = [
    "BINARY",
    "UNARY",
    "CursorKind",
    "Kind",
    "Place",
    "Places",
    "Types",
    "UnsavedFile",
    "canonical",
    "children",
    "floating",
    "lib",
    "unwrapped",
]


class Kind:
    """Kinds of cursors that ``CursorKind`` does not define, with their numbers in Index.h."""

    INTEGER_LITERAL: Final = 106
    FLOATING_LITERAL: Final = 107
    STRING_LITERAL: Final = 109
    CHARACTER_LITERAL: Final = 110
    CONDITIONAL: Final = 116
    BOOL_LITERAL: Final = 130
    NULL_LITERALS: Final = (123, 131)
    THIS: Final = 132
    THROW: Final = 133
    CASTS: Final = (100, 111, 117, 124, 125, 126, 127, 128)  # casts and parentheses
    IF: Final = 205
    GOTO: Final = 210
    CONTINUE: Final = 212
    BREAK: Final = 213
    NOTHING: Final = 230
    OVERLOADED: Final = 49
    # References to types, templates, namespaces and members, which are not expressions.
    TYPE_REFERENCES: Final = (43, 45, 46, 47)


class Types:
    """Kinds of types that ``TypeKind`` does not define, with their numbers in Index.h."""

    BOOL: Final = 3
    CHARACTERS: Final = (4, 5, 13, 14)
    INTEGERS: Final = (6, 7, *range(8, 13), *range(15, 21), 106)
    REALS: Final = (21, 22, 23, 30, 31, 32)
    COMPLEX: Final = 100
    VARIABLE_ARRAY: Final = 115
    ARRAYS: Final = (112, 114, 115, 116)
    REFERENCES: Final = (103, 104)
    POINTER: Final = TypeKind.POINTER
    RECORD: Final = TypeKind.RECORD


# The operators in the order of Index.h, so that their indices are the numbers used there.
BINARY: Final = (
    *("", ".*", "->*", "*", "/", "%", "+", "-", "<<", ">>", "<=>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|"),
    *("&&", "||", "=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ","),
)
UNARY: Final = ("", "x++", "x--", "++x", "--x", "&", "*", "+", "-", "~", "!")

_type: Final[Any] = lib.clang_getCursorType.restype
lib.clang_EvalResult_getAsDouble.argtypes = [c_void_p]
lib.clang_EvalResult_getAsDouble.restype = c_double
lib.clang_isRestrictQualifiedType.argtypes = [_type]
lib.clang_isRestrictQualifiedType.restype = c_uint
lib.clang_getTypeSpelling.argtypes = [_type]
lib.clang_getTypeSpelling.restype = lib.clang_getCursorSpelling.restype
lib.clang_getTypeSpelling.errcheck = lib.clang_getCursorSpelling.errcheck
lib.clang_Cursor_getVarDeclInitializer.argtypes = [lib.clang_getCanonicalCursor.restype]
lib.clang_Cursor_getVarDeclInitializer.restype = lib.clang_getCanonicalCursor.restype
lib.clang_Cursor_getVarDeclInitializer.errcheck = lib.clang_getCanonicalCursor.errcheck
lib.clang_CXXMethod_isVirtual.argtypes = [lib.clang_getCanonicalCursor.restype]
lib.clang_CXXMethod_isVirtual.restype = c_uint
lib.clang_getFile.argtypes = [c_void_p, c_char_p]
lib.clang_getFile.restype = c_void_p


_LAST_WORD: Final = re.compile(r"(\w+)\s*\Z")


class Place(NamedTuple):
    """A position in the file; in a macro's expansion, the position of the macro's use.

    Attributes:
        line: Line, from 1; 0 if the position is in another file.
        column: Column, from 1, in bytes.
        offset: Offset in the file, in bytes.
    """

    line: int
    column: int
    offset: int


class Places:
    """Determines positions in one file.

    Args:
        unit: The parsed unit.
        name: The parser's name for the file.
        text: The file without comments and literals, one character per byte.
    """

    def __init__(self, unit: Any, name: bytes, text: str) -> None:
        self._file = lib.clang_getFile(unit, name)
        self.text = text

    def start(self, cursor: Any) -> Place:
        """Return the start of a cursor's text."""
        return self.at(lib.clang_getRangeStart(lib.clang_getCursorExtent(cursor)))

    def end(self, cursor: Any) -> Place:
        """Return the end of a cursor's text."""
        return self.at(lib.clang_getRangeEnd(lib.clang_getCursorExtent(cursor)))

    def last_word(self, cursor: Any) -> str:
        """Return the last word of a cursor's text; empty if the text is in another file."""
        start, end = self.start(cursor), self.end(cursor)
        found = _LAST_WORD.search(self.text[start.offset : end.offset]) if start.line and end.line else None
        return found[1] if found else ""

    def at(self, location: Any) -> Place:
        """Return the position of a libclang location."""
        file, line, column, offset = c_void_p(), c_uint(), c_uint(), c_uint()
        lib.clang_getInstantiationLocation(location, byref(file), byref(line), byref(column), byref(offset))
        return Place(line.value if file.value == self._file else 0, column.value, offset.value)


def canonical(cursor: Any) -> Any:
    """Return the canonical type of a cursor, without typedefs."""
    return lib.clang_getCanonicalType(lib.clang_getCursorType(cursor))


def unwrapped(cursor: Any) -> Any:
    """Return the cursor inside parentheses and casts, explicit or implicit."""
    while cursor.kind in Kind.CASTS:
        below = [each for each in children(cursor) if each.kind not in Kind.TYPE_REFERENCES]
        if len(below) != 1:
            break
        cursor = below[0]
    return cursor


def floating(cursor: Any) -> float | None:
    """Return the value of a floating-point literal; None if it cannot be evaluated."""
    result = lib.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    try:
        return float(lib.clang_EvalResult_getAsDouble(result))
    finally:
        lib.clang_EvalResult_dispose(result)
