"""Convert libclang's statements of a C or C++ procedure to those of ``nest.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from ...instrument.c_family.clang.cursors import spelling
from ...instrument.c_family.clang.names import qualified_name
from ..effects import expressions_of
from ..expression import ArrayRef, Binary, Call, Expression, Name, Number, Opaque, Unary, base_of, walk
from ..nest import (
    Allocation,
    Arm,
    Assignment,
    Block,
    Branch,
    CallStatement,
    Jump,
    Loop,
    OtherStatement,
    Procedure,
    Statement,
    Structure,
    statements,
)
from .expressions import Expressions
from .functions import ALLOCATING, FREEING
from .header import semicolons
from .library import CursorKind, Kind, Places, children, lib
from .loops import counted
from .names import Names
from .types import container_name, is_reference

__all__ = ["read_procedure"]

_NEW: Final = "new"
_WITHOUT_MEMORY: Final = ("array", "span")  # containers that allocate nothing
_NAMES: Final = {"basic_string": "string"}
_DEEPEST: Final = 100  # deepest nesting of statements; Python allows about 1,000 nested calls


def read_procedure(
    cursor: Any, places: Places, directives: Mapping[int, str], wrong: list[int], found: dict[str, Structure]
) -> tuple[Procedure, Names]:
    """Convert a function definition; also return the names of its variables.

    Args:
        cursor: The function.
        places: Determines source positions.
        directives: Line of a statement → its directive.
        wrong: Lines with parse errors.
        found: Known structures; new structures are added.
    """
    names = Names()
    arguments = [
        names.declare(each, places.start(each).line, [], None, argument=True).name
        for each in children(cursor)
        if each.kind == CursorKind.PARM_DECL and spelling(each)
    ]
    reader = _Reader(places, names, directives, wrong, Expressions(places, names, found))
    bodies = [each for each in children(cursor) if each.kind in (CursorKind.COMPOUND_STMT, CursorKind.CXX_TRY_STMT)]
    body = tuple(reader.body(bodies[-1])) if bodies else ()
    names.own(_owning(body))
    line, last = places.start(cursor).line, places.end(cursor).line
    name = qualified_name(cursor)[0]
    return Procedure(name, tuple(arguments), tuple(names.declarations), body, line, last), names


class _Reader:
    def __init__(
        self,
        places: Places,
        names: Names,
        directives: Mapping[int, str],
        wrong: list[int],
        expressions: Expressions,
    ) -> None:
        self._places, self._names = places, names
        self._directives, self._wrong = directives, wrong
        self._expressions = expressions
        self._switches = self._depth = 0
        self._ways: dict[int, Callable[[Any], list[Statement]]] = {
            CursorKind.COMPOUND_STMT: self._compound,
            CursorKind.DECL_STMT: self._declarations,
            CursorKind.FOR_STMT: self._for,
            CursorKind.WHILE_STMT: self._while,
            CursorKind.DO_STMT: self._do,
            CursorKind.CXX_FOR_RANGE_STMT: self._range,
            Kind.IF: self._if,
            CursorKind.SWITCH_STMT: self._switch,
            CursorKind.RETURN_STMT: self._return,
            CursorKind.LABEL_STMT: self._inside,
            CursorKind.CASE_STMT: self._inside,
            CursorKind.DEFAULT_STMT: self._inside,
            CursorKind.UNEXPOSED_STMT: self._inside,
            CursorKind.CXX_TRY_STMT: self._try,
            Kind.BREAK: lambda cursor: [] if self._switches else [self._placed(Jump("exit"), cursor)],
            Kind.CONTINUE: lambda cursor: [self._placed(Jump("cycle"), cursor)],
            Kind.GOTO: lambda cursor: [self._placed(Jump("goto"), cursor)],
            Kind.NOTHING: lambda _: [],
            CursorKind.CXX_DELETE_EXPR: self._delete,
        }

    def body(self, cursor: Any) -> list[Statement]:
        """Return the statements of a block, or a single statement as a block."""
        if cursor.kind == CursorKind.COMPOUND_STMT and not self._directive(cursor):
            return [each for child in children(cursor) for each in self._statement(child)]
        return self._statement(cursor)

    def _statement(self, cursor: Any) -> list[Statement]:
        if way := self._ways.get(cursor.kind):
            self._depth += 1
            if self._depth > _DEEPEST:
                raise RecursionError
            found = way(cursor)
            self._depth -= 1
            return found
        if 100 <= cursor.kind < 200:
            return self._expression(cursor)
        expressions = tuple(self._expressions.expressions_below(cursor))
        return [*self._before(), self._placed(OtherStatement(expressions), cursor)]

    def _placed(self, statement: Statement, cursor: Any) -> Statement:
        place = self._places.start(cursor)
        return replace(statement, line=place.line, column=place.column)

    def _read(self, cursor: Any) -> tuple[list[Statement], Expression]:
        """Convert an expression; also return the statements to place before it."""
        value = self._expressions.read(cursor)
        return self._before(), value

    def _before(self) -> list[Statement]:
        before, self._expressions.before[:] = list(self._expressions.before), []
        return [_allocated(each) for each in before]

    def _expression(self, cursor: Any) -> list[Statement]:
        before, value = self._read(cursor)
        if isinstance(value, Call):
            return [*before, self._placed(_of_call(value), cursor)]
        # A statement that is only an element access is a call to ``operator()``, made for its side effects.
        is_called = isinstance(value, ArrayRef) and not before
        if is_called or (isinstance(value, Opaque) and value.changes):
            return [*before, self._placed(OtherStatement((value,)), cursor)]
        if not before and any(isinstance(each, Call) and not each.is_pure for each in walk(value)):
            return [self._placed(OtherStatement((value,)), cursor)]
        return before

    def _delete(self, cursor: Any) -> list[Statement]:
        targets = tuple(self._expressions.expressions_below(cursor))
        return [*self._before(), self._placed(Allocation(targets, frees=True, function="delete"), cursor)]

    def _compound(self, cursor: Any) -> list[Statement]:
        found = [each for child in children(cursor) for each in self._statement(child)]
        directive = self._directive(cursor)
        if not directive:
            return found
        last = self._places.end(cursor).line
        return [self._placed(Block(tuple(found), directive, last), cursor)]

    def _directive(self, cursor: Any) -> str:
        return self._directives.get(self._places.start(cursor).line, "")

    def _inside(self, cursor: Any) -> list[Statement]:
        """Return the statement after a label or an attribute."""
        return [
            each
            for child in children(cursor)
            if child.kind >= 200 or child is children(cursor)[-1]
            for each in self._statement(child)
        ]

    # Declarations.

    def _declarations(self, cursor: Any) -> list[Statement]:
        return [each for child in children(cursor) for each in self._declaration(child)]

    def _declaration(self, cursor: Any) -> list[Statement]:
        if cursor.kind != CursorKind.VAR_DECL:
            return []
        initial = lib.clang_Cursor_getVarDeclInitializer(cursor)
        sizes = [] if initial is not None else self._expressions.expressions_below(cursor)
        value = self._expressions.read(initial) if initial is not None else None
        before = self._before()
        type_ = lib.clang_getCursorType(cursor)
        if container_name(type_) and not is_reference(type_):
            return [*before, *self._container(cursor, value, container_name(type_))]
        line = self._places.start(cursor).line
        name = self._names.declare(cursor, line, sizes, value)
        declaration = self._placed(self._names.declarations[-1], cursor)
        if value is None:
            return [*before, declaration]
        assignment = self._placed(Assignment(name, value, in_declaration=True), cursor)
        # A static variable is initialised only once, before the program starts.
        is_static = self._names.declarations[-1].outlives
        return [*before, declaration, *([] if is_static else [_allocated(assignment)])]

    def _container(self, cursor: Any, value: Expression | None, kind: str) -> Iterator[Statement]:
        name = self._names.declare(cursor, self._places.start(cursor).line, [], None)
        yield self._placed(self._names.declarations[-1], cursor)
        sizes = value.parts if isinstance(value, Opaque) else (value,) if value is not None else ()
        is_moved = isinstance(value, Call) and value.name == "move"
        if sizes and not is_moved and kind not in _WITHOUT_MEMORY:
            function = f"std::{_NAMES.get(kind, kind)}"
            yield self._placed(Allocation((name,), sizes, function=function), cursor)

    # Loops.

    def _for(self, cursor: Any) -> list[Statement]:
        place = self._places.start(cursor)
        *heads, body = children(cursor)
        start, condition, end = [], None, []
        before: list[Statement] = []
        marks = semicolons(self._places.text, place.offset) if place.line else None
        for number, head in enumerate(heads):
            offset = self._places.start(head).offset
            part = number if marks is None else (offset > marks[0]) + (offset > marks[1])
            if part == 0:
                start += self._statement(head)
            elif part == 1:
                before, condition = self._read(head)
            else:
                end += self._expression(head)
        inside = [*before, *self._loop_body(body, cursor)]
        head = None if before else counted(start, condition, end, inside)
        if head is None:
            return [*start, self._loop(cursor, [*inside, *end], condition=condition)]
        kept = [each for each in start if not (isinstance(each, Assignment) and each.target == head.variable)]
        values = {"variable": head.variable, "first": head.first, "last": head.last, "step": head.step}
        return [*kept, self._loop(cursor, [*inside, *head.rest], **values)]

    def _loop_body(self, body: Any, loop: Any) -> list[Statement]:
        switches, self._switches = self._switches, 0
        found = self.body(body)
        self._switches = switches
        first, last = self._places.start(loop).line, self._places.end(loop).line
        lost = [line for line in self._wrong if first <= line <= last]
        return [*found, *(OtherStatement(line=line) for line in lost[:1])]

    def _loop(self, cursor: Any, body: list[Statement], **values: Any) -> Statement:
        last = self._places.end(cursor).line
        return self._placed(Loop(tuple(body), last_line=last, directive=self._directive(cursor), **values), cursor)

    def _while(self, cursor: Any) -> list[Statement]:
        *heads, body = children(cursor)
        before, condition = self._read(heads[-1]) if heads else ([], None)
        inside = self._loop_body(body, cursor)
        return [self._loop(cursor, [*before, *inside], condition=condition)]

    def _do(self, cursor: Any) -> list[Statement]:
        body, *heads = children(cursor)
        inside = self._loop_body(body, cursor)
        before, condition = self._read(heads[0]) if heads else ([], None)
        if condition == Number(0) and not any(
            isinstance(each, Jump) for each, loops in statements(inside) if not loops
        ):
            return [*inside, *before]  # ``do … while (0)`` in macros runs its body once
        return [self._loop(cursor, [*inside, *before], condition=condition)]

    def _range(self, cursor: Any) -> list[Statement]:
        *heads, body = children(cursor)
        values = []
        for each in heads:
            if each.kind in (CursorKind.VAR_DECL, CursorKind.DECL_STMT):
                for variable in [each] if each.kind == CursorKind.VAR_DECL else children(each):
                    if variable.kind == CursorKind.VAR_DECL:
                        self._names.declare(variable, self._places.start(variable).line, [], None)
            elif 100 <= each.kind < 200:
                values.append(self._expressions.read(each))
        before = self._before()
        inside = self._loop_body(body, cursor)
        return [*before, self._loop(cursor, inside, condition=Opaque(tuple(values), changes=False))]

    # Branches.

    def _if(self, cursor: Any) -> list[Statement]:
        parts = children(cursor)
        before: list[Statement] = []
        while parts and parts[0].kind in (CursorKind.DECL_STMT, CursorKind.VAR_DECL):
            first = parts.pop(0)
            before += self._declaration(first) if first.kind == CursorKind.VAR_DECL else self._statement(first)
        condition: Expression = Opaque(changes=False)
        if len(parts) > 1:
            more, condition = self._read(parts.pop(0))
            before += more
        arms = [Arm(condition if number == 0 else None, tuple(self.body(each))) for number, each in enumerate(parts)]
        last = self._places.end(cursor).line
        return [*before, self._placed(Branch(tuple(arms), last), cursor)]

    def _switch(self, cursor: Any) -> list[Statement]:
        *heads, body = children(cursor)
        before, selector = self._read(heads[-1]) if heads else ([], Opaque(changes=False))
        self._switches += 1
        arms: list[Arm] = []
        for each in children(body) if body.kind == CursorKind.COMPOUND_STMT else [body]:
            inner = each
            while inner.kind in (CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT):
                below = children(inner)
                is_case = inner.kind == CursorKind.CASE_STMT and len(below) > 1
                value = self._expressions.read(below[0]) if is_case else None
                arms.append(Arm(Binary("==", selector, value) if value is not None else None, ()))
                inner = below[-1]
            found = tuple(self._statement(inner))
            if arms:
                arms[-1] = Arm(arms[-1].condition, (*arms[-1].body, *found))
        self._switches -= 1
        return [*before, self._placed(Branch(tuple(arms), self._places.end(cursor).line), cursor)]

    def _try(self, cursor: Any) -> list[Statement]:
        body, *handlers = children(cursor)
        caught = tuple(Arm(None, tuple(self.body(children(each)[-1]))) for each in handlers if children(each))
        found = self.body(body)
        return [*found, self._placed(Branch(caught), cursor)] if caught else found

    def _return(self, cursor: Any) -> list[Statement]:
        below = children(cursor)
        before, value = self._read(below[0]) if below else ([], None)
        return [*before, self._placed(Jump("return", value), cursor)]


def _allocated(statement: Statement) -> Statement:
    """Convert an assignment of newly allocated memory to an allocation; return other statements unchanged."""
    match statement:
        case Assignment(target=target, value=Call(name=name) as call) if name in ALLOCATING or name == _NEW:
            made = Allocation((target,), call.arguments, function=name)
            return replace(made, line=statement.line, column=statement.column)
        case _:
            return statement


def _of_call(call: Call) -> Statement:
    if call.name in FREEING and call.arguments:
        return Allocation(call.arguments[:1], frees=True, function=call.name)
    if call.name in ALLOCATING and call.arguments:
        target, *sizes = call.arguments[::-1] if call.name == "MPI_Alloc_mem" else call.arguments
        target = target.operand if isinstance(target, Unary) else target
        return Allocation((target,), tuple(sizes), function=call.name)
    return CallStatement(call)


def _owning(body: tuple[Statement, ...]) -> frozenset[str]:
    """Return the pointers that are only ever assigned newly allocated memory."""
    owning, other = set(), set()
    for statement, _ in statements(body):
        match statement:
            case Allocation(targets=(Name(name=name),), frees=False):
                owning.add(name)
            case Assignment(target=Name(name=name)):
                other.add(name)
        for expression in expressions_of(statement):
            for each in walk(expression):
                if isinstance(each, Unary) and each.operator == "&" and (base := base_of(each.operand)):
                    other.add(base.name)
    return frozenset(owning - other)
