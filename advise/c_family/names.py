"""Unique names for the variables of a procedure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..expression import Expression, Name
from ..nest import Declaration
from .library import lib
from .types import element_of, extents_of

__all__ = ["Names", "declared", "key_of"]

_AUTOMATIC = (1, 6, 7)  # storage classes none, auto and register, as in Index.h


class Names:
    """Chooses a unique name for each variable of a procedure: the second ``i`` is ``i'2``.

    Attributes:
        declarations: The variables that the procedure declares.
        others: Name → variable that the procedure uses but does not declare.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._taken: dict[str, int] = {}
        self.declarations: list[Declaration] = []
        self.others: dict[str, Declaration] = {}

    def declare(
        self, cursor: Any, line: int, sizes: list[Expression], value: Expression | None, *, argument: bool = False
    ) -> Name:
        """Record a variable or an argument; return its unique name.

        Args:
            cursor: The declaration of the variable.
            line: The declaration's line.
            sizes: The variable's non-constant extents.
            value: The variable's initial value.
            argument: Whether the variable is an argument.
        """
        spelled = str(lib.clang_getCursorSpelling(cursor))
        number = self._taken[spelled] = self._taken.get(spelled, 0) + 1
        name = spelled if number == 1 else f"{spelled}'{number}"
        self._names[key_of(cursor)] = name
        self.declarations.append(declared(cursor, name, line, sizes, value, argument=argument))
        return Name(name, line=line)

    def of(self, declaration: Any) -> str:
        """Return the name of a variable that is used; record the variable if the procedure does not declare it."""
        key = key_of(declaration)
        if key in self._names:
            return self._names[key]
        spelled = str(lib.clang_getCursorSpelling(declaration))
        name = self._names[key] = f"{spelled}'0" if spelled in self._taken else spelled
        self.others[name] = replace(declared(declaration, name, 0, [], None), outlives=True)
        return name

    def own(self, names: frozenset[str]) -> None:
        """Mark variables as the only pointers to newly allocated memory."""
        self.declarations = [
            replace(each, may_overlap=False) if each.name in names and not each.is_argument else each
            for each in self.declarations
        ]


def key_of(cursor: Any) -> str:
    """Return a unique key for a declaration."""
    canonical = lib.clang_getCanonicalCursor(cursor)
    return f"{lib.clang_getCursorUSR(canonical)} {lib.clang_getCursorSpelling(canonical)} {_offset(canonical)}"


def _offset(cursor: Any) -> tuple[int, ...]:
    location = lib.clang_getCursorLocation(cursor)
    return (location.data,)


def declared(
    cursor: Any, name: str, line: int, sizes: list[Expression], value: Expression | None, *, argument: bool = False
) -> Declaration:
    """Return the declaration of a variable."""
    type_ = lib.clang_getCursorType(cursor)
    canonical = lib.clang_getCanonicalType(type_)
    is_reference = canonical.kind in (103, 104)
    is_pointer = canonical.kind == 101
    pointee = lib.clang_getPointeeType(canonical) if is_pointer or is_reference else None
    restricted = bool(lib.clang_isRestrictQualifiedType(canonical))
    extents = extents_of(type_, sizes)
    element = element_of(pointee) if is_pointer else element_of(type_)
    if is_pointer and element.kind == "":
        element = element_of(type_)
    reads = pointee is not None and bool(lib.clang_isConstQualifiedType(pointee))
    return Declaration(
        name,
        element,
        extents,
        value,
        is_constant=bool(lib.clang_isConstQualifiedType(canonical)) and not extents,
        is_argument=argument,
        may_overlap=(is_pointer and not restricted) or is_reference,
        outlives=int(lib.clang_Cursor_getStorageClass(cursor)) not in (0, *_AUTOMATIC),
        intent="in" if reads or (argument and not is_pointer and not is_reference) else "",
        line=line,
    )
