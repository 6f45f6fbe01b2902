"""Where a value is made of the rank: back through assignments, arguments, results and fields, in all files read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

from .definitions import Definition, Definitions
from .effects import expressions_of
from .expression import (
    ArrayRef,
    Binary,
    Call,
    Deref,
    Expression,
    FieldRef,
    Name,
    Number,
    Opaque,
    Unary,
    base_of,
    parts,
    walk,
)
from .nest import Assignment, Branch, CallStatement, Jump, Loop, Procedure, SourceFile, Statement, statements

__all__ = ["RANK", "RECEIVES", "SENDS", "SIZE", "Calling", "Origin", "Origins"]

RANK, SIZE = "rank", "size"
# Function → which of its arguments gets the rank or its place in a grid, or the number of ranks, or that along an axis.
_ASKING: Final = {
    "mpi_comm_rank": {1: RANK},
    "mpi_comm_size": {1: SIZE},
    "mpi_dims_create": {2: SIZE},
    "mpi_cart_coords": {3: RANK},
    "mpi_cart_get": {2: SIZE, 4: RANK},
}
RECEIVES: Final = frozenset(("mpi_recv", "mpi_irecv"))
SENDS: Final = frozenset(("mpi_send", "mpi_isend", "mpi_ssend", "mpi_bsend", "mpi_rsend"))
_PARTNER, _TAG = 3, 4  # where they are among the arguments of both
_USUAL: Final = {
    **dict.fromkeys(("rank", "myrank", "my_rank", "mpi_rank", "myid", "mype", "my_pe", "iproc", "irank"), RANK),
    **dict.fromkeys(("size", "nprocs", "nproc", "numranks", "num_ranks", "nranks", "mpi_size", "npes"), SIZE),
}
_SHARING: Final = {"mpi_allreduce": 1, "mpi_bcast": 0}  # which argument has the same value on all ranks then
_COUNTING: Final = {"mpi_allreduce": 1, "mpi_allgather": 3, "mpi_alltoall": 3}  # which argument gets what others count
_COMPARING: Final = frozenset(("==", "!=", "<", "<=", ">", ">=", "&&", "||", "!"))
_ORDERING: Final = frozenset(("<", "<=", ">", ">="))
_DEEPEST: Final = 8  # steps back
_MOST: Final = 400  # names looked at


@dataclass(frozen=True)
class Origin:
    """The line that makes a value of the rank.

    Attributes:
        source: The file.
        line: The line.
        target: What gets the value; None where a function gives it.
        value: What is made of the rank.
        is_known: Whether it is seen that it is the rank; else it is only called so.
        has_size: Whether the number of ranks is in it, too.
        is_table: Whether the rank chooses it from a table.
        through: Places of the steps on the way, from the loop.
    """

    source: SourceFile
    line: int
    target: Expression | None
    value: Expression
    is_known: bool
    has_size: bool
    is_table: bool
    through: tuple[tuple[SourceFile, int], ...] = ()


@dataclass(frozen=True)
class Calling:
    """A call of a procedure.

    Attributes:
        source: Where it is.
        procedure: What calls.
        call: The call.
        line: Its line.
        loops: The loops around it, outermost first.
    """

    source: SourceFile
    procedure: Procedure
    call: Call
    line: int
    loops: tuple[Loop, ...]


class _Where(NamedTuple):
    source: SourceFile
    procedure: Procedure


@dataclass(frozen=True)
class _Trail:
    """The way back so far: which names were looked at in which procedures, and the places that it went by."""

    seen: frozenset[tuple[int, str]] = frozenset()
    through: tuple[tuple[SourceFile, int], ...] = ()
    within: str = ""
    before: int = 0
    at: int = 0

    def has_seen(self, where: _Where, name: str) -> bool:
        return (id(where.procedure), name) in self.seen

    def reaches(self, where: _Where, line: int) -> bool:
        """Tell whether what a line makes can be used where the way began."""
        return not self.before or where.procedure.name != self.within or line <= self.before

    def ordered(self, where: _Where, definitions: Sequence[Definition]) -> Sequence[Definition]:
        """Give what is made last before the way began first: a variable may have several values, one after another."""
        if not self.at or where.procedure.name != self.within:
            return definitions
        return sorted(definitions, key=lambda each: (each[2] > self.at, -each[2] if each[2] <= self.at else each[2]))

    def past(self, where: _Where, name: str) -> _Trail:
        return replace(self, seen=self.seen | {(id(where.procedure), name)})

    def by(self, source: SourceFile, line: int) -> _Trail:
        return replace(self, through=(*self.through, (source, line)))


class Origins:
    """Traces values in some files.

    Args:
        sources: The files, by name.
    """

    def __init__(self, sources: Mapping[str, SourceFile]) -> None:
        self._sources = tuple(sources.values())
        self._left = _MOST
        self._definitions = Definitions()
        self._named: dict[tuple[int, int], dict[str, tuple[str, bool]]] = {}

    def of(
        self, expression: Expression, source: SourceFile, procedure: Procedure, *, before: int = 0, at: int = 0
    ) -> Origin | None:
        """Find the line that makes an expression of the rank; None if none is found.

        Args:
            expression: What is used.
            source: Where.
            procedure: Likewise.
            before: The last line of the procedure that can make it; 0 if all can.
            at: The line that uses it; 0 if that is not known.
        """
        self._left = _MOST
        return self._made(expression, _Where(source, procedure), _Trail(within=procedure.name, before=before, at=at))

    def names(self, source: SourceFile, procedure: Procedure) -> dict[str, tuple[str, bool]]:
        """Give the variables that are the rank or the number of ranks, and whether that is seen."""
        key = id(source), id(procedure)
        if key not in self._named:
            self._named[key] = self._names(source, procedure)
        return self._named[key]

    def _names(self, source: SourceFile, procedure: Procedure) -> dict[str, tuple[str, bool]]:
        found: dict[str, tuple[str, bool]] = {}
        named = (*procedure.arguments, *(each.name for each in (*procedure.declarations, *source.declarations)))
        for name in named:
            if usual := _USUAL.get(name.partition("'")[0].strip("_").lower()):
                found[name] = (usual, False)
        for name, what in (*self._places.get(id(procedure), ()), *self._asking.get(id(procedure), ())):
            found[name] = (what, True)
        for name, what in self._asked_of_all.items():
            found.setdefault(name, (what, True))
        return found

    def callers(self, procedure: Procedure) -> tuple[Calling, ...]:
        """Give the calls of a procedure."""
        return tuple(self._calls.get(_bare(procedure.name), ()))

    def does(self, statement: Statement, functions: frozenset[str]) -> bool:
        """Tell whether a statement calls one of some functions, or a procedure that does."""
        called = {_bare(each.name) for each in _calls_in(statement)}
        doing = (_bare(each.procedure.name) for each in self._messages(functions))
        return bool(called & functions) or any(each in called for each in doing)

    # What is known of all files.

    @cached_property
    def _calls(self) -> dict[str, list[Calling]]:
        found: dict[str, list[Calling]] = {}
        for source in self._sources:
            for procedure in source.procedures:
                for statement, loops in statements(procedure.body):
                    for call in _calls_in(statement):
                        calling = Calling(source, procedure, call, call.line or statement.line, loops)
                        found.setdefault(_bare(call.name), []).append(calling)
        return found

    @cached_property
    def _shared(self) -> frozenset[tuple[int, str]]:
        """Name the variables, each with its procedure, that have the same value on all ranks once it has been sent."""
        found = set()
        for name, at in _SHARING.items():
            for calling in self._calls.get(name, ()):
                variable = _argument(calling.call, at)
                if isinstance(variable, Unary) and isinstance(variable.operand, Name):
                    found.add((id(calling.procedure), variable.operand.name))
        return frozenset(found)

    @cached_property
    def _counted_by_others(self) -> frozenset[tuple[int, str]]:
        """Name the arrays, each with its procedure, that hold what all ranks have counted: no division of work."""
        found = set()
        for name, at in _COUNTING.items():
            for calling in self._calls.get(name, ()):
                variable = _argument(calling.call, at)
                inner = variable.operand if isinstance(variable, Unary) else variable
                if inner is not None and (base := base_of(inner)):
                    found.add((id(calling.procedure), base.name))
        return frozenset(found)

    @cached_property
    def _asking(self) -> dict[int, list[tuple[str, str]]]:
        """Give what each procedure asks MPI for: a variable, and whether it is the rank or the number of ranks."""
        found: dict[int, list[tuple[str, str]]] = {}
        for name, arguments in _ASKING.items():
            for calling in self._calls.get(name, ()):
                for at, what in arguments.items():
                    variable = _argument(calling.call, at)
                    inner = variable.operand if isinstance(variable, Unary) else variable
                    if isinstance(inner, Name):
                        found.setdefault(id(calling.procedure), []).append((inner.name, what))
        return found

    @cached_property
    def _places(self) -> dict[int, list[tuple[str, str]]]:
        """Give the variables of each procedure that hold the rank's place in a grid: ``mod(rank, columns)``."""
        found: dict[int, list[tuple[str, str]]] = {}
        everywhere = {name for asked in self._asking.values() for name, what in asked if what == RANK}
        for where in self._everywhere():
            asked = {name for name, what in self._asking.get(id(where.procedure), ()) if what == RANK}
            shared = {
                each.name for each in (*where.procedure.declarations, *where.source.declarations) if each.outlives
            }
            ranks = asked | (everywhere & shared)
            for statement, _ in statements(where.procedure.body) if ranks else ():
                match statement:
                    case Assignment(target=Name(name=name) | ArrayRef(array=Name(name=name)), value=value, operator=""):
                        if not isinstance(value, Name) and _is_place(value, ranks):
                            ranks.add(name)
                            found.setdefault(id(where.procedure), []).append((name, RANK))
        return found

    @cached_property
    def _asked_of_all(self) -> dict[str, str]:
        """Give the variables of all that hold the rank, or the number of ranks."""
        found = {}
        for source in self._sources:
            common = {each.name for each in source.declarations if each.outlives}
            for procedure in source.procedures:
                own = common | {each.name for each in procedure.declarations if each.outlives}
                asked = (*self._places.get(id(procedure), ()), *self._asking.get(id(procedure), ()))
                found.update({name: what for name, what in asked if name in own})
        return found

    # Steps back.

    def _made(self, expression: Expression, where: _Where, trail: _Trail) -> Origin | None:
        """Look for the rank in all that an expression is made of."""
        if len(trail.through) > _DEEPEST:
            return None
        for each in walk(expression):
            self._left -= 1
            if self._left < 0:
                return None
            found = None
            if isinstance(each, Name) and not trail.has_seen(where, each.name):
                found = self._of_name(each, where, trail.past(where, each.name))
            elif isinstance(each, Call):
                found = self._of_result(each, where, trail)
            elif isinstance(each, FieldRef):
                found = self._of_field(each, trail)
            if found:
                return found
        return None

    def _of_name(self, name: Name, where: _Where, trail: _Trail) -> Origin | None:
        if (id(where.procedure), name.name) in self._shared:
            return None
        for definition in trail.ordered(where, self._definitions.of(where.procedure, name)):
            if trail.reaches(where, definition[2]) and (found := self._of_value(definition, where, trail)):
                return found
        if name.name in where.procedure.arguments:
            at = where.procedure.arguments.index(name.name)
            for calling in self.callers(where.procedure):
                if at < len(calling.call.arguments):
                    outside = _Where(calling.source, calling.procedure)
                    value = calling.call.arguments[at]
                    if found := self._of_value((None, value, calling.line), outside, trail):
                        return found
        if found := self._of_message(name, where, trail):
            return found
        declaration = where.source.declaration(where.procedure, name.name)
        others = []
        if declaration is None or declaration.outlives:
            others = [each for each in self._everywhere() if each != where]
        for other in others:
            for definition in self._definitions.of(other.procedure, name):
                if found := self._of_value(definition, other, trail):
                    return found
        conditional = (self._of_condition(each, name, trail) for each in (where, *others))
        return next((each for each in conditional if each is not None), None)

    def _of_condition(self, where: _Where, name: Name, trail: _Trail) -> Origin | None:
        """Find a value that the lower ranks get, and the others do not: ``if (rank < rest) n = n + 1``."""
        for target, value, line in self._of_lower_ranks.get(id(where.procedure), {}).get(name.name, ()):
            if trail.reaches(where, line):
                return Origin(where.source, line, target, value, False, False, False, trail.through)
        return None

    @cached_property
    def _of_lower_ranks(self) -> dict[int, dict[str, list[Definition]]]:
        """Give, by procedure and variable, what is assigned where ranks are compared."""
        found: dict[int, dict[str, list[Definition]]] = {}
        for where in self._everywhere():
            known = self.names(where.source, where.procedure)
            ranks = {each for each, (what, _) in known.items() if what == RANK}
            for statement, _ in statements(where.procedure.body) if ranks else ():
                if not isinstance(statement, Branch) or not any(
                    _orders(arm.condition, ranks) for arm in statement.arms
                ):
                    continue
                for inner, _ in (each for arm in statement.arms for each in statements(arm.body)):
                    match inner:
                        case Assignment(
                            target=Name(name=name) | ArrayRef(array=Name(name=name)) as target, value=value
                        ):
                            of_procedure = found.setdefault(id(where.procedure), {})
                            of_procedure.setdefault(name, []).append((target, value, inner.line))
        return found

    def _of_message(self, name: Name, where: _Where, trail: _Trail) -> Origin | None:
        """Look at what another rank sends to a variable: what is made of its partner's rank is made of this one's."""
        for receive in self._messages(RECEIVES):
            if receive.procedure is not where.procedure or _buffer(receive.call) != name:
                continue
            for send in self._messages(SENDS):
                sent = _buffer(send.call)
                if sent is None or _argument(send.call, _TAG) != _argument(receive.call, _TAG):
                    continue
                outside = _Where(send.source, send.procedure)
                partner = _argument(send.call, _PARTNER)
                made_of = partner.name if isinstance(partner, Name) else ""
                onward = trail.past(outside, sent.name).by(receive.source, receive.line).by(send.source, send.line)
                for definition in self._definitions.of(send.procedure, sent):
                    if found := self._of_value(definition, outside, onward, partner=made_of):
                        return found
        return None

    def _messages(self, functions: frozenset[str]) -> Iterator[Calling]:
        return (each for name in sorted(functions) for each in self._calls.get(name, ()))

    def _everywhere(self) -> Iterator[_Where]:
        return (_Where(source, procedure) for source in self._sources for procedure in source.procedures)

    def _of_value(self, definition: Definition, where: _Where, trail: _Trail, *, partner: str = "") -> Origin | None:
        """Judge a value by what is in it: the rank, or that of a partner, or what is made of it elsewhere."""
        target, value, line = definition
        known = self.names(where.source, where.procedure) | ({partner: (RANK, True)} if partner else {})
        used = {name: known[name] for name in _counted(value) if name in known}
        ranks = [is_known for what, is_known in used.values() if what == RANK]
        is_given = isinstance(value, Name) or (isinstance(value, Call) and any(self._results(value)))
        if ranks and not is_given:
            has_size = any(what == SIZE for what, _ in used.values())
            tables = [each for each in walk(value) if _is_chosen_by(each, used)]
            bases = {base.name for each in tables if (base := base_of(each))}
            if any((id(where.procedure), each) in self._counted_by_others for each in bases):
                return None
            table = bool(tables)
            return Origin(where.source, line, target, value, any(ranks), has_size, table, trail.through)
        return self._made(value, where, trail.by(where.source, line))

    def _of_result(self, call: Call, where: _Where, trail: _Trail) -> Origin | None:
        """Look into a function whose value is used: it may be given the rank, or ask for it."""
        known = self.names(where.source, where.procedure)
        ranks = {name for name, (what, _) in known.items() if what == RANK}
        given = [not ranks.isdisjoint(_names(each)) for each in call.arguments]
        for inside, value, line in self._results(call):
            if trail.has_seen(inside, ""):
                continue
            onward = trail.past(inside, "").by(where.source, call.line or line)
            arguments = {name for name, is_rank in zip(inside.procedure.arguments, given, strict=False) if is_rank}
            if not arguments.isdisjoint(_names(value)):
                return self._of_function(inside, value, line, onward)
            if found := self._made(value, inside, onward):
                return found
        return None

    def _of_function(self, inside: _Where, value: Expression, line: int, trail: _Trail) -> Origin:
        """Give what a function makes of the rank that is given to it, or what it calls for that."""
        deeper = [results for each in walk(value) if isinstance(each, Call) and (results := self._results(each))]
        if deeper:
            inside, value, line = deeper[0][0]
        known = self.names(inside.source, inside.procedure)
        has_size = any(known.get(name, ("",))[0] == SIZE for name in _names(value))
        return Origin(inside.source, line, None, value, True, has_size, False, trail.through)

    def _results(self, call: Call) -> list[tuple[_Where, Expression, int]]:
        """Give what a function gives, as far as it was read: where, the value and its line."""
        found = []
        for where in self._everywhere():
            function = where.procedure
            if _bare(function.name) == _bare(call.name) and len(function.arguments) >= len(call.arguments):
                for statement, _ in statements(function.body):
                    match statement:
                        case Jump(kind="return", value=value) if value is not None:
                            found.append((where, value, statement.line))
                        case Assignment(target=Name(name=name), value=value) if name == function.name:
                            found.append((where, value, statement.line))
        return found

    def _of_field(self, field: FieldRef, trail: _Trail) -> Origin | None:
        for where in self._everywhere():
            if trail.has_seen(where, f".{field.name}"):
                continue
            for definition in self._definitions.of_field(where.procedure, field.name):
                if found := self._of_value(definition, where, trail.past(where, f".{field.name}")):
                    return found
        return None


