"""The path of a reference from a variable to memory."""

from __future__ import annotations

from dataclasses import dataclass

from .expression import ArrayRef, Binary, Deref, Expression, FieldRef, Name, Number

__all__ = ["Step", "path_of"]


@dataclass(frozen=True)
class Step:
    """A step to an array element, a field, or a pointer's target.

    Attributes:
        subscripts: Subscripts of an array; 0 for a pointer's target.
        field: Name of a structure's field.
        by_pointer: Whether the step loads a pointer from memory; a pointer variable itself does not count.
    """

    subscripts: tuple[Expression, ...] = ()
    field: str = ""
    by_pointer: bool = False


def path_of(reference: Expression) -> tuple[Name | None, list[Step]]:
    """Return the variable at the start of a reference, or None, and the steps from there."""
    match reference:
        case Name():
            return reference, []
        case ArrayRef(array=array, subscripts=subscripts):
            root, steps = path_of(array)
            return root, [*steps, Step(subscripts, by_pointer=_is_loaded(array))]
        case Deref(pointer=Binary(operator="+", left=pointer, right=right)):
            root, steps = path_of(pointer)
            return root, [*steps, Step((right,), by_pointer=_is_loaded(pointer))]
        case Deref(pointer=pointer):
            root, steps = path_of(pointer)
            return root, [*steps, Step((Number(0),), by_pointer=_is_loaded(pointer))]
        case FieldRef(structure=structure, name=field):
            root, steps = path_of(structure)
            return root, [*steps, Step(field=field)]
        case _:
            return None, []


def _is_loaded(pointer: Expression) -> bool:
    """Return whether an expression is, or may be, a pointer that is loaded from memory."""
    return isinstance(pointer, ArrayRef | FieldRef | Deref) and pointer.element.kind in ("pointer", "")
