"""Which objects end without a trace: where their destructors are the library's, or nobody's, or the compiler's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from clang.cindex import CursorKind, TypeKind, conf

from .cursors import children

__all__ = ["Destructors"]

_DESTRUCTOR: Final = CursorKind.DESTRUCTOR.value
_PARTS: Final = frozenset((CursorKind.FIELD_DECL.value, CursorKind.CXX_BASE_SPECIFIER.value))
_ARRAYS: Final = frozenset((TypeKind.CONSTANTARRAY.value, TypeKind.DEPENDENTSIZEDARRAY.value))


class Destructors:
    """Judge the classes of a unit by what their objects do when they end.

    Args:
        is_users: Tells whether a cursor stands in user text.
    """

    def __init__(self, is_users: Callable[[Any], bool]) -> None:
        self._is_users = is_users
        self._known: dict[str, bool] = {}

    def is_silent(self, kind: Any) -> bool:
        """Tell whether an object of a type ends without code of the user's, as far as declarations say.

        Args:
            kind: The type. A parameter of a template counts as silent: the instance's arguments are looked at.
        """
        kind = conf.lib.clang_getCanonicalType(kind)
        while kind._kind_id in _ARRAYS:
            kind = conf.lib.clang_getArrayElementType(kind)
        declaration = conf.lib.clang_getTypeDeclaration(kind)
        name = conf.lib.clang_getCursorUSR(declaration)
        if name and name not in self._known:
            self._known[name] = True  # should it hold itself
            self._known[name] = all(map(self.is_silent, _arguments(kind))) and self._is_class_silent(declaration)
        return self._known.get(name, True)

    def _is_class_silent(self, declaration: Any) -> bool:
        template = conf.lib.clang_getSpecializedCursorTemplate(declaration)
        declaration = declaration if template is None else template
        if not self._is_users(declaration):
            return True
        for part in children(declaration):
            if part._kind_id == _DESTRUCTOR and not conf.lib.clang_CXXMethod_isDefaulted(part):
                return False
            if part._kind_id in _PARTS and not self.is_silent(conf.lib.clang_getCursorType(part)):
                return False
        return True


def _arguments(kind: Any) -> Iterator[Any]:
    """Give the types that a template's instance was made with."""
    for number in range(conf.lib.clang_Type_getNumTemplateArguments(kind)):
        yield conf.lib.clang_Type_getTemplateArgumentAsType(kind, number)