def _bare(name: str) -> str:
    """Give a name without what is around it, and in lower case, as Fortran does not tell cases apart."""
    return name.rpartition("::")[2].partition("<")[0].lower()


def _argument(call: Call, at: int) -> Expression | None:
    return call.arguments[at] if at < len(call.arguments) else None


def _buffer(call: Call) -> Name | None:
    """Give the variable that a message is in."""
    first = _argument(call, 0)
    return base_of(first.operand if isinstance(first, Unary) else first) if first is not None else None


def _calls_in(statement: Statement) -> Iterator[Call]:
    if isinstance(statement, CallStatement):
        yield from (each for each in walk(statement.call) if isinstance(each, Call))
    else:
        for expression in expressions_of(statement):
            yield from (each for each in walk(expression) if isinstance(each, Call))


def _names(expression: Expression) -> Iterator[str]:
    return (each.name for each in walk(expression) if isinstance(each, Name))


def _counted(expression: Expression) -> Iterator[str]:
    """Give the names in an expression but those that are only compared: who does something is no division of it."""
    if isinstance(expression, Name):
        yield expression.name
    elif not isinstance(expression, Opaque) and getattr(expression, "operator", "") not in _COMPARING:
        for each in parts(expression):
            yield from _counted(each)


def _is_place(value: Expression, ranks: set[str]) -> bool:
    """Tell whether a value is the rank's place in a grid: a quotient or a rest of it, from 0 or from 1."""
    match value:
        case Name(name=name):
            return name in ranks
        case Binary(operator="/" | "%", left=left, right=right):
            return _is_place(left, ranks) and ranks.isdisjoint(_names(right))
        case Call(name="mod" | "modulo", arguments=(left, right)):
            return _is_place(left, ranks) and ranks.isdisjoint(_names(right))
        case Binary(operator="+" | "-", left=left, right=Number()):
            return _is_place(left, ranks)
        case Binary(operator="-", left=left, right=Binary(operator="*", left=row, right=columns)):
            return _is_place(left, ranks) and (_is_place(row, ranks) or _is_place(columns, ranks))
    return False


def _orders(condition: Expression | None, ranks: set[str]) -> bool:
    """Tell whether a condition asks for the rank to be less than something."""
    match condition:
        case Binary(operator="&&" | "||", left=left, right=right):
            return _orders(left, ranks) or _orders(right, ranks)
        case Unary(operator="!", operand=operand):
            return _orders(operand, ranks)
        case Binary(operator=operator, left=left, right=right) if operator in _ORDERING:
            sides = (side for side in (left, right) if not any(map(_is_read, walk(side))))
            return any(not ranks.isdisjoint(_counted(side)) for side in sides)
    return False


def _is_read(expression: Expression) -> bool:
    return isinstance(expression, ArrayRef | Deref)


def _is_chosen_by(expression: Expression, used: Mapping[str, tuple[str, bool]]) -> bool:
    """Tell whether the rank is a subscript."""
    if not isinstance(expression, ArrayRef):
        return False
    names = (part for each in expression.subscripts for part in walk(each) if isinstance(part, Name))
    return any(used.get(each.name, ("", False))[0] == RANK for each in names)
