"""Element types and extents (numbers of elements per dimension) of C and C++ types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..expression import UNKNOWN_ELEMENT, Element, Expression, Number
from .library import Types, lib

__all__ = [
    "canonical_of",
    "container_name",
    "container_of",
    "element_of",
    "extents_of",
    "is_changeable",
    "is_function_object",
    "is_reference",
    "is_stream",
    "pointed_to",
    "structure_name",
]

_CONTAINERS: Final = ("vector", "array", "valarray", "deque", "span", "basic_string")
_KINDS: Final = {
    "integer": Types.INTEGERS,
    "real": Types.REALS,
    "logical": (Types.BOOL,),
    "character": Types.CHARACTERS,
    "complex": (Types.COMPLEX,),
    "structure": (Types.RECORD,),
}
_FUNCTION: Final = re.compile(r"\(lambda at |\bstd::(__\w+::)?function<")
_STREAM: Final = re.compile(r"\bbasic_\w*(stream|filebuf)\b|\b[io]?f?stream\b")


def canonical_of(type_: Any) -> Any:
    """Return a type without typedefs and references."""
    found = lib.clang_getCanonicalType(type_)
    while found.kind in Types.REFERENCES:
        found = lib.clang_getCanonicalType(lib.clang_getPointeeType(found))
    return found


def pointed_to(type_: Any) -> Any:
    """Return the type that a pointer points to."""
    return lib.clang_getCanonicalType(lib.clang_getPointeeType(canonical_of(type_)))


def element_of(type_: Any) -> Element:
    """Return the type of a value; for an array, the type of its elements.

    A pointer has the kind ``pointer`` and the name of the structure that it points to. A container is a structure.
    """
    found = canonical_of(type_)
    while found.kind in Types.ARRAYS:
        found = canonical_of(lib.clang_getArrayElementType(found))
    if found.kind == Types.POINTER:
        target = pointed_to(found)
        while target.kind in Types.ARRAYS:
            target = canonical_of(lib.clang_getArrayElementType(target))
        return Element("pointer", _size(found), structure_name(target))
    return _plain(found)


def _plain(found: Any) -> Element:
    kind = next((kind for kind, numbers in _KINDS.items() if found.kind in numbers), "")
    return Element(kind, _size(found), structure_name(found)) if kind else UNKNOWN_ELEMENT


def structure_name(type_: Any) -> str:
    """Return the name of a structure; empty for other types."""
    found = canonical_of(type_)
    if found.kind != Types.RECORD:
        return ""
    return re.sub(r"^(const |volatile |struct |union |class )+", "", str(lib.clang_getTypeSpelling(found)))


def container_of(type_: Any) -> Any | None:
    """Return the element type of a standard container; None for other types."""
    found = canonical_of(type_)
    return lib.clang_Type_getTemplateArgumentAsType(found, 0) if container_name(found) else None


def container_name(type_: Any) -> str:
    """Return the name of a standard container, such as ``vector``; empty for other types."""
    found = canonical_of(type_)
    if found.kind != Types.RECORD or lib.clang_Type_getNumTemplateArguments(found) < 1:
        return ""
    name = str(lib.clang_getCursorSpelling(lib.clang_getTypeDeclaration(found)))
    return name if name in _CONTAINERS else ""


def is_reference(type_: Any) -> bool:
    """Return whether a type is a reference."""
    return bool(lib.clang_getCanonicalType(type_).kind in Types.REFERENCES)


def is_changeable(type_: Any) -> bool:
    """Return whether a type is a reference through which a function may change its argument."""
    found = lib.clang_getCanonicalType(type_)
    is_constant = lib.clang_isConstQualifiedType(lib.clang_getPointeeType(found))
    return bool(found.kind == Types.REFERENCES[0] and not is_constant)


def is_function_object(type_: Any) -> bool:
    """Return whether a type is a lambda's type or ``std::function``, whose call operator may run any code."""
    return bool(_FUNCTION.search(str(lib.clang_getTypeSpelling(canonical_of(type_)))))


def is_stream(type_: Any) -> bool:
    """Return whether a type is a standard stream."""
    return bool(_STREAM.search(str(lib.clang_getTypeSpelling(canonical_of(type_)))))


def extents_of(type_: Any, sizes: Sequence[Expression] = ()) -> tuple[Expression | None, ...]:
    """Return the number of elements along each dimension of a type; empty if it has no subscripts.

    Unknown numbers are None, such as a container's size or a pointer's first dimension.

    Args:
        type_: The type.
        sizes: The non-constant extents, in order.
    """
    found, variable = canonical_of(type_), iter(sizes)
    if found.kind == Types.POINTER:
        target = pointed_to(found)
        return (None, *_of_arrays(target, variable))
    if container_of(found) is not None:
        return (None,)
    return tuple(_of_arrays(found, variable))


def _of_arrays(type_: Any, variable: Iterator[Expression]) -> Iterator[Expression | None]:
    found = canonical_of(type_)
    while found.kind in Types.ARRAYS:
        size = int(lib.clang_getArraySize(found))
        yield next(variable, None) if found.kind == Types.VARIABLE_ARRAY else Number(size) if size > 0 else None
        found = canonical_of(lib.clang_getArrayElementType(found))


def _size(type_: Any) -> int:
    return max(int(lib.clang_Type_getSizeOf(type_)), 0)
