"""The memory that statements read and write, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from .expression import ArrayRef, Call, Deref, Expression, FieldRef, Name, Opaque, Unary, base_of, parts, walk
from .nest import (
    Allocation,
    Assignment,
    Block,
    Branch,
    CallStatement,
    Declaration,
    InputOutput,
    Jump,
    Loop,
    Statement,
    statements,
)

__all__ = ["Access", "Effects", "effects", "expressions_of", "names_in", "written_names"]

_REFERENCES: Final = (Name, ArrayRef, FieldRef, Deref)


@dataclass(frozen=True)
class Access:
    """A read or write of a variable or of a part of it.

    Attributes:
        reference: A ``Name``, ``ArrayRef``, ``FieldRef`` or ``Deref``.
        is_write: Whether the access is a write.
        statement: The statement of the access.
        within: The statements that contain this statement, outermost first.
        is_conditional: Whether the access happens only under a condition.
    """

    reference: Expression
    is_write: bool
    statement: Statement
    within: tuple[Statement, ...]
    is_conditional: bool


@dataclass
class Effects:
    """The effects of statements.

    Attributes:
        accesses: The accesses in order; an access in a loop appears once.
        unknown: Descriptions of statements with unknown effects, with their lines.
    """

    accesses: list[Access] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @property
    def written(self) -> frozenset[str]:
        """The variables that are written, in whole or in part."""
        bases = (base_of(each.reference) for each in self.accesses if each.is_write)
        return frozenset(base.name for base in bases if base)


def effects(body: Iterable[Statement]) -> Effects:
    """Return the effects of statements.

    Jumps out of the statements count as unknown; jumps to the next iteration of an inner loop do not.
    """
    found = Effects()
    _Reader(found).read(body, (), False)
    return found


class _Reader:
    def __init__(self, found: Effects) -> None:
        self._found = found

    def read(self, body: Iterable[Statement], within: tuple[Statement, ...], conditional: bool) -> None:
        for statement in body:
            self._statement(statement, within, conditional)
            conditional = conditional or _may_skip_the_rest(statement)

    def _statement(self, statement: Statement, within: tuple[Statement, ...], conditional: bool) -> None:
        def reads(*expressions: Expression | None) -> None:
            for each in expressions:
                if each is not None:
                    self._reads(each, statement, within, conditional)

        match statement:
            case Declaration(extents=extents):
                reads(*extents)
            case Assignment(target=target, value=value):
                reads(value, *_below(target))
                if statement.operator:
                    self._note(target, statement, within, conditional, write=False)
                self._note(target, statement, within, conditional, write=True)
            case Loop():
                reads(statement.first, statement.last, statement.step, statement.condition)
                if statement.variable:
                    self._note(statement.variable, statement, within, conditional, write=True)
                self.read(statement.body, (*within, statement), conditional)
            case Block(body=body):
                self.read(body, (*within, statement), conditional)
            case Branch(arms=arms):
                reads(*(arm.condition for arm in arms))
                for arm in arms:
                    self.read(arm.body, (*within, statement), True)
            case _ if what := _unknown_of(statement):
                self._unknown(statement, what)

    def _unknown(self, statement: Statement, what: str) -> None:
        self._found.unknown.append(f"line {statement.line} {what}")

    def _reads(self, expression: Expression, statement: Statement, within: tuple[Statement, ...], cond: bool) -> None:
        """Record the reads and the unknown effects of an expression.

        A reference's intermediate pointers, such as a pointer to a row, are not separate reads.
        """
        if isinstance(expression, _REFERENCES):
            self._note(expression, statement, within, cond, write=False)
            below: Iterable[Expression] = _below(expression)
        else:
            below = parts(expression)
        if isinstance(expression, Call) and not expression.is_pure:
            self._unknown(statement, f"calls {expression.name or 'a function'}")
        elif (isinstance(expression, Opaque) and expression.changes) or (
            isinstance(expression, Unary) and expression.operator == "&"
        ):
            self._unknown(statement, "cannot be analysed")
        for each in below:
            self._reads(each, statement, within, cond)

    def _note(
        self, reference: Expression, statement: Statement, within: tuple[Statement, ...], cond: bool, *, write: bool
    ) -> None:
        self._found.accesses.append(Access(reference, write, statement, within, cond))


def _unknown_of(statement: Statement) -> str:
    """Describe a statement's unknown effects; empty for a jump to the next iteration."""
    match statement:
        case CallStatement(call=call):
            return f"calls {call.name or 'a function'}"
        case InputOutput(action=action):
            return f"performs I/O ({action})"
        case Allocation():
            return "allocates or frees memory"
        case Jump(kind="cycle", label=""):
            return ""
        case Jump(kind=kind):
            return f"leaves the loop with {kind}"
        case _:
            return "cannot be analysed"


