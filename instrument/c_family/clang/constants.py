"""Evaluate constants after template instantiation: numbers, and the sizes of arrays."""

from __future__ import annotations

from collections.abc import Callable
from operator import add, floordiv, lshift, mul, sub
from typing import Any, Final

from ...expression import expression
from .cursors import children, evaluated, operator_of, plain_type, spelling
from .instances import PRESUMED, Instances, numbers
from .library import CursorKind, TypeKind, lib

__all__ = ["Constants"]

_BLOCK: Final = CursorKind.COMPOUND_STMT
_RETURN: Final = CursorKind.RETURN_STMT
_BINARY: Final = CursorKind.BINARY_OPERATOR
_CALL: Final = CursorKind.CALL_EXPR
_NAME: Final = CursorKind.DECL_REF_EXPR
_MEMBER: Final = CursorKind.MEMBER_REF_EXPR
_PACK: Final = CursorKind.SIZE_OF_PACK_EXPR
_SIZEOF: Final = CursorKind.CXX_UNARY_EXPR
_PARAMETER: Final = CursorKind.TEMPLATE_NON_TYPE_PARAMETER
_VARIABLE: Final = CursorKind.VAR_DECL
_ENUMERATOR: Final = CursorKind.ENUM_CONSTANT_DECL
_FIELD: Final = CursorKind.FIELD_DECL
_TRANSPARENT: Final = frozenset(
    (
        CursorKind.UNEXPOSED_EXPR,
        CursorKind.PAREN_EXPR,
        CursorKind.CXX_FUNCTIONAL_CAST_EXPR,
        CursorKind.CXX_STATIC_CAST_EXPR,
        CursorKind.CSTYLE_CAST_EXPR,
    )
)
_ARRAY: Final = TypeKind.CONSTANTARRAY
_DEPENDENT_ARRAY: Final = TypeKind.DEPENDENTSIZEDARRAY
# Numbers from libclang's Index.h.
_DIVISION: Final = 4
_SHIFT: Final = 8
_ARITHMETIC: Final = {3: mul, _DIVISION: floordiv, 6: add, 7: sub, _SHIFT: lshift}
_BITS: Final = 63
_DEEPEST: Final = 12  # maximum length of a chain of names, each of which is defined by the next
_LAST_NAME: Final = expression(rb"\w+\Z")
_LONGEST: Final = 256  # maximum length of a name that is looked up


class Constants:
    """Evaluates constant expressions; used after the whole translation unit was read.

    Args:
        text: The parsed text.
        end: Returns the offset at which a cursor's text ends.
        instances: The arguments of templates.
    """

    def __init__(self, text: bytes, end: Callable[[Any], int], instances: Instances) -> None:
        self._text = text
        self._end = end
        self._instances = instances

    def value(self, expression: Any, depth: int = 0) -> int | None:
        """Return the value of an expression, or None if it is not constant.

        A template's parameter takes its largest value in any instance. ``depth`` counts recursive calls.
        """
        value = evaluated(expression)
        if value is not None or depth > _DEEPEST:
            return value
        kind, parts = expression.kind, children(expression)
        if kind == _PACK:
            return PRESUMED
        if kind == _CALL:
            return self._called(expression, depth)
        if kind == _NAME:
            return self._named(lib.clang_getCursorReferenced(expression), depth)
        if kind == _BINARY:
            return self._combined(operator_of(expression), parts, depth)
        return self.value(parts[-1], depth + 1) if kind in _TRANSPARENT and parts else None

    def _combined(self, operator: int, parts: list[Any], depth: int) -> int | None:
        if operator == _DIVISION and all(part.kind == _SIZEOF for part in parts):
            return next((self.elements(array) for array in children(parts[0])), None)
        left, right = (self.value(part, depth + 1) for part in parts)
        if left is None or right is None or operator not in _ARITHMETIC:
            return None
        is_void = (operator == _DIVISION and right == 0) or (operator == _SHIFT and not 0 <= right < _BITS)
        return None if is_void else int(_ARITHMETIC[operator](left, right))

    def _named(self, declaration: Any, depth: int) -> int | None:
        """Return the value of the constant that a name refers to, or None if it is not constant."""
        if declaration is None:
            return None
        if declaration.kind == _PARAMETER:
            return self._instances.largest(declaration)
        is_constant = declaration.kind == _ENUMERATOR or (
            declaration.kind == _VARIABLE and lib.clang_isConstQualifiedType(lib.clang_getCursorType(declaration))
        )
        parts = children(declaration)
        return self.value(parts[-1], depth + 1) if is_constant and parts else None

    def _called(self, call: Any, depth: int) -> int | None:
        """Return the value of an array's ``a.size()`` or of a function that only returns a constant, or else None."""
        parts = children(call)
        is_size = len(parts) == 1 and parts[0].kind == _MEMBER and self._name(parts[0]) == "size"
        of = children(parts[0]) if is_size else []
        if of and (elements := self.elements(of[0])) is not None:
            return elements
        function = lib.clang_getCursorReferenced(call)
        if function is None or lib.clang_CXXMethod_isVirtual(function):
            return None
        definition = lib.clang_getCursorDefinition(function)
        body = children(definition)[-1:] if definition is not None else []
        statements = children(body[0]) if body and body[0].kind == _BLOCK else []
        given = children(statements[0]) if len(statements) == 1 and statements[0].kind == _RETURN else []
        return self.value(given[0], depth + 1) if given else None

    def elements(self, array: Any) -> int | None:
        """Return the number of elements of an array or std::array, or None if it is neither."""
        while array.kind in _TRANSPARENT and (parts := children(array)):
            array = parts[-1]
        declared = lib.clang_getCursorReferenced(array)
        declared = declared if declared is not None else self._member(array)
        for each in (array, declared) if declared is not None else (array,):
            if (size := self._size(each)) is not None:
                return size
        return None

    def _size(self, array: Any) -> int | None:
        """Return the number of elements of an array, from the type of an expression or a declaration."""
        kind = plain_type(array)
        if kind.kind == _ARRAY:
            return int(lib.clang_getArraySize(kind))
        declaration = lib.clang_getTypeDeclaration(kind)
        if kind.kind != _DEPENDENT_ARRAY:
            if not _is_std_array(declaration):
                return None
            for _, number in numbers(declaration):
                return number
        sizes = (self.value(part) for part in reversed(children(array)))
        return next((size for size in sizes if size is not None), None)

    def _member(self, access: Any) -> Any:
        """Return the member of a class template in ``a.v``, which the parser resolves only in instances."""
        parts = children(access)
        if access.kind != _MEMBER or len(parts) != 1:
            return None
        owner = lib.clang_getTypeDeclaration(plain_type(parts[0]))
        members = children(owner) if owner is not None else []
        name = self._name(access)
        return next((each for each in members if each.kind == _FIELD and spelling(each) == name), None)

    def _name(self, member: Any) -> str:
        """Find the last name in ``a.v`` in the text; in templates, the parser does not report it."""
        match = _LAST_NAME.search(self._text[: self._end(member)][-_LONGEST:])
        return match[0].decode() if match else ""


def _is_std_array(declaration: Any) -> bool:
    if declaration is None or spelling(declaration) != "array":
        return False
    outer = lib.clang_getCursorSemanticParent(declaration)
    while outer is not None and spelling(outer).startswith("__"):
        outer = lib.clang_getCursorSemanticParent(outer)
    return outer is not None and spelling(outer) == "std"
