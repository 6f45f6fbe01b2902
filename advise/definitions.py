"""Find assignments to the variables and fields of procedures; each procedure is scanned once.

The first and the last value of a loop count as assignments to the loop's variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from .expression import ArrayRef, Expression, FieldRef, Name
from .nest import Assignment, Loop, Procedure, statements

__all__ = ["Definition", "Definitions", "definitions"]

Definition = tuple[Expression | None, Expression, int]  # (target, value, line)
_OF_FIELD: Final = "."


class Definitions:
    """Definitions by procedure and name, cached for repeated queries."""

    def __init__(self) -> None:
        # Keeps the procedure alive, so that its id stays unique.
        self._known: dict[int, tuple[Procedure, dict[str, list[Definition]]]] = {}

    def of(self, procedure: Procedure, name: Name) -> Sequence[Definition]:
        """Return the assignments to a variable or its elements, in order."""
        return self._all(procedure).get(name.name, ())

    def of_field(self, procedure: Procedure, field: str) -> Sequence[Definition]:
        """Return the assignments to a field of any structure."""
        return self._all(procedure).get(_OF_FIELD + field, ())

    def _all(self, procedure: Procedure) -> dict[str, list[Definition]]:
        if id(procedure) not in self._known:
            found: dict[str, list[Definition]] = {}
            for name, definition in _in(procedure):
                found.setdefault(name, []).append(definition)
            self._known[id(procedure)] = procedure, found
        return self._known[id(procedure)][1]


def definitions(procedure: Procedure, name: Name) -> Sequence[Definition]:
    """Return the assignments to a variable or its elements, in order."""
    return Definitions().of(procedure, name)


def _in(procedure: Procedure) -> Iterator[tuple[str, Definition]]:
    for statement, _ in statements(procedure.body):
        match statement:
            case Assignment(target=Name(name=name) | ArrayRef(array=Name(name=name)) as target, value=value):
                yield name, (target, value, statement.line)
            case Assignment(target=FieldRef(name=name) as target, value=value):
                yield _OF_FIELD + name, (target, value, statement.line)
            case Loop(variable=Name(name=name) as variable, first=first, last=last):
                yield from ((name, (variable, each, statement.line)) for each in (first, last) if each is not None)
