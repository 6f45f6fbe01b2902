"""Declare the functions of libclang that are used, with argument and result types.

The package's own bindings declare ten times as many functions and wrap each result, which takes longer than parsing a
small source.
"""

from __future__ import annotations

import os
import sys
from ctypes import CDLL, CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_int, c_longlong, c_uint, c_ulong, c_void_p
from ctypes import py_object as c_object
from importlib.util import find_spec
from typing import Any, Final

__all__ = ["FUNCTION_KINDS", "CursorKind", "TypeKind", "UnsavedFile", "Visit", "lib"]

_NOTHING: Final = 70  # the kind of the null cursor
_NAMES: Final = {"darwin": "libclang.dylib", "win32": "libclang.dll"}


class CursorKind:
    """Kinds of cursors: numbers from libclang's Index.h, which do not change between releases."""

    STRUCT_DECL: Final = 2
    UNION_DECL: Final = 3
    CLASS_DECL: Final = 4
    FIELD_DECL: Final = 6
    ENUM_CONSTANT_DECL: Final = 7
    FUNCTION_DECL: Final = 8
    VAR_DECL: Final = 9
    PARM_DECL: Final = 10
    CXX_METHOD: Final = 21
    NAMESPACE: Final = 22
    LINKAGE_SPEC: Final = 23
    CONSTRUCTOR: Final = 24
    DESTRUCTOR: Final = 25
    CONVERSION_FUNCTION: Final = 26
    TEMPLATE_TYPE_PARAMETER: Final = 27
    TEMPLATE_NON_TYPE_PARAMETER: Final = 28
    TEMPLATE_TEMPLATE_PARAMETER: Final = 29
    FUNCTION_TEMPLATE: Final = 30
    CLASS_TEMPLATE: Final = 31
    CLASS_TEMPLATE_PARTIAL_SPECIALIZATION: Final = 32
    CXX_BASE_SPECIFIER: Final = 44
    TEMPLATE_REF: Final = 45
    UNEXPOSED_EXPR: Final = 100
    DECL_REF_EXPR: Final = 101
    MEMBER_REF_EXPR: Final = 102
    CALL_EXPR: Final = 103
    PAREN_EXPR: Final = 111
    UNARY_OPERATOR: Final = 112
    ARRAY_SUBSCRIPT_EXPR: Final = 113
    BINARY_OPERATOR: Final = 114
    COMPOUND_ASSIGNMENT_OPERATOR: Final = 115
    CSTYLE_CAST_EXPR: Final = 117
    COMPOUND_LITERAL_EXPR: Final = 118
    INIT_LIST_EXPR: Final = 119
    CXX_STATIC_CAST_EXPR: Final = 124
    CXX_FUNCTIONAL_CAST_EXPR: Final = 128
    CXX_NEW_EXPR: Final = 134
    CXX_DELETE_EXPR: Final = 135
    CXX_UNARY_EXPR: Final = 136
    SIZE_OF_PACK_EXPR: Final = 143
    LAMBDA_EXPR: Final = 144
    UNEXPOSED_STMT: Final = 200
    LABEL_STMT: Final = 201
    COMPOUND_STMT: Final = 202
    CASE_STMT: Final = 203
    DEFAULT_STMT: Final = 204
    SWITCH_STMT: Final = 206
    WHILE_STMT: Final = 207
    DO_STMT: Final = 208
    FOR_STMT: Final = 209
    RETURN_STMT: Final = 214
    CXX_TRY_STMT: Final = 224
    CXX_FOR_RANGE_STMT: Final = 225
    DECL_STMT: Final = 231
    TRANSLATION_UNIT: Final = 350


FUNCTION_KINDS: Final = frozenset(
    (
        CursorKind.FUNCTION_DECL,
        CursorKind.CXX_METHOD,
        CursorKind.CONSTRUCTOR,
        CursorKind.DESTRUCTOR,
        CursorKind.CONVERSION_FUNCTION,
        CursorKind.FUNCTION_TEMPLATE,
    )
)


class TypeKind:
    """Kinds of types: numbers from libclang's Index.h."""

    UNEXPOSED: Final = 1
    VOID: Final = 2
    USHORT: Final = 8
    UINT: Final = 9
    ULONG: Final = 10
    ULONGLONG: Final = 11
    SHORT: Final = 16
    INT: Final = 17
    LONG: Final = 18
    LONGLONG: Final = 19
    LONGDOUBLE: Final = 23
    DEPENDENT: Final = 26
    POINTER: Final = 101
    LVALUEREFERENCE: Final = 103
    RVALUEREFERENCE: Final = 104
    RECORD: Final = 105
    ENUM: Final = 106
    TYPEDEF: Final = 107
    FUNCTIONPROTO: Final = 111
    CONSTANTARRAY: Final = 112
    INCOMPLETEARRAY: Final = 114
    DEPENDENTSIZEDARRAY: Final = 116
    ELABORATED: Final = 119


class Cursor(Structure):
    """A node of the parser's syntax tree."""

    kind: int
    data: Any
    _fields_ = (("kind", c_int), ("xdata", c_int), ("data", c_void_p * 3))


class Type(Structure):
    """A type in the source's language."""

    kind: int
    _fields_ = (("kind", c_int), ("data", c_void_p * 2))


class _Location(Structure):
    _fields_ = (("files", c_void_p * 2), ("data", c_uint))


