"""Expressions of any language, reduced to memory accesses and computations.

Two expressions are equal if they have the same text, regardless of their positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cache

__all__ = [
    "UNKNOWN_ELEMENT",
    "ArrayRef",
    "Binary",
    "Call",
    "Deref",
    "Element",
    "Expression",
    "FieldRef",
    "Name",
    "Number",
    "Opaque",
    "Section",
    "Text",
    "Unary",
    "base_of",
    "parts",
    "walk",
]


@dataclass(frozen=True, slots=True)
class Element:
    """The type of a variable or of an array element.

    Attributes:
        kind: ``integer``, ``real``, ``complex``, ``logical``, ``character``, ``structure`` or ``pointer``; empty if
            unknown.
        bytes: The size in bytes; 0 if unknown.
        structure: Name of the structure, or of the structure that a pointer points to.
    """

    kind: str = ""
    bytes: int = 0
    structure: str = ""


UNKNOWN_ELEMENT = Element()


@dataclass(frozen=True, slots=True)
class Expression:
    """Base class of all kinds of expressions.

    Attributes:
        line: First line of the expression in the user's file, from 1; 0 if unknown.
        column: Column where the expression starts, from 1; 0 if unknown.
    """

    line: int = field(default=0, compare=False, kw_only=True)
    column: int = field(default=0, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """A variable or a named constant.

    Attributes:
        name: Unique within a procedure: a variable that shadows another variable is called ``i'2``. Lower case if the
            language ignores case.
    """

    name: str


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A literal number, or the value of the language's own constants (``sizeof``, ``.true.``)."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Text(Expression):
    """A literal string."""

    value: str


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """An operator before its operand: ``-``, ``!``, ``~``, or ``&`` for an address."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """An operator with two operands; parentheses and casts between numbers are dropped.

    Attributes:
        operator: As in C: ``+ - * / % == != < <= > >= && || & | ^ << >>``; ``**`` is a power in any language, including
            C's ``pow``; ``//`` concatenates strings.
        left: The first operand.
        right: The second operand.
    """

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """A function call; a name declared as an array is not a call.

    Attributes:
        name: The function's name, without the class name; empty for a call through a pointer.
        arguments: All arguments in order, including keyword arguments.
        is_pure: Whether the result depends only on the arguments and the call changes nothing: a mathematical function
            of the language, or a function declared pure.
        on: The object whose method is called.
        references: Positions of the arguments that C++ passes by reference, so that the call may change them.
        keywords: Argument names, as in Fortran's ``call f(y=a)``, one per argument, empty for positional arguments; no
            entries if all arguments are positional.
    """

    name: str
    arguments: tuple[Expression, ...] = ()
    is_pure: bool = False
    on: Expression | None = None
    references: frozenset[int] = field(default=frozenset(), compare=False)
    keywords: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Section(Expression):
    """A subscript that selects several elements: ``first:last:step``; None for omitted parts."""

    first: Expression | None = None
    last: Expression | None = None
    step: Expression | None = None


@dataclass(frozen=True, slots=True)
class ArrayRef(Expression):
    """An array element or an array section.

    C's ``a[i][j]`` has two subscripts if ``a`` is an array of arrays or a pointer to arrays. If ``a`` points to
    pointers, the reference has the subscript j, and its array is a reference with subscript i, because there are two
    loads.

    Attributes:
        array: A ``Name``, ``FieldRef``, ``Deref``, or an ``ArrayRef`` whose value is a pointer.
        subscripts: As written, from the left.
        element: The type of an element.
        extents: The number of elements along each subscript; None if unknown. C's ``double *a`` has (None,), ``double
            a[][8]`` has (None, 8), Fortran's ``a(0:n, *)`` has (n + 1, None).
    """

    array: Expression
    subscripts: tuple[Expression, ...]
    element: Element = field(default=UNKNOWN_ELEMENT, compare=False)
    extents: tuple[Expression | None, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class FieldRef(Expression):
    """A field of a structure: ``s.f``, ``s%f``; ``p->f`` is a field of a ``Deref``, even if p is a Fortran pointer."""

    structure: Expression
    name: str
    element: Element = field(default=UNKNOWN_ELEMENT, compare=False)


@dataclass(frozen=True, slots=True)
class Deref(Expression):
    """The target of a pointer: ``*p``."""

    pointer: Expression
    element: Element = field(default=UNKNOWN_ELEMENT, compare=False)


@dataclass(frozen=True, slots=True)
class Opaque(Expression):
    """Any other expression, such as a conditional value, a constructor or a lambda, with its known parts.

    Attributes:
        parts: Expressions inside the expression.
        changes: Whether the expression may have side effects.
    """

    parts: tuple[Expression, ...] = ()
    changes: bool = True


def parts(expression: Expression) -> Iterator[Expression]:
    """Yield the direct subexpressions, from the left; extents of arrays are not included."""
    for name in _compared(type(expression)):  # type: ignore[arg-type] # mypy confuses the hashes of objects and classes
        value = getattr(expression, name)
        if isinstance(value, Expression):
            yield value
        elif isinstance(value, tuple):
            yield from value


@cache
def _compared(kind: type[Expression]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.compare)


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all its subexpressions, outer ones first."""
    yield expression
    for part in parts(expression):
        yield from walk(part)


def base_of(expression: Expression) -> Name | None:
    """Return the variable at the start of a reference: ``a`` in ``a[i].b``, ``p`` in ``p->next->x``."""
    while True:
        match expression:
            case Name():
                return expression
            case ArrayRef(array=inner) | FieldRef(structure=inner) | Deref(pointer=inner):
                expression = inner
            case _:
                return None
