"""A source file in any language: procedures, statements, nested loops.

All are frozen records; a front end builds them from the inside out. ``loops_around`` and ``statements`` walk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from .expression import UNKNOWN_ELEMENT, Call, Element, Expression, Name

__all__ = [
    "Allocation",
    "Arm",
    "Assignment",
    "Block",
    "Branch",
    "CallStatement",
    "Declaration",
    "InputOutput",
    "Jump",
    "Layout",
    "Loop",
    "OtherStatement",
    "Procedure",
    "SourceFile",
    "Statement",
    "Structure",
    "bodies",
    "statements",
]


class Layout(Enum):
    """The subscript along which an array's elements are adjacent in memory."""

    ROWS = "the last"
    COLUMNS = "the first"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement; each kind is a class.

    Attributes:
        line: Where it begins, from 1. What a file includes has no statements here.
        column: From 1; 0 if it is not known.
    """

    line: int = field(default=0, compare=False, kw_only=True)
    column: int = field(default=0, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Declaration(Statement):
    """A variable, an argument or a named constant.

    Attributes:
        name: As in ``Name``.
        element: What it is, or what an element of it is.
        extents: As in ``ArrayRef``; empty if it is no array. C's ``double *a`` has (None,), being subscripted.
        value: What it is at first; of a constant, for good.
        is_constant: Whether it never changes: Fortran's ``parameter``, C's ``const int n = 8``.
        is_argument: Whether the caller gives it.
        may_overlap: Whether other names may reach the same memory: a pointer that is not ``restrict``, a C++ reference;
            in Fortran a ``pointer``, a ``target`` or a member of an ``equivalence``.
        outlives: Whether others may see it when the procedure does not run: module data, statics, globals, commons.
        intent: ``in``, ``out`` or ``inout`` where it is said; C's ``const double *`` is ``in``.
    """

    name: str
    element: Element = UNKNOWN_ELEMENT
    extents: tuple[Expression | None, ...] = ()
    value: Expression | None = None
    is_constant: bool = False
    is_argument: bool = False
    may_overlap: bool = False
    outlives: bool = False
    intent: str = ""


@dataclass(frozen=True, slots=True)
class Assignment(Statement):
    """A store: ``target = value``, or with an operator ``target += value``.

    ``i++`` is one, too. One within an expression stands before its statement. Of Fortran's pointer assignment
    ``p => x`` the value is ``Unary("&", x)``; ``p => q`` between pointers is plain.

    Attributes:
        target: ``Name``, ``ArrayRef``, ``FieldRef`` or ``Deref``.
        value: The stored value, or the operator's second operand.
        operator: Empty, or ``+``, ``-``, ``*`` …
        in_declaration: Whether it is a declaration's initial value (which has a ``Declaration``, too).
    """

    target: Expression
    value: Expression
    operator: str = ""
    in_declaration: bool = False


@dataclass(frozen=True, slots=True)
class CallStatement(Statement):
    """A call for its effect, including MPI's. A call for its value is in an expression."""

    call: Call


@dataclass(frozen=True, slots=True)
class Allocation(Statement):
    """Memory that is allocated or freed: ``allocate``, ``malloc``, ``new``, a ``std::vector`` with a size.

    Attributes:
        targets: What then is, or is no more, in memory.
        sizes: As far as written.
        frees: Whether it is given back.
        function: What does it, as the user knows it: ``malloc``, ``allocate``, ``std::vector``.
    """

    targets: tuple[Expression, ...]
    sizes: tuple[Expression, ...] = ()
    frees: bool = False
    function: str = ""


@dataclass(frozen=True, slots=True)
class InputOutput(Statement):
    """A statement of input or output.

    Attributes:
        action: ``read``, ``write``, ``open``, ``close``, ``flush``, ``rewind`` (any seek) or ``inquire``.
        unit: The file: a unit, a ``FILE *``, a stream, a descriptor; None for the terminal.
        items: The items read or written, or the file's name.
        is_formatted: Whether numbers become text, or text numbers.
        function: What does it: ``fprintf``, ``write``, ``operator<<``, ``MPI_File_write``.
    """

    action: str
    unit: Expression | None = None
    items: tuple[Expression, ...] = ()
    is_formatted: bool = False
    function: str = ""


