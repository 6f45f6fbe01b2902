"""Convert libclang's C and C++ expressions to those of ``expression.py``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from ...instrument.c_family.clang.cursors import evaluated, operator_of, spelling
from ..expression import (
    ArrayRef,
    Binary,
    Call,
    Deref,
    Element,
    Expression,
    FieldRef,
    Name,
    Number,
    Opaque,
    Text,
    Unary,
)
from ..nest import Assignment, Statement, Structure
from .functions import LAYING_OUT, LOOKING, POWERS, PURE, base_name
from .input_output import by_function, by_method, by_operator, flushed
from .library import (
    BINARY,
    UNARY,
    CursorKind,
    Kind,
    Place,
    Places,
    Types,
    canonical,
    children,
    floating,
    lib,
    unwrapped,
)
from .names import Names, declared, key_of
from .types import (
    canonical_of,
    element_of,
    extents_of,
    is_changeable,
    is_function_object,
    is_stream,
    structure_name,
)

__all__ = ["Expressions"]

_ASSIGNMENTS: Final = frozenset(each for each in BINARY if each.endswith("=") and each not in ("<=", ">=", "==", "!="))
_DEEPEST: Final = 150  # deepest nesting of expressions; Python allows about 1,000 nested calls
_COMPARISONS: Final = frozenset(("<", "<=", ">", ">="))
_VARIABLES: Final = frozenset((CursorKind.VAR_DECL, CursorKind.PARM_DECL))
_MEMBERS: Final = frozenset((CursorKind.FIELD_DECL, CursorKind.VAR_DECL))
_SUBSCRIPTS: Final = frozenset(("operator[]", "operator()", "at"))
_HARMLESS: Final = frozenset((Kind.CONDITIONAL, CursorKind.INIT_LIST_EXPR, CursorKind.COMPOUND_LITERAL_EXPR))
_CALLED: Final = (CursorKind.MEMBER_REF_EXPR, CursorKind.DECL_REF_EXPR)
_UNION: Final = CursorKind.UNION_DECL


class Expressions:
    """Reads the expressions of one procedure.

    Args:
        places: Determines source positions.
        names: The procedure's variables.
        structures: Structures in use, by name; new structures are added.

    Attributes:
        before: Assignments, input and output found inside the expression; they belong before its statement.
    """

    def __init__(self, places: Places, names: Names, structures: dict[str, Structure]) -> None:
        self._places, self._names, self._structures = places, names, structures
        self.before: list[Statement] = []
        self._depth = 0
        self._object: Expression | None = None  # object of the method that is being inlined
        self._given: dict[str, Expression] = {}  # arguments of the method that is being inlined
        self._ways: dict[int, Callable[[Any, Place], Expression]] = {
            Kind.INTEGER_LITERAL: self._integer,
            Kind.CHARACTER_LITERAL: self._integer,
            Kind.BOOL_LITERAL: self._integer,
            Kind.FLOATING_LITERAL: self._floating,
            Kind.STRING_LITERAL: lambda cursor, _: Text(spelling(cursor).strip('"')),
            CursorKind.CXX_UNARY_EXPR: self._integer,
            CursorKind.DECL_REF_EXPR: self._name,
            CursorKind.MEMBER_REF_EXPR: self._member,
            CursorKind.ARRAY_SUBSCRIPT_EXPR: self._subscript,
            CursorKind.UNARY_OPERATOR: self._unary,
            CursorKind.BINARY_OPERATOR: self._binary,
            CursorKind.COMPOUND_ASSIGNMENT_OPERATOR: self._binary,
            Kind.CONDITIONAL: self._conditional,
            CursorKind.CALL_EXPR: self._call,
            CursorKind.CXX_NEW_EXPR: lambda cursor, _: Call("new", tuple(self.expressions_below(cursor))),
            **dict.fromkeys(Kind.NULL_LITERALS, lambda cursor, place: Number(0)),
        }

    def read(self, cursor: Any) -> Expression:
        """Convert a libclang cursor to an expression.

        Raises:
            RecursionError: The expression is nested too deeply.
        """
        inner = unwrapped(cursor)
        place = self._places.start(inner)
        way = self._ways.get(inner.kind)
        self._depth += 1
        if self._depth > _DEEPEST:
            raise RecursionError
        found = way(inner, place) if way else self._opaque(inner)
        self._depth -= 1
        return replace(found, line=place.line, column=place.column) if place.line else found

    def expressions_below(self, cursor: Any) -> list[Expression]:
        """Convert the children of a cursor that are expressions; other children, such as types, are skipped."""
        return [self.read(each) for each in children(cursor) if 100 <= each.kind < 200]

    def _opaque(self, cursor: Any) -> Expression:
        value = evaluated(cursor)
        if value is not None:
            return Number(value)
        return Opaque(tuple(self.expressions_below(cursor)), changes=cursor.kind not in _HARMLESS)

    def _integer(self, cursor: Any, _place: Place) -> Expression:
        value = evaluated(cursor)
        return Opaque(changes=False) if value is None else Number(value)

    def _floating(self, cursor: Any, _place: Place) -> Expression:
        value = floating(cursor)
        return Opaque(changes=False) if value is None else Number(value)

    def _name(self, cursor: Any, _place: Place) -> Expression:
        target = lib.clang_getCursorReferenced(cursor)
        if target is None:
            return Name(spelling(cursor)) if spelling(cursor) else Opaque()
        if target.kind == CursorKind.ENUM_CONSTANT_DECL:
            value = evaluated(cursor)
            return Name(spelling(cursor)) if value is None else Number(value)
        if self._given and (found := self._given.get(key_of(target))):
            return found
        if target.kind in _VARIABLES:
            return Name(self._names.of(target))
        return Name(spelling(cursor))

    def _member(self, cursor: Any, _place: Place) -> Expression:
        below = [each for each in children(cursor) if each.kind not in Kind.TYPE_REFERENCES]
        target = lib.clang_getCursorReferenced(cursor)
        name = spelling(cursor) or self._places.last_word(cursor)
        if (not below or below[0].kind == Kind.THIS) and self._object is not None:
            return FieldRef(self._object, name, element_of(lib.clang_getCursorType(cursor)))
        if not below or below[0].kind == Kind.THIS:  # a member of the current object
            return Name(self._names.of(target)) if target is not None and target.kind in _MEMBERS else Name(name)
        base = self.read(below[0])
        if canonical(below[0]).kind == Types.POINTER:
            base = Deref(base, _pointee(below[0]), line=base.line, column=base.column)
        if target is not None and target.kind == CursorKind.FIELD_DECL:
            owner = lib.clang_getCursorSemanticParent(target)
            self._note_structure(owner)
            name = "" if owner is not None and owner.kind == _UNION else name
        return FieldRef(base, name or "(union)", element_of(lib.clang_getCursorType(cursor)))

    def _note_structure(self, owner: Any) -> None:
        if owner is None:
            return
        type_ = lib.clang_getCursorType(owner)
        name = structure_name(type_)
        if name and name not in self._structures:
            self._structures[name] = Structure(name, ())  # a structure may refer to itself
            fields = [each for each in children(owner) if each.kind == CursorKind.FIELD_DECL]
            self._structures[name] = Structure(
                name,
                tuple(declared(each, spelling(each), 0, [], None) for each in fields),
                max(int(lib.clang_Type_getSizeOf(type_)), 0),
                self._places.start(owner).line,
            )

    def _subscript(self, cursor: Any, _place: Place) -> Expression:
        below = children(cursor)
        if len(below) != 2:
            return self._opaque(cursor)
        return self._element(cursor, below[0], [self.read(below[1])])

    def _element(self, cursor: Any, array: Any, subscripts: list[Expression]) -> Expression:
        """Return an array element; for an array of arrays, one reference contains all subscripts."""
        inner = unwrapped(array)
        base, type_ = self.read(inner), lib.clang_getCursorType(inner)
        element = element_of(lib.clang_getCursorType(cursor))
        if (
            isinstance(base, ArrayRef)
            and canonical_of(type_).kind in Types.ARRAYS
            and len(base.extents) > len(base.subscripts)
        ):
            return replace(base, subscripts=(*base.subscripts, *subscripts), element=element)
        extents = extents_of(type_) or (None,) * len(subscripts)
        if isinstance(base, Name):
            known = next((each.extents for each in self._names.declarations if each.name == base.name), ())
            extents = known if len(known) == len(extents) else extents
        return ArrayRef(base, tuple(subscripts), element, extents)

    def _unary(self, cursor: Any, place: Place) -> Expression:
        operator = UNARY[int(lib.clang_getCursorUnaryOperatorKind(cursor))] if self._is_known(cursor) else ""
        below = children(cursor)
        if not operator or len(below) != 1:
            return self._opaque(cursor)
        operand = self.read(below[0])
        if "x" in operator:
            self._assign(operand, Number(1), operator.strip("x")[0], place)
            return operand
        if operator == "*":
            return Deref(operand, element_of(lib.clang_getCursorType(cursor)))
        if operator == "-" and isinstance(operand, Number):
            return Number(-operand.value)
        return operand if operator == "+" else Unary(operator, operand)

    @staticmethod
    def _is_known(cursor: Any) -> bool:
        return int(lib.clang_getCursorUnaryOperatorKind(cursor)) < len(UNARY)

    def _binary(self, cursor: Any, place: Place) -> Expression:
        number = operator_of(cursor)
        operator = BINARY[number] if number < len(BINARY) else ""
        below = children(cursor)
        if not operator or len(below) != 2:
            return self._opaque(cursor)
        left, right = self.read(below[0]), self.read(below[1])
        if operator in _ASSIGNMENTS:
            self._assign(left, right, operator[:-1], place)
            return left
        if operator == ",":
            return right
        return Binary(operator, left, right)

    def _assign(self, target: Expression, value: Expression, operator: str, place: Place) -> None:
        self.before.append(Assignment(target, value, operator, line=place.line, column=place.column))

    def _conditional(self, cursor: Any, _place: Place) -> Expression:
        parts = self.expressions_below(cursor)
        if len(parts) == 3 and isinstance(parts[0], Binary) and parts[0].operator in _COMPARISONS:
            condition, first, second = parts
            if {condition.left, condition.right} == {first, second}:  # type: ignore[attr-defined]
                is_least = ("<" in condition.operator) == (condition.left == first)  # type: ignore[attr-defined]
                return Call("min" if is_least else "max", (first, second), is_pure=True)
        return Opaque(tuple(parts), changes=False)

    # Calls.

    def _call(self, cursor: Any, place: Place) -> Expression:
        name, target = spelling(cursor), lib.clang_getCursorReferenced(cursor)
        below = [each for each in children(cursor) if each.kind not in Kind.TYPE_REFERENCES]
        kind = target.kind if target is not None else 0
        if kind == CursorKind.CONSTRUCTOR:
            made = tuple(map(self.read, below))
            return made[0] if len(made) == 1 else Opaque(made, changes=False)
        if name.startswith("operator") and not name[8:9].isalnum():
            operands = _operands(below)
            of_object = lib.clang_getCursorType(unwrapped(operands[0])) if operands else None
            if name == "operator()" and of_object is not None and is_function_object(of_object):
                called, *arguments = [self.read(each) for each in operands]
                return Call(getattr(called, "name", ""), tuple(arguments), references=_references(cursor))
            return self._operator(cursor, name, operands, place)
        if not below:
            return Call(name)
        if not name and len(below) == 1 and unwrapped(below[0]).kind not in _CALLED:
            return self.read(below[0])  # a conversion, such as a cast
        return self._plain_call(cursor, name, below, place)

    def _plain_call(self, cursor: Any, name: str, below: list[Any], place: Place) -> Expression:
        callee, arguments = unwrapped(below[0]), [self.read(each) for each in below[1:]]
        if callee.kind == CursorKind.MEMBER_REF_EXPR:
            return self._method(
                cursor, callee, name or spelling(callee) or self._places.last_word(callee), arguments, place
            )
        name = name or spelling(callee) or self._places.last_word(callee)
        if done := by_function(name, tuple(arguments), place):
            self.before.append(done)
            return Opaque(tuple(arguments), changes=False)
        if name in POWERS and len(arguments) == 2:
            return Binary("**", *arguments)
        plain = base_name(name)
        return Call(plain, tuple(arguments), is_pure=plain in PURE, references=_references(cursor))

    def _method(self, cursor: Any, callee: Any, name: str, arguments: list[Expression], place: Place) -> Expression:
        below = [each for each in children(callee) if each.kind not in Kind.TYPE_REFERENCES]
        on = self.read(below[0]) if below and below[0].kind != Kind.THIS else None
        if name == "at" and below and len(arguments) == 1:
            return self._element(cursor, below[0], arguments)
        if below and is_stream(lib.clang_getCursorType(unwrapped(below[0]))):
            done = by_method(name, on, tuple(arguments), place)
            self.before += [done] if done else []
            if done or name in LAYING_OUT:
                return Opaque(tuple(arguments), changes=False)
        if on is not None and (reached := self._accessed(cursor, below[0], on, arguments)):
            return reached
        is_pure = name in LOOKING and not arguments
        return Call(name, tuple(arguments), is_pure=is_pure, on=on, references=_references(cursor))

    def _accessed(self, cursor: Any, object_: Any, on: Expression, arguments: list[Expression]) -> Expression | None:
        """Return the reference that an accessor method returns; None if the method does anything else.

        ::

            double &x(int i) { return x_[i]; }      cell.x(3) is cell.x_[3]
        """
        returned = _returned(lib.clang_getCursorReferenced(cursor))
        if returned is None or self._object is not None:
            return None
        method, value = returned
        parameters = [each for each in children(method) if each.kind == CursorKind.PARM_DECL]
        before = len(self.before)
        is_pointer = canonical(object_).kind == Types.POINTER
        self._object = Deref(on, _pointee(object_), line=on.line, column=on.column) if is_pointer else on
        self._given = dict(zip(map(key_of, parameters), arguments, strict=False))
        try:
            found = self.read(value)
        finally:
            self._object, self._given = None, {}
        if len(self.before) == before and isinstance(found, ArrayRef | FieldRef):
            return found
        del self.before[before:]
        return None

    def _operator(self, cursor: Any, name: str, operands: list[Any], place: Place) -> Expression:
        if name in _SUBSCRIPTS and len(operands) > 1:
            return self._element(cursor, operands[0], [self.read(each) for each in operands[1:]])
        if name in ("operator<<", "operator>>") and len(operands) == 2 and is_stream(lib.clang_getCursorType(cursor)):
            self._stream(name, operands, place)
            return Opaque(changes=False)
        values = [self.read(each) for each in operands]
        operator = name.removeprefix("operator")
        if operator in _ASSIGNMENTS and len(values) == 2:
            self._assign(values[0], values[1], operator[:-1], place)
            return values[0]
        if operator == "*" and len(values) == 1:
            return Deref(values[0], element_of(lib.clang_getCursorType(cursor)))
        if operator in ("++", "--") and values:
            self._assign(values[0], Number(1), operator[0], place)
            return values[0]
        return Call(name, tuple(values), is_pure=False)

    def _stream(self, name: str, operands: list[Any], place: Place) -> None:
        """Record stream input or output: one statement per chain of operators, plus one if the chain flushes."""
        items, left = [operands[1]], unwrapped(operands[0])
        while left.kind == CursorKind.CALL_EXPR and spelling(left) == name:
            inner = _operands(children(left))
            if len(inner) != 2:
                break
            items.insert(0, inner[1])
            left = unwrapped(inner[0])
        unit = self.read(left)
        flushes = [each for each in items if spelling(unwrapped(each)) in ("endl", "flush")]
        values = tuple(self.read(each) for each in items if each not in flushes)
        self.before.append(by_operator(name, unit, values, place))
        if flushes:
            self.before.append(flushed(unit, place))


def _references(call: Any) -> frozenset[int]:
    """Return the positions of the arguments that a call passes by non-const reference."""
    function = lib.clang_getCursorReferenced(call)
    parameters = [] if function is None else [each for each in children(function) if each.kind == CursorKind.PARM_DECL]
    return frozenset(at for at, each in enumerate(parameters) if is_changeable(lib.clang_getCursorType(each)))


def _pointee(cursor: Any) -> Element:
    return element_of(lib.clang_getPointeeType(canonical(cursor)))


def _operands(below: list[Any]) -> list[Any]:
    """Return the operands of an operator call, without the operator's name."""
    return [
        each
        for each in below
        if unwrapped(each).kind != CursorKind.DECL_REF_EXPR or not spelling(unwrapped(each)).startswith("operator")
    ]


def _returned(method: Any) -> tuple[Any, Any] | None:
    """Return a method's definition and return value; None if the method does anything else."""
    found = lib.clang_getCursorDefinition(method) if method is not None else None
    if found is None or found.kind != CursorKind.CXX_METHOD or lib.clang_CXXMethod_isVirtual(found):
        return None
    bodies = [children(each) for each in children(found) if each.kind == CursorKind.COMPOUND_STMT]
    if len(bodies) != 1 or len(bodies[0]) != 1 or bodies[0][0].kind != CursorKind.RETURN_STMT:
        return None
    values = children(bodies[0][0])
    return (found, values[0]) if len(values) == 1 else None
