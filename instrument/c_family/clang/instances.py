"""Collect the numeric arguments of templates in a translation unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Final

from .cursors import children
from .library import CursorKind, TypeKind, lib

__all__ = ["PARAMETERS", "PRESUMED", "Instances", "numbers"]

PRESUMED: Final = 8
"""The number assumed for a template's parameter if the unit has no argument for it: a typical small vector's length."""

PARAMETERS: Final = frozenset(
    (
        CursorKind.TEMPLATE_TYPE_PARAMETER,
        CursorKind.TEMPLATE_NON_TYPE_PARAMETER,
        CursorKind.TEMPLATE_TEMPLATE_PARAMETER,
    )
)
"""The kinds of template parameters."""

_INTEGRAL: Final = 4  # a number from libclang's Index.h
_ENDLESS: Final = 2**63  # replaces larger values: -1 as an unsigned number means that a size is known only at run time
_AROUND: Final = {
    TypeKind.POINTER: "clang_getPointeeType",
    TypeKind.LVALUEREFERENCE: "clang_getPointeeType",
    TypeKind.RVALUEREFERENCE: "clang_getPointeeType",
    TypeKind.CONSTANTARRAY: "clang_getArrayElementType",
    TypeKind.INCOMPLETEARRAY: "clang_getArrayElementType",
    TypeKind.FUNCTIONPROTO: "clang_getResultType",
}


class Instances:
    """Collects template arguments, to find the largest number for each parameter.

    Args:
        place: Returns the offset of a cursor's name.
    """

    def __init__(self, place: Callable[[Any], int]) -> None:
        self._place = place
        self._parameters: dict[int, tuple[int, int]] = {}
        self._seen: Counter[int] = Counter()
        self._largest: dict[tuple[int, int], int] = {}

    def declare(self, parameter: Any, owner: Any) -> None:
        """Record a parameter of a template.

        If a member is defined outside its class, the parameters of the class come after the member's own.

        Args:
            parameter: The cursor of the parameter.
            owner: The cursor of the template.
        """
        if self._place(parameter) in self._parameters:
            return
        index = self._seen[self._place(owner)]
        self._seen[self._place(owner)] += 1
        first = lib.clang_getCanonicalCursor(owner)
        own = sum(each.kind in PARAMETERS for each in children(first))
        template = first if index < own else lib.clang_getCursorSemanticParent(first)
        if template is not None:
            key = self._place(lib.clang_getCanonicalCursor(template)), index if index < own else index - own
            self._parameters[self._place(parameter)] = key

    def note_type(self, kind: Any) -> None:
        """Record the arguments of the templates in a type."""
        kind = lib.clang_getCanonicalType(kind)
        while inner := _AROUND.get(kind.kind):
            kind = getattr(lib, inner)(kind)
        count = lib.clang_Type_getNumTemplateArguments(kind)
        if count > 0:
            self.note(lib.clang_getTypeDeclaration(kind))
            for index in range(count):
                self.note_type(lib.clang_Type_getTemplateArgumentAsType(kind, index))

    def note(self, instance: Any) -> None:
        """Record the template arguments of an instance of a class or function template."""
        for index, number in numbers(instance):
            key = self._place(lib.clang_getCanonicalCursor(_template(instance))), index
            self._largest[key] = max(self._largest.get(key, 0), number)

    def largest(self, parameter: Any) -> int:
        """Return the largest number passed to a template's parameter.

        If none is known, return the largest number passed to any template of the unit; if there is none, ``PRESUMED``.
        """
        seen = self._largest.get(self._parameters.get(self._place(parameter), (-1, -1)))
        return self._any if seen is None else seen

    @cached_property
    def _any(self) -> int:
        own = (self._largest[key] for key in self._parameters.values() if key in self._largest)
        return max(own, default=PRESUMED)


def numbers(instance: Any) -> Iterator[tuple[int, int]]:
    """Yield the index and value of each numeric argument of a class or function instance."""
    for index in range(lib.clang_Cursor_getNumTemplateArguments(instance)):
        if lib.clang_Cursor_getTemplateArgumentKind(instance, index) == _INTEGRAL:
            number = int(lib.clang_Cursor_getTemplateArgumentValue(instance, index))
            yield index, number if number >= 0 else _ENDLESS


def _template(instance: Any) -> Any:
    return lib.clang_getSpecializedCursorTemplate(instance)