@dataclass(frozen=True, slots=True)
class Jump(Statement):
    """A jump: ``exit`` (``break``), ``cycle`` (``continue``), ``return``, ``goto`` or ``stop``.

    Attributes:
        kind: Which.
        value: The returned value.
        label: Where it leads to, if it is named.
    """

    kind: str
    value: Expression | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class OtherStatement(Statement):
    """Any other statement; anything in it may have been read and changed."""

    expressions: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Arm:
    """Statements executed if a condition holds; without a condition, otherwise."""

    condition: Expression | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Branch(Statement):
    """``if``, ``select``, ``switch``, ``where``: at most one arm is executed, or several if they fall through."""

    arms: tuple[Arm, ...]
    last_line: int = 0


@dataclass(frozen=True, slots=True)
class Block(Statement):
    """Grouped statements, such as those of an OpenMP region.

    Attributes:
        body: The statements.
        directive: As written, in lower case from the word ``omp`` on; empty if there is none.
        last_line: Where it ends.
    """

    body: tuple[Statement, ...]
    directive: str = ""
    last_line: int = 0


@dataclass(frozen=True, slots=True)
class Loop(Statement):
    """A loop; it counts if it has a variable.

    Attributes:
        body: The loop's body.
        variable: The induction variable; None if it does not count, or is changed by more than the loop's head.
        first: Its value at first.
        last: The value that it does not pass: C's ``i < n`` gives ``n - 1``; with a negative step, the smallest.
        step: The increment, positive or negative.
        condition: Of a loop that does not count: whether it goes on; None if it ends by a jump alone.
        last_line: Where it ends.
        directive: The directives above it, in lower case from the first word on: ``omp parallel do schedule(static)``;
            several are joined by newlines.
        is_concurrent: Whether the language lets iterations run in any order: ``do concurrent``, ``forall``.
        label: Its name, or the label of its end.
    """

    body: tuple[Statement, ...]
    variable: Name | None = None
    first: Expression | None = None
    last: Expression | None = None
    step: Expression | None = None
    condition: Expression | None = None
    last_line: int = 0
    directive: str = ""
    is_concurrent: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class Structure:
    """A structure or class, with its fields.

    Attributes:
        name: As in ``Element.structure``.
        fields: In order; those of C++ include the bases'.
        bytes: The size of one; 0 if it is not known.
        line: Where it is declared, if in this file.
    """

    name: str
    fields: tuple[Declaration, ...]
    bytes: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class Procedure:
    """A procedure, or a main program.

    Attributes:
        name: As in a region: ``Region.function``.
        arguments: Names, in order.
        declarations: Of arguments and local variables, in inner blocks, too; of what it uses of modules and commons, as
            far as the file tells.
        body: Declarations are in it only where they stand between statements.
        line: Where it begins.
        last_line: Where it ends.
        is_pure: Whether it is declared so.
    """

    name: str
    arguments: tuple[str, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    body: tuple[Statement, ...] = ()
    line: int = 0
    last_line: int = 0
    is_pure: bool = False


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A parsed file.

    Attributes:
        language: ``c``, ``c++`` or ``fortran``.
        path: The requested path.
        procedures: Those defined in it, with those within, in order.
        declarations: Of what all of them know: globals, module data.
        structures: Those that are known, wherever they are declared.
        remarks: What could not be read, in words.
        doubtful: Lines that may or may not have been built.
    """

    language: str
    path: str
    procedures: tuple[Procedure, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    structures: tuple[Structure, ...] = ()
    remarks: tuple[str, ...] = ()
    doubtful: frozenset[int] = frozenset()

    @property
    def layout(self) -> Layout:
        """The memory layout of arrays."""
        return Layout.COLUMNS if self.language == "fortran" else Layout.ROWS

    def procedure_at(self, line: int) -> Procedure | None:
        """Return the innermost procedure at a line."""
        around = [each for each in self.procedures if each.line <= line <= each.last_line]
        return max(around, key=lambda each: each.line, default=None)

    def declaration(self, procedure: Procedure | None, name: str) -> Declaration | None:
        """Return the declaration of a name, as visible in a procedure."""
        local = procedure.declarations if procedure else ()
        return next((each for each in (*local, *self.declarations) if each.name == name), None)


def bodies(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    """Return the lists of statements directly inside a statement."""
    match statement:
        case Loop(body=body) | Block(body=body):
            return (body,)
        case Branch(arms=arms):
            return tuple(arm.body for arm in arms)
        case _:
            return ()


def statements(body: Iterable[Statement], loops: tuple[Loop, ...] = ()) -> Iterator[tuple[Statement, tuple[Loop, ...]]]:
    """Yield each statement, outer first, with the loops around it, outermost first."""
    for statement in body:
        yield statement, loops
        inner = (*loops, statement) if isinstance(statement, Loop) else loops
        for each in bodies(statement):
            yield from statements(each, inner)