def _below(reference: Expression) -> Iterator[Expression]:
    """Yield the expressions that are evaluated to locate a reference: subscripts, and a base that is not a variable."""
    match reference:
        case ArrayRef(array=inner, subscripts=subscripts):
            yield from subscripts
            yield from _below(inner)
        case FieldRef(structure=inner) | Deref(pointer=inner):
            yield from _below(inner)
        case Name():
            pass
        case _:
            yield reference


def _may_skip_the_rest(statement: Statement) -> bool:
    """Return whether a statement contains a jump, outside inner loops, that may skip later statements."""
    return any(isinstance(each, Jump) and not loops for each, loops in statements([statement]))


def expressions_of(statement: Statement) -> Iterator[Expression]:
    """Yield a statement's own expressions, without those of inner statements."""
    match statement:
        case Declaration(extents=extents, value=value):
            yield from (each for each in (*extents, value) if each is not None)
        case Assignment(target=target, value=value):
            yield target
            yield value
        case Loop():
            heads = (statement.variable, statement.first, statement.last, statement.step, statement.condition)
            yield from (each for each in heads if each is not None)
        case Branch(arms=arms):
            yield from (arm.condition for arm in arms if arm.condition is not None)
        case CallStatement(call=call):
            yield call
        case InputOutput(unit=unit, items=items, record=record):
            yield from (each for each in (unit, *items, record) if each is not None)
        case Allocation(targets=targets, sizes=sizes):
            yield from targets
            yield from sizes
        case Jump(value=value) if value is not None:
            yield value
        case _:
            yield from getattr(statement, "expressions", ())


def names_in(body: Iterable[Statement]) -> Iterator[tuple[str, Statement]]:
    """Yield each occurrence of a name outside declarations, with its statement."""
    for statement, _ in statements(body):
        if not isinstance(statement, Declaration):
            for expression in expressions_of(statement):
                yield from ((each.name, statement) for each in walk(expression) if isinstance(each, Name))


def written_names(body: Iterable[Statement], *, by_value: bool = False) -> frozenset[str]:
    """Return the variables that may be written as a whole, in assignments, input, allocations, calls or loop heads.

    Args:
        body: The statements.
        by_value: Whether arguments are passed by value unless they are addresses or C++ references.
    """
    found = set()
    for statement, _ in statements(body):
        match statement:
            case Assignment(target=Name(name=name)) | Loop(variable=Name(name=name)):
                found.add(name)
            case CallStatement(call=call):
                found.update(_given(call, by_value=by_value))
            case InputOutput(action="read", items=items) | Allocation(targets=items):
                found.update(each.name for each in items if isinstance(each, Name))
        for expression in expressions_of(statement):
            for each in walk(expression):
                if isinstance(each, Call) and not each.is_pure:
                    found.update(_given(each, by_value=by_value))
    return frozenset(found)


def _given(call: Call, *, by_value: bool) -> Iterator[str]:
    """Yield the names of variables that a call may change."""
    for at, argument in enumerate(call.arguments):
        is_address = isinstance(argument, Unary) and argument.operator == "&"
        given = next(parts(argument)) if is_address else argument
        if isinstance(given, Name) and (is_address or not by_value or at in call.references):
            yield given.name
