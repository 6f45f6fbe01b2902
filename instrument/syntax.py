"""The syntax that determines regions: function bodies, and the loops, calls, labels and blocks in each.

All offsets refer to the preprocessed text, whichever parser has read it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Body", "Call", "Case", "Loop", "Syntax", "Unread", "UnreadError"]


class UnreadError(ValueError):
    """Raised for text outside of functions that a parser does not understand."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


class Unread(NamedTuple):
    """Text that a parser does not understand, with the parser's message.

    Attributes:
        offset: Offset of the text.
        message: The parser's message.
        is_of_types: Whether the error is only about types, so that the parser drops single statements at most.
    """

    offset: int
    message: str
    is_of_types: bool = False


class Loop(NamedTuple):
    """A loop: the offset of its first word, and its largest trip count, which is 0 if unknown."""

    offset: int
    trips: int = 0


class Case(NamedTuple):
    """A ``case`` or ``default``, and the offset of its ``switch``."""

    offset: int
    switch: int


class Call(NamedTuple):
    """A call of a function.

    Attributes:
        offset: Offset at which the call begins.
        end: Offset right after the call.
        name: The function's name; empty if unknown.
        callee: Offset of the name in the function's definition; negative if unknown.
        is_virtual: Whether an overriding function may be called instead.
        declared: Offset of the name in a declaration of a function that is not a method; negative if unknown.
        gives: Kind of the result: ``value`` for a number or nothing, ``pointer``, ``object``, or ``dependent`` if it is
            unknown before instantiation; empty if the parser does not know types.
        reason: Why no region can enclose the call, as far as the parser knows; empty if a region can.
    """

    offset: int
    end: int
    name: str
    callee: int = -1
    is_virtual: bool = False
    declared: int = -1
    gives: str = ""
    reason: str = ""


class Body(NamedTuple):
    """A defined function or lambda, and its direct contents without inner bodies.

    Attributes:
        name: The qualified name, without parameters; empty for a lambda.
        start: Offset of the function's declaration, or of its name if unknown.
        name_offset: Offset of the name; for a lambda, its start.
        opening: Offset of the body: an opening brace, or the ``try`` of a function try block.
        end: Offset right after the body.
        parameters: The parameters as declared, in parentheses; they distinguish overloads.
        is_inline: Whether the function is a template or a lambda, or defined in its class.
        outer: The enclosing body, or None.
        inner: Start and end of the nested bodies.
        loops: All loops, in order, except those that obviously run once.
        calls: The calls in the body, in order.
        heads: The calls before the body: in initialisers of members and in default arguments.
        labels: Offsets of labels.
        cases: The case labels.
        switches: Offsets of ``switch`` statements.
        blocks: Offsets of opening braces of blocks.
        declarations: Offsets of declarations, or of their names, that are statements of a block.
        literals: Offsets of compound literals, which live as long as their block.
        unread: The first text in the body that the parser does not understand; None if there is none.
    """

    name: str
    start: int
    name_offset: int
    opening: int
    end: int
    parameters: str = ""
    is_inline: bool = False
    outer: Body | None = None
    inner: tuple[tuple[int, int], ...] = ()
    loops: tuple[Loop, ...] = ()
    calls: tuple[Call, ...] = ()
    heads: tuple[Call, ...] = ()
    labels: tuple[int, ...] = ()
    cases: tuple[Case, ...] = ()
    switches: tuple[int, ...] = ()
    blocks: tuple[int, ...] = ()
    declarations: tuple[int, ...] = ()
    literals: tuple[int, ...] = ()
    unread: Unread | None = None

    def chain(self) -> Iterator[Body]:
        """Yield the body and all enclosing bodies, from the inside out."""
        body: Body | None = self
        while body:
            yield body
            body = body.outer

    def holds(self, offset: int) -> bool:
        """Return whether the text at an offset is in this body, but not in a nested body."""
        within = self.opening <= offset < self.end
        return within and not any(start <= offset < end for start, end in self.inner)


class Syntax(NamedTuple):
    """The syntax of a unit's user text.

    Attributes:
        bodies: The function bodies, outer bodies before inner ones.
        declared: Offset of a function's name in a declaration → offset in its definition.
        objects: Offset of each temporary object, and whether it is destroyed without user code.
        fields: Start and end of class members including initialisers.
    """

    bodies: tuple[Body, ...]
    declared: dict[int, int]
    objects: tuple[tuple[int, bool], ...] = ()
    fields: tuple[tuple[int, int], ...] = ()
