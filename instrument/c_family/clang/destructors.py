"""Find out which objects are destroyed without user code: by a library's or the compiler's destructor, or by none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from .cursors import children
from .library import CursorKind, TypeKind, lib

__all__ = ["Destructors"]

_DESTRUCTOR: Final = CursorKind.DESTRUCTOR
_PARTS: Final = frozenset((CursorKind.FIELD_DECL, CursorKind.CXX_BASE_SPECIFIER))
_ARRAYS: Final = frozenset((TypeKind.CONSTANTARRAY, TypeKind.DEPENDENTSIZEDARRAY))


class Destructors:
    """Determines which classes of a unit have destructors without user code.

    Args:
        is_users: Returns whether a cursor is in user text.
    """

    def __init__(self, is_users: Callable[[Any], bool]) -> None:
        self._is_users = is_users
        self._known: dict[str, bool] = {}

    def is_silent(self, kind: Any) -> bool:
        """Return whether an object of a type is destroyed without user code, as far as declarations show.

        Args:
            kind: The type. A template's parameter counts as silent, because the instance's arguments are checked.
        """
        kind = lib.clang_getCanonicalType(kind)
        while kind.kind in _ARRAYS:
            kind = lib.clang_getArrayElementType(kind)
        declaration = lib.clang_getTypeDeclaration(kind)
        name = lib.clang_getCursorUSR(declaration)
        if name and name not in self._known:
            self._known[name] = True  # prevents endless recursion if the class contains itself
            self._known[name] = all(map(self.is_silent, _arguments(kind))) and self._is_class_silent(declaration)
        return self._known.get(name, True)

    def _is_class_silent(self, declaration: Any) -> bool:
        template = lib.clang_getSpecializedCursorTemplate(declaration)
        declaration = declaration if template is None else template
        if not self._is_users(declaration):
            return True
        for part in children(declaration):
            if part.kind == _DESTRUCTOR and not lib.clang_CXXMethod_isDefaulted(part):
                return False
            if part.kind in _PARTS and not self.is_silent(lib.clang_getCursorType(part)):
                return False
        return True


def _arguments(kind: Any) -> Iterator[Any]:
    """Yield the type arguments of a template's instance."""
    for number in range(lib.clang_Type_getNumTemplateArguments(kind)):
        yield lib.clang_Type_getTemplateArgumentAsType(kind, number)
