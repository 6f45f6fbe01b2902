"""Model of a source file in any language: procedures, statements, nested loops.

All classes are frozen; a front end builds them from the inside out. ``bodies`` and ``statements`` iterate over them.
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
    """Base class of all kinds of statements.

    Attributes:
        line: First line of the statement, from 1. Statements from included files are left out.
        column: Column where the statement starts, from 1; 0 if unknown.
    """

    line: int = field(default=0, compare=False, kw_only=True)
    column: int = field(default=0, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Declaration(Statement):
    """A variable, an argument or a named constant.

    Attributes:
        name: As in ``Name``.
        element: The type of the variable or of its elements.
        extents: As in ``ArrayRef``; empty if the variable is not an array. C's ``double *a`` has (None,), because
            pointers can be subscripted.
        value: The variable's initial value or the constant's value.
        is_constant: Whether the value never changes: Fortran's ``parameter``, C's ``const int n = 8``.
        is_argument: Whether the variable is an argument.
        may_overlap: Whether other names may refer to the same memory: a pointer that is not ``restrict``, a C++
            reference; in Fortran a ``pointer``, a ``target`` or a member of an ``equivalence``.
        outlives: Whether other code can access the variable while the procedure does not run: module data, statics,
            globals, commons.
        intent: ``in``, ``out`` or ``inout`` if declared; C's ``const double *`` is ``in``.
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
    """A store: ``target = value`` or, with an operator, ``target += value``.

    ``i++`` is also an assignment. An assignment inside an expression is placed before its statement. For Fortran's
    pointer assignment ``p => x`` the value is ``Unary("&", x)``; ``p => q`` between pointers is an ordinary assignment.

    Attributes:
        target: ``Name``, ``ArrayRef``, ``FieldRef`` or ``Deref``.
        value: The stored value or the operator's second operand.
        operator: Empty, or ``+``, ``-``, ``*`` …
        in_declaration: Whether the assignment is the initial value of a variable, which also has a ``Declaration``.
    """

    target: Expression
    value: Expression
    operator: str = ""
    in_declaration: bool = False


@dataclass(frozen=True, slots=True)
class CallStatement(Statement):
    """A call whose value is not used, including MPI calls; other calls are in expressions."""

    call: Call


@dataclass(frozen=True, slots=True)
class Allocation(Statement):
    """Memory that is allocated or freed: ``allocate``, ``malloc``, ``new``, a ``std::vector`` with a size.

    Attributes:
        targets: The variables that are allocated or freed.
        sizes: The sizes given in the source; empty if there are none.
        frees: Whether memory is freed.
        function: The operation's name in the source: ``malloc``, ``allocate``, ``std::vector``.
    """

    targets: tuple[Expression, ...]
    sizes: tuple[Expression, ...] = ()
    frees: bool = False
    function: str = ""


@dataclass(frozen=True, slots=True)
class InputOutput(Statement):
    """An input or output statement.

    Attributes:
        action: ``read``, ``write``, ``open``, ``close``, ``flush``, ``rewind`` (any seek) or ``inquire``.
        unit: The file: a unit, a ``FILE *``, a stream, a descriptor; None for the terminal.
        items: The items read or written; for ``open``, the file's name and how it is opened.
        is_formatted: Whether numbers are converted to or from text.
        function: The operation's name in the source: ``fprintf``, ``write``, ``operator<<``, ``MPI_File_write``.
        record: The record or position that Fortran's ``rec=`` or ``pos=`` selects.
    """

    action: str
    unit: Expression | None = None
    items: tuple[Expression, ...] = ()
    is_formatted: bool = False
    function: str = ""
    record: Expression | None = None


@dataclass(frozen=True, slots=True)
class Jump(Statement):
    """A jump: ``exit`` (``break``), ``cycle`` (``continue``), ``return``, ``goto`` or ``stop``.

    Attributes:
        kind: The kind of jump: one of the words above.
        value: The returned value.
        label: The jump's target, if it is named.
    """

    kind: str
    value: Expression | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class OtherStatement(Statement):
    """Any other statement; every variable in it may be read and changed."""

    expressions: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Arm:
    """Statements that are executed if a condition holds or, without a condition, in all other cases."""

    condition: Expression | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Branch(Statement):
    """``if``, ``select``, ``switch``, ``where``: at most one arm is executed, or several if they fall through."""

    arms: tuple[Arm, ...]
    last_line: int = 0


@dataclass(frozen=True, slots=True)
class Block(Statement):
    """Grouped statements, such as the statements of an OpenMP region.

    Attributes:
        body: The statements.
        directive: The directive in lower case, starting with the word ``omp``; empty if there is none.
        last_line: The block's last line.
    """

    body: tuple[Statement, ...]
    directive: str = ""
    last_line: int = 0


@dataclass(frozen=True, slots=True)
class Loop(Statement):
    """A loop; a counting loop has a variable.

    Attributes:
        body: The loop's body.
        variable: The induction variable; None if the loop does not count or if its body changes the variable.
        first: The variable's initial value.
        last: The last possible value: C's ``i < n`` gives ``n - 1``; with a negative step, the smallest possible value.
        step: The increment, positive or negative.
        condition: The condition of a loop that does not count; None if only a jump ends the loop.
        last_line: The loop's last line.
        directive: The directives above the loop in lower case, starting with the first word, as in ``omp parallel do
            schedule(static)``; several directives are joined by newlines.
        is_concurrent: Whether the language lets iterations run in any order: ``do concurrent``, ``forall``.
        label: The loop's name or the label of its end.
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
        fields: The fields, in order; in C++, without the fields of base classes.
        bytes: The size in bytes; 0 if unknown.
        line: The line of the declaration, if it is in this file.
    """

    name: str
    fields: tuple[Declaration, ...]
    bytes: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class Procedure:
    """A procedure or a main program.

    Attributes:
        name: The name, as in ``Region.function``.
        arguments: Names of the arguments, in order.
        declarations: Declarations of arguments and local variables, including inner blocks, and of variables from
            modules and commons, as far as known.
        body: The statements; declarations are included only if they are between other statements.
        line: The procedure's first line.
        last_line: The procedure's last line.
        is_pure: Whether the procedure is declared pure.
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
        procedures: All procedures defined in the file, including nested ones, in order.
        declarations: Variables visible in all procedures: globals, module data.
        structures: The known structures, wherever they are declared.
        remarks: Descriptions of what could not be read.
        doubtful: Lines that may or may not have been compiled.
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
        """Return the declaration of a name that is visible in a procedure; None if unknown."""
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
    """Yield each statement, outer ones first, with its enclosing loops, outermost first."""
    for statement in body:
        yield statement, loops
        inner = (*loops, statement) if isinstance(statement, Loop) else loops
        for each in bodies(statement):
            yield from statements(each, inner)