class _Range(Structure):
    _fields_ = (("files", c_void_p * 2), ("begin", c_uint), ("end", c_uint))


class _String(Structure):
    _fields_ = (("data", c_void_p), ("flags", c_uint))


class UnsavedFile(Structure):
    """A file passed to the parser as text."""

    _fields_ = (("name", c_char_p), ("contents", c_char_p), ("length", c_ulong))


Visit: Final = CFUNCTYPE(c_int, Cursor, Cursor, c_object)
"""Callback with a cursor, its parent and an object; returns 0 to stop, 1 to skip the children, 2 to visit them."""

_PLACE: Final = (_Location, c_void_p, c_void_p, c_void_p, POINTER(c_uint))
# Functions: the name without "clang_", the result type, the argument types.
_FUNCTIONS: Final[tuple[tuple[Any, ...], ...]] = (
    ("createIndex", c_void_p, c_int, c_int),
    ("parseTranslationUnit", c_void_p, *(c_void_p, c_char_p, c_void_p, c_int, c_void_p, c_uint, c_uint)),
    ("disposeIndex", None, c_void_p),
    ("disposeTranslationUnit", None, c_void_p),
    ("getTranslationUnitCursor", Cursor, c_void_p),
    ("visitChildren", c_uint, Cursor, Visit, c_object),
    ("getNumDiagnostics", c_uint, c_void_p),
    ("getDiagnostic", c_void_p, c_void_p, c_uint),
    ("disposeDiagnostic", None, c_void_p),
    ("getDiagnosticLocation", _Location, c_void_p),
    ("getDiagnosticSeverity", c_int, c_void_p),
    ("getDiagnosticCategory", c_uint, c_void_p),
    ("getDiagnosticSpelling", _String, c_void_p),
    ("getCString", c_char_p, _String),
    ("disposeString", None, _String),
    ("getCursorLocation", _Location, Cursor),
    ("getCursorExtent", _Range, Cursor),
    ("getRangeStart", _Location, _Range),
    ("getRangeEnd", _Location, _Range),
    ("getInstantiationLocation", None, *_PLACE),
    ("getCursorSpelling", _String, Cursor),
    ("getCursorDisplayName", _String, Cursor),
    ("getCursorUSR", _String, Cursor),
    ("equalCursors", c_bool, Cursor, Cursor),
    ("getCanonicalCursor", Cursor, Cursor),
    ("getCursorDefinition", Cursor, Cursor),
    ("getCursorLexicalParent", Cursor, Cursor),
    ("getCursorReferenced", Cursor, Cursor),
    ("getCursorSemanticParent", Cursor, Cursor),
    ("getSpecializedCursorTemplate", Cursor, Cursor),
    ("getCursorBinaryOperatorKind", c_int, Cursor),
    ("getCursorUnaryOperatorKind", c_int, Cursor),
    ("Cursor_getStorageClass", c_int, Cursor),
    ("CXXMethod_isConst", c_bool, Cursor),
    ("CXXMethod_isDefaulted", c_bool, Cursor),
    ("CXXMethod_isVirtual", c_bool, Cursor),
    ("Cursor_getNumTemplateArguments", c_int, Cursor),
    ("Cursor_getTemplateArgumentKind", c_int, Cursor, c_uint),
    ("Cursor_getTemplateArgumentValue", c_longlong, Cursor, c_uint),
    ("Cursor_Evaluate", c_void_p, Cursor),
    ("EvalResult_getKind", c_int, c_void_p),
    ("EvalResult_getAsLongLong", c_longlong, c_void_p),
    ("EvalResult_dispose", None, c_void_p),
    ("getCursorType", Type, Cursor),
    ("getCursorResultType", Type, Cursor),
    ("getCanonicalType", Type, Type),
    ("getPointeeType", Type, Type),
    ("getResultType", Type, Type),
    ("getArrayElementType", Type, Type),
    ("getArraySize", c_longlong, Type),
    ("getTypeDeclaration", Cursor, Type),
    ("isConstQualifiedType", c_bool, Type),
    ("isVolatileQualifiedType", c_bool, Type),
    ("Type_getSizeOf", c_longlong, Type),
    ("Type_getNumTemplateArguments", c_int, Type),
    ("Type_getTemplateArgumentAsType", Type, Type, c_uint),
)


def _opened() -> Any:
    """Return the loaded libclang: from LIBCLANG_LIBRARY_PATH, from the Python package ``clang``, or the system's."""
    package = find_spec("clang")
    folder = f"{package.submodule_search_locations[0]}/native" if package and package.submodule_search_locations else ""
    folder = os.environ.get("LIBCLANG_LIBRARY_PATH", folder)
    name = _NAMES.get(sys.platform, "libclang.so")
    library = CDLL(f"{folder}/{name}" if folder else name)
    for name, gives, *takes in _FUNCTIONS:
        function = getattr(library, f"clang_{name}")
        function.argtypes, function.restype = takes, gives
        if gives is Cursor:
            function.errcheck = _cursor_or_none
        elif gives is _String:
            function.errcheck = _text
    return library


def _cursor_or_none(cursor: Any, _function: Any, _arguments: Any) -> Any:
    return None if cursor.kind == _NOTHING else cursor


def _text(string: Any, _function: Any, _arguments: Any) -> str:
    found = lib.clang_getCString(string)
    lib.clang_disposeString(string)
    return found.decode("utf-8", "replace") if found else ""


lib: Final = _opened()
"""The loaded libclang."""
