"""What of a source's syntax decides where regions are: bodies, and the loops, calls, labels and blocks in each.

Whatever parser has made it, places are offsets in the preprocessed text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Body", "Call", "Case", "Label", "Loop", "Syntax", "Unread", "UnreadError"]


class UnreadError(ValueError):
    """Report text outside of functions that a parser does not understand."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


class Unread(NamedTuple):
    """A place that a parser does not understand, and what it says.

    Attributes:
        offset: Where it is.
        message: What the parser says.
        is_of_types: Whether its statements are known nevertheless, but for those that are wrong to the parser.
    """

    offset: int
    message: str
    is_of_types: bool = False


class Loop(NamedTuple):
    """A loop: where its first word begins, and how often it runs at most; 0 if that is not known."""

    offset: int
    trips: int = 0


class Label(NamedTuple):
    """A label that jumps may name, and where its statement begins."""

    offset: int
    name: str


class Case(NamedTuple):
    """A ``case`` or ``default``, and where its ``switch`` begins."""

    offset: int
    switch: int


class Call(NamedTuple):
    """A call of a function.

    Attributes:
        offset: Where it begins.
        end: Right after it.
        name: The function's; empty if it is not known.
        callee: Where the name stands in the function's definition; negative if that is not known.
        is_virtual: Whether another function may be called in its place.
        declared: Where the name stands in a declaration of a function that is no method; negative if that is not known.
        gives: ``value`` if the result is a number or nothing, ``pointer``, ``object``, ``dependent`` if it is not known
            before instantiation; empty where the parser has no types.
        reason: Why no region can be around it, as far as the parser tells.
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
    """A function or lambda that is defined, and what is in it but in no body within it.

    Attributes:
        name: Qualified, without parameters; empty for a lambda.
        start: Where its declaration begins, or its name where that is not known.
        name_offset: Where its name stands; of a lambda, its start.
        opening: Where its body begins: an opening brace, or the ``try`` of a function that is a try block.
        end: Right after its body.
        parameters: As declared, in parentheses; they tell overloads apart.
        is_inline: Whether it is a template, or stands in its class.
        outer: The body that holds it, None if none does.
        inner: Start and end of the bodies within.
        loops: All loops, in order, but those that run once by their text.
        calls: The calls in the body, in order.
        heads: Those before it: in initialisers of members, in default arguments.
        labels: Its labels.
        cases: Its case labels.
        switches: Where ``switch`` statements begin.
        blocks: Where blocks open.
        declarations: Where declarations begin, or their names, that are statements of a block.
        literals: Where compound literals begin, which live as long as the block that they are in.
        unread: What the parser does not understand in it.
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
    labels: tuple[Label, ...] = ()
    cases: tuple[Case, ...] = ()
    switches: tuple[int, ...] = ()
    blocks: tuple[int, ...] = ()
    declarations: tuple[int, ...] = ()
    literals: tuple[int, ...] = ()
    unread: Unread | None = None

    def chain(self) -> Iterator[Body]:
        """Give the body and all that hold it, inner first."""
        body: Body | None = self
        while body:
            yield body
            body = body.outer

    def holds(self, offset: int) -> bool:
        """Tell whether the text at an offset is its own."""
        within = self.opening <= offset < self.end
        return within and not any(start <= offset < end for start, end in self.inner)


class Syntax(NamedTuple):
    """What was found in a unit's user text.

    Attributes:
        bodies: An outer one before those within.
        declared: Where the name of a function stands in a declaration, and where in its definition.
        objects: Where objects without a name are made, and whether each ends without code of the user's.
        fields: Start and end of members of classes, with what they are to be at first.
    """

    bodies: tuple[Body, ...]
    declared: dict[int, int]
    objects: tuple[tuple[int, bool], ...] = ()
    fields: tuple[tuple[int, int], ...] = ()
