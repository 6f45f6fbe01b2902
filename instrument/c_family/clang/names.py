"""Form readable function names: qualified, with ``<...>`` for template parameters."""

from __future__ import annotations

from typing import Any, Final

from .cursors import children
from .library import CursorKind, lib

__all__ = ["qualified_name"]

_TEMPLATES: Final = frozenset((CursorKind.FUNCTION_TEMPLATE, CursorKind.CLASS_TEMPLATE))
_SCOPES: Final = frozenset(
    (
        CursorKind.NAMESPACE,
        CursorKind.CLASS_DECL,
        CursorKind.STRUCT_DECL,
        CursorKind.UNION_DECL,
        CursorKind.CLASS_TEMPLATE,
        CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
        CursorKind.FUNCTION_DECL,
        CursorKind.CXX_METHOD,
        CursorKind.FUNCTION_TEMPLATE,
        CursorKind.CONSTRUCTOR,
        CursorKind.DESTRUCTOR,
        CursorKind.CONVERSION_FUNCTION,
    )
)
_NAMED_AS_THEIR_CLASS: Final = frozenset((CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR))
_READABLE: Final = 60  # maximum length of the parameters in a name
_UNIT: Final = CursorKind.TRANSLATION_UNIT


def qualified_name(function: Any) -> tuple[str, str]:
    """Return a function's qualified name, and its parameters.

    ::

        namespace fe { template <class T> struct Matrix { void multiply(const T *x) const {…} }; }

        fe::Matrix<...>::multiply    (const T *) const

    Unnamed namespaces and classes are left out.
    """
    parts = [_function_part(function)]
    scope = lib.clang_getCursorSemanticParent(function)
    while scope is not None and scope.kind != _UNIT:
        if scope.kind in _SCOPES and (part := _part(scope)):
            parts.append(part)
        scope = lib.clang_getCursorSemanticParent(scope)
    constant = " const" if lib.clang_CXXMethod_isConst(function) else ""
    return "::".join(reversed(parts)), _parameters(function) + constant


def _spelling(cursor: Any) -> str:
    return str(lib.clang_getCursorSpelling(cursor))


def _display(cursor: Any) -> str:
    return str(lib.clang_getCursorDisplayName(cursor))


def _part(scope: Any) -> str:
    name = _spelling(scope)
    if "(" in name and not name.startswith("operator"):
        return ""  # spelled "(unnamed struct at …)"
    if scope.kind in _TEMPLATES:
        return f"{name}<...>"
    display = _display(scope)
    return display if display.startswith(f"{name}<") and "(" not in display else name


def _function_part(function: Any) -> str:
    name = _spelling(function)
    is_template = function.kind in _TEMPLATES
    owner = lib.clang_getCursorSemanticParent(function)
    if owner is not None and name.startswith((f"{_spelling(owner)}<", f"~{_spelling(owner)}<")):
        name = name.partition("<")[0]  # a constructor repeats the parameters of its class
    return f"{name}<...>" if is_template else name


def _parameters(function: Any) -> str:
    """Return a function's parameters in parentheses; if they are too long, only their number."""
    display = _display(function)
    depth = 0
    for offset in range(len(display) - 1, -1, -1):
        depth += (display[offset] == ")") - (display[offset] == "(")
        if depth == 0:
            return display[offset:] if len(display) - offset <= _READABLE else f"({_count(function)} parameters)"
    return ""


def _count(function: Any) -> int:
    return sum(child.kind == CursorKind.PARM_DECL for child in children(function))
