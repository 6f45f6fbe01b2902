"""Expressions as a user of the language writes them."""

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
_TIGHT: Final = 7  # from here on without blanks


def spell(expression: Expression | None, layout: Layout) -> str:
    """Spell an expression: ``a(i,j)`` where arrays lie by columns, in Fortran, else ``a[i][j]``."""
    return _spelled(expression, layout)[0]


def _spelled(expression: Expression | None, layout: Layout) -> tuple[str, int]:
    """Give the text, and how strongly it holds together."""
    fortran = layout is Layout.COLUMNS
    match expression:
        case Name(name=name):
            return name.partition("'")[0], _LIKE_NAMES
        case Number(value=value):
            return f"{value:g}" if isinstance(value, float) else str(value), _LIKE_NAMES if value >= 0 else 6
        case Text(value=value):
            return f'"{value}"', _LIKE_NAMES
        case Binary(operator="**") if not fortran:
            return f"pow({_list((expression.left, expression.right), layout)})", _LIKE_NAMES
        case Binary(operator=operator):
            strength = _STRENGTH.get(operator, 1)
            left, right = _held(expression.left, layout, strength), _held(expression.right, layout, strength + 1)
            blank = "" if strength >= _TIGHT else " "
            return f"{left}{blank}{operator}{blank}{right}", strength
        case Unary(operator=operator, operand=operand):
            return f"{operator}{_held(operand, layout, _TIGHT + 1)}", _TIGHT
        case Call(name=name, arguments=arguments, on=on):
            object_ = f"{_held(on, layout, _LIKE_NAMES)}{'%' if fortran else '.'}" if on is not None else ""
            return f"{object_}{name}({_list(arguments, layout)})", _LIKE_NAMES
        case ArrayRef(array=array, subscripts=subscripts):
            base = _held(array, layout, _LIKE_NAMES)
            if fortran:
                return f"{base}({','.join(spell(each, layout) for each in subscripts)})", _LIKE_NAMES
            return base + "".join(f"[{spell(each, layout)}]" for each in subscripts), _LIKE_NAMES
        case FieldRef(structure=Deref(pointer=pointer), name=field):
            return f"{_held(pointer, layout, _LIKE_NAMES)}{'%' if fortran else '->'}{field}", _LIKE_NAMES
        case FieldRef(structure=structure, name=field):
            return f"{_held(structure, layout, _LIKE_NAMES)}{'%' if fortran else '.'}{field}", _LIKE_NAMES
        case Deref(pointer=pointer):
            return (spell(pointer, layout), _LIKE_NAMES) if fortran else (f"*{_held(pointer, layout, 8)}", _TIGHT)
        case Section(first=first, last=last, step=step):
            bounds = ["" if each is None else spell(each, layout) for each in (first, last)]
            return ":".join(bounds if step is None else [*bounds, spell(step, layout)]), 0
        case _:
            return "…", _LIKE_NAMES


def _held(expression: Expression, layout: Layout, least: int) -> str:
    text, strength = _spelled(expression, layout)
    return text if strength >= least else f"({text})"


def _list(expressions: tuple[Expression, ...], layout: Layout) -> str:
    return ", ".join(spell(each, layout) for each in expressions)
