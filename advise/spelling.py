"""Spell expressions in the syntax of the user's language."""

from __future__ import annotations

from typing import Final

from .expression import ArrayRef, Binary, Call, Deref, Expression, FieldRef, Name, Number, Section, Text, Unary
from .nest import Layout

__all__ = ["spell"]

_STRENGTH: Final = {
    **dict.fromkeys(("||",), 1),
    **dict.fromkeys(("&&",), 2),
    **dict.fromkeys(("|", "^", "&"), 3),
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "//"), 4),
    **dict.fromkeys(("<<", ">>"), 5),
    **dict.fromkeys(("+", "-"), 6),
    **dict.fromkeys(("*", "/", "%"), 7),
    "**": 8,
}
_LIKE_NAMES: Final = 9
_TIGHT: Final = 7  # operators of at least this precedence have no blanks around them


def spell(expression: Expression | None, layout: Layout) -> str:
    """Return an expression as text: ``a(i,j)`` in Fortran, whose arrays are column-major; ``a[i][j]`` in C and C++."""
    return _spelled(expression, layout)[0]


def _spelled(expression: Expression | None, layout: Layout) -> tuple[str, int]:
    """Return the text of an expression and its precedence."""
    fortran = layout is Layout.COLUMNS
    match expression:
        case Number(value=value):
            return f"{value:g}" if isinstance(value, float) else str(value), _LIKE_NAMES if value >= 0 else 6
        case Binary(operator=operator, left=left, right=right) if fortran or operator != "**":
            strength = _STRENGTH.get(operator, 1)
            blank = "" if strength >= _TIGHT else " "
            sides = _held(left, layout, strength), _held(right, layout, strength + 1)
            return f"{blank}{operator}{blank}".join(sides), strength
        case Unary(operator=operator, operand=operand):
            return f"{operator}{_held(operand, layout, _TIGHT + 1)}", _TIGHT
        case Deref(pointer=pointer) if not fortran:
            return f"*{_held(pointer, layout, _TIGHT + 1)}", _TIGHT
        case _:
            return _whole(expression, layout, "%" if fortran else "."), _LIKE_NAMES


def _whole(expression: Expression | None, layout: Layout, dot: str) -> str:
    """Return the text of an expression without parentheses."""
    found = "…"
    match expression:
        case Name(name=name):
            found = name.partition("'")[0]
        case Text(value=value):
            found = f'"{value}"'
        case Binary(left=left, right=right):
            found = f"pow({_list((left, right), layout, ', ')})"
        case Call(name=name, arguments=arguments, on=on):
            object_ = "" if on is None else f"{_held(on, layout, _LIKE_NAMES)}{dot}"
            found = f"{object_}{name}({_list(arguments, layout, ', ')})"
        case ArrayRef(array=array, subscripts=subscripts):
            ends = "()" if layout is Layout.COLUMNS else "[]"
            inside = _list(subscripts, layout, "," if layout is Layout.COLUMNS else "][")
            found = f"{_held(array, layout, _LIKE_NAMES)}{ends[0]}{inside}{ends[1]}"
        case FieldRef(structure=Deref(pointer=pointer), name=field):
            found = f"{_held(pointer, layout, _LIKE_NAMES)}{'->' if dot == '.' else dot}{field}"
        case FieldRef(structure=structure, name=field):
            found = f"{_held(structure, layout, _LIKE_NAMES)}{dot}{field}"
        case Deref(pointer=pointer):
            found = spell(pointer, layout)
        case Section(first=first, last=last, step=step):
            bounds = (first, last) if step is None else (first, last, step)
            found = ":".join("" if each is None else spell(each, layout) for each in bounds)
    return found


def _held(expression: Expression, layout: Layout, least: int) -> str:
    text, strength = _spelled(expression, layout)
    return text if strength >= least else f"({text})"


def _list(expressions: tuple[Expression, ...], layout: Layout, between: str) -> str:
    return between.join(spell(each, layout) for each in expressions)
