"""Resolve names in a Fortran procedure: variables, structures, functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ..expression import (
    UNKNOWN_ELEMENT,
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
    Section,
    Unary,
)
from ..nest import Declaration, Structure
from .intrinsics import PURE
from .places import At

__all__ = ["Scope"]

_LARGEST = 2**63


@dataclass(slots=True)
class Scope:
    """The names that are visible in a procedure.

    Attributes:
        variables: Name → variable.
        structures: Name → structure.
        functions: Function of the file, or statement function → whether its value depends only on its arguments.
        subscripted: Names that must be arrays, because they are assigned to with subscripts.
        externals: Names of functions that are declared EXTERNAL.
        aliases: Name in an ASSOCIATE construct → its meaning.
        implicit: First letter → implicit type; empty after IMPLICIT NONE.
        kinds: Named constants that are kind parameters → size in bytes.
        values: Named integer constants → value.
        pointers: Names of pointer variables.
        inherited: Names of the variables of a module or host.
        mentioned: Names in the expressions parsed so far.
    """

    variables: dict[str, Declaration] = field(default_factory=dict)
    structures: dict[str, Structure] = field(default_factory=dict)
    functions: dict[str, bool] = field(default_factory=dict)
    subscripted: set[str] = field(default_factory=set)
    externals: set[str] = field(default_factory=set)
    aliases: dict[str, Expression] = field(default_factory=dict)
    implicit: dict[str, Element] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    values: dict[str, int] = field(default_factory=dict)
    pointers: set[str] = field(default_factory=set)
    inherited: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)

    def within(self) -> Scope:
        """Return a scope for a construct or procedure inside this one."""
        return replace(
            self,
            variables=dict(self.variables),
            structures=dict(self.structures),
            functions=dict(self.functions),
            subscripted=set(),
            externals=set(self.externals),
            aliases={},
            implicit=dict(self.implicit),
            kinds=dict(self.kinds),
            values=dict(self.values),
            pointers=set(self.pointers),
            inherited=set(self.variables),
            mentioned=set(),
        )

    def by_letter(self, name: str) -> Element:
        """Return the implicit type of an undeclared name."""
        return self.implicit.get(name[:1], UNKNOWN_ELEMENT)

    def name(self, name: str, at: At) -> Expression:
        """Return the expression for a name without parentheses."""
        self.mentioned.add(name)
        return self.aliases.get(name) or Name(name, line=at.line, column=at.column)

    def applied(self, name: str, arguments: tuple[Expression, ...], at: At) -> Expression:
        """Return the expression for a name with parentheses: an array element, a substring, or a function call."""
        alias = self.aliases.get(name)
        if alias is not None:
            return self.subscripted_with(alias, arguments, at)
        variable = self.variables.get(name)
        array = Name(name, line=at.line, column=at.column)
        self.mentioned.add(name)
        if variable and (variable.extents or (variable.element.kind == "character" and _is_part(arguments))):
            return self.subscripted_with(array, arguments, at)
        if variable is None and name in self.subscripted:
            return ArrayRef(array, arguments, self.by_letter(name), line=at.line, column=at.column)
        if name in self.structures:
            return Opaque(arguments, changes=False, line=at.line, column=at.column)
        is_pure = name not in self.externals and self.functions.get(name, name in PURE)
        return Call(name, arguments, is_pure, line=at.line, column=at.column)

    def subscripted_with(self, array: Expression, subscripts: tuple[Expression, ...], at: At) -> ArrayRef:
        """Return an element of a known array or a substring."""
        if isinstance(array, ArrayRef) and (merged := _merged(array.subscripts, subscripts)):
            return replace(array, subscripts=merged)
        declared = self.declared(array)
        element = declared.element if declared else UNKNOWN_ELEMENT
        extents = declared.extents if declared else ()
        extents = extents if len(extents) == len(subscripts) else ()
        return ArrayRef(array, subscripts, element, extents, line=at.line, column=at.column)

    def field(self, structure: Expression, name: str, arguments: tuple[Expression, ...] | None, at: At) -> Expression:
        """Return a field of a structure, an element of such a field, or a method's result."""
        element = self.element(structure)
        if element.kind == "pointer":
            structure = Deref(structure, Element("structure", 0, element.structure), line=at.line, column=at.column)
        known = self.structures.get(element.structure)
        declared = next((each for each in known.fields if each.name == name), None) if known else None
        if known and declared is None and arguments is not None:
            return Call(name, arguments, on=structure, line=at.line, column=at.column)
        if arguments == ():
            return Call(name, on=structure, line=at.line, column=at.column)
        found = FieldRef(
            structure, name, declared.element if declared else UNKNOWN_ELEMENT, line=at.line, column=at.column
        )
        return found if arguments is None else self.subscripted_with(found, arguments, at)

    def declared(self, reference: Expression) -> Declaration | None:
        """Return the declaration of a variable or a field."""
        match reference:
            case Name(name=name):
                return self.variables.get(name)
            case FieldRef(structure=structure, name=name):
                known = self.structures.get(self.element(structure).structure)
                return next((each for each in known.fields if each.name == name), None) if known else None
        return None

    def element(self, reference: Expression) -> Element:
        """Return the type of a variable, a field or an element."""
        match reference:
            case Name(name=name):
                variable = self.variables.get(name)
                return variable.element if variable else self.by_letter(name)
            case ArrayRef(element=element) | FieldRef(element=element) | Deref(element=element):
                return element
        return UNKNOWN_ELEMENT

    def is_pointer(self, reference: Expression) -> bool:
        """Return whether a reference is a pointer, so that ``p => reference`` copies its address to p."""
        if isinstance(reference, Name):
            return reference.name in self.pointers
        declared = self.declared(reference)
        return bool(declared and declared.may_overlap)

    def extent(self, first: Expression, last: Expression) -> Expression:
        """Return the number of elements from ``first`` to ``last``."""
        start, end = self.constant(first), self.constant(last)
        if start is None:
            return Binary("+", Binary("-", last, first), Number(1))
        if end is not None:
            return Number(end - start + 1)
        more = 1 - start
        match last:
            case Binary(operator=("+" | "-") as sign, left=left, right=Number(value=int(value))):
                last, more = left, more + (value if sign == "+" else -value)
        if more == 0:
            return last
        return Binary("+" if more > 0 else "-", last, Number(abs(more)))

    def constant(self, expression: Expression | None) -> int | None:
        """Return the value of an expression of integers and named constants; None if unknown."""
        match expression:
            case Number(value=int(value)):
                return value
            case Name(name=name) if name in self.variables and self.variables[name].is_constant:
                return self.values.get(name)
            case Unary(operator="-", operand=operand):
                negative = self.constant(operand)
                return None if negative is None else -negative
            case Binary(operator=operator, left=left, right=right):
                first, second = self.constant(left), self.constant(right)
                return None if first is None or second is None else _computed(operator, first, second)
        return None


def _computed(operator: str, first: int, second: int) -> int | None:
    match operator:
        case "+":
            value = first + second
        case "-":
            value = first - second
        case "*":
            value = first * second
        case "/" if second:
            value = abs(first) // abs(second) * (1 if (first < 0) == (second < 0) else -1)
        case "**" if 0 <= second < 64 and abs(first) < _LARGEST:
            value = first**second
        case _:
            return None
    return value if abs(value) < _LARGEST else None


def _is_part(arguments: Iterable[Expression]) -> bool:
    return any(isinstance(each, Section) for each in arguments)


def _merged(outer: tuple[Expression, ...], subscripts: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Replace whole dimensions of a section with subscripts: element 3 of ``a(:, 1)`` is ``a(3, 1)``.

    The result is empty if the section has other ranges, or if it has more or fewer whole dimensions than there are
    subscripts.
    """
    whole = [place for place, each in enumerate(outer) if each == Section()]
    if len(whole) != len(subscripts) or any(isinstance(each, Section) and each != Section() for each in outer):
        return ()
    merged = list(outer)
    for place, each in zip(whole, subscripts, strict=True):
        merged[place] = each
    return tuple(merged)
