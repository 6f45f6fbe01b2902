"""Find the variables that hold the rank or the number of ranks, and the variables that are equal on all ranks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final

from .calls import Calls, pointed_at
from .definitions import Definition
from .expression import ArrayRef, Binary, Call, Deref, Expression, Name, Number, Opaque, Unary, base_of, parts, walk
from .nest import Assignment, Branch, Procedure, SourceFile, statements

__all__ = ["RANK", "SIZE", "Ranks", "counted", "names_in"]

RANK, SIZE = "rank", "size"
# Function → positions of the arguments that receive the rank or the number of ranks, possibly along an axis of a grid.
_ASKING: Final = {
    "mpi_comm_rank": {1: RANK},
    "mpi_comm_size": {1: SIZE},
    "mpi_dims_create": {2: SIZE},
    "mpi_cart_coords": {3: RANK},
    "mpi_cart_get": {2: SIZE, 4: RANK},
}
_USUAL: Final = {
    **dict.fromkeys(("rank", "myrank", "my_rank", "mpi_rank", "myid", "mype", "my_pe", "iproc", "irank"), RANK),
    **dict.fromkeys(("size", "nprocs", "nproc", "numranks", "num_ranks", "nranks", "mpi_size", "npes"), SIZE),
}
_SHARING: Final = {"mpi_allreduce": 1, "mpi_bcast": 0}  # argument that has the same value on all ranks afterwards
_COUNTING: Final = {"mpi_allreduce": 1, "mpi_allgather": 3, "mpi_alltoall": 3}  # argument that receives ranks' counts
_COMPARING: Final = frozenset(("==", "!=", "<", "<=", ">", ">=", "&&", "||", "!"))
_ORDERING: Final = frozenset(("<", "<=", ">", ">="))


class Ranks:
    """Determines which variables in a set of files hold the rank.

    Args:
        calls: The calls in these files.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._named: dict[tuple[int, int], dict[str, tuple[str, bool]]] = {}

    def names(self, source: SourceFile, procedure: Procedure) -> dict[str, tuple[str, bool]]:
        """Map each variable's name to what it holds (``rank`` or ``size``) and whether this is certain."""
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

    def has_alike(self, procedure: Procedure, name: str) -> bool:
        """Return whether a variable is equal on all ranks, because its value was sent to all of them."""
        return (id(procedure), name) in self._shared

    def is_counted_by_others(self, procedure: Procedure, name: str) -> bool:
        """Return whether an array holds counts from other ranks, which do not show how the work is divided."""
        return (id(procedure), name) in self._counted_by_others

    def of_lower(self, procedure: Procedure, name: str) -> list[Definition]:
        """Return the assignments to a variable that are executed only if a comparison of ranks is true."""
        return self._of_lower.get(id(procedure), {}).get(name, [])

    @cached_property
    def _shared(self) -> frozenset[tuple[int, str]]:
        return frozenset(
            (id(procedure), variable.operand.name)
            for function, at in _SHARING.items()
            for procedure, variable in self._calls.given(function, at)
            if isinstance(variable, Unary) and isinstance(variable.operand, Name)
        )

    @cached_property
    def _counted_by_others(self) -> frozenset[tuple[int, str]]:
        return frozenset(
            (id(procedure), base.name)
            for function, at in _COUNTING.items()
            for procedure, variable in self._calls.given(function, at)
            if (base := base_of(pointed_at(variable)))
        )

    @cached_property
    def _asking(self) -> dict[int, list[tuple[str, str]]]:
        """Id of a procedure → the variables that it gets from MPI, each with ``rank`` or ``size``."""
        found: dict[int, list[tuple[str, str]]] = {}
        for function, arguments in _ASKING.items():
            for at, what in arguments.items():
                for procedure, variable in self._calls.given(function, at):
                    inner = pointed_at(variable)
                    if isinstance(inner, Name):
                        found.setdefault(id(procedure), []).append((inner.name, what))
        return found

    @cached_property
    def _places(self) -> dict[int, list[tuple[str, str]]]:
        """Id of a procedure → its variables that hold the rank's position in a grid: ``mod(rank, columns)``."""
        found: dict[int, list[tuple[str, str]]] = {}
        everywhere = {name for asked in self._asking.values() for name, what in asked if what == RANK}
        for source, procedure in self._calls.everywhere:
            asked = {name for name, what in self._asking.get(id(procedure), ()) if what == RANK}
            shared = {each.name for each in (*procedure.declarations, *source.declarations) if each.outlives}
            ranks = asked | (everywhere & shared)
            for statement, _ in statements(procedure.body) if ranks else ():
                match statement:
                    case Assignment(target=Name(name=name) | ArrayRef(array=Name(name=name)), value=value, operator=""):
                        if not isinstance(value, Name) and _is_place(value, ranks):
                            ranks.add(name)
                            found.setdefault(id(procedure), []).append((name, RANK))
        return found

    @cached_property
    def _asked_of_all(self) -> dict[str, str]:
        """The global variables that hold the rank or the number of ranks."""
        found = {}
        for source, procedure in self._calls.everywhere:
            own = {each.name for each in (*source.declarations, *procedure.declarations) if each.outlives}
            asked = (*self._places.get(id(procedure), ()), *self._asking.get(id(procedure), ()))
            found.update({name: what for name, what in asked if name in own})
        return found

    @cached_property
    def _of_lower(self) -> dict[int, dict[str, list[Definition]]]:
        """The assignments that are executed only if a comparison of ranks is true, by procedure and variable."""
        found: dict[int, dict[str, list[Definition]]] = {}
        for source, procedure in self._calls.everywhere:
            ranks = {name for name, (what, _) in self.names(source, procedure).items() if what == RANK}
            for statement, _ in statements(procedure.body) if ranks else ():
                if isinstance(statement, Branch) and any(_orders(arm.condition, ranks) for arm in statement.arms):
                    of_procedure = found.setdefault(id(procedure), {})
                    for name, definition in _assigned(statement):
                        of_procedure.setdefault(name, []).append(definition)
        return found


def counted(expression: Expression) -> Iterator[str]:
    """Yield the names in an expression, except those that are only compared: a comparison does not divide work."""
    if isinstance(expression, Name):
        yield expression.name
    elif not isinstance(expression, Opaque) and getattr(expression, "operator", "") not in _COMPARING:
        for each in parts(expression):
            yield from counted(each)


def names_in(expression: Expression) -> Iterator[str]:
    """Yield the names in an expression."""
    return (each.name for each in walk(expression) if isinstance(each, Name))


def _assigned(branch: Branch) -> Iterator[tuple[str, Definition]]:
    for arm in branch.arms:
        for statement, _ in statements(arm.body):
            match statement:
                case Assignment(target=Name(name=name) | ArrayRef(array=Name(name=name)) as target, value=value):
                    yield name, (target, value, statement.line)


def _is_place(value: Expression, ranks: set[str]) -> bool:
    """Return whether a value is the rank's position in a grid: its quotient or remainder, counted from 0 or 1."""
    match value:
        case Name(name=name):
            return name in ranks
        case Binary(operator="/" | "%", left=left, right=right):
            return _is_place(left, ranks) and ranks.isdisjoint(names_in(right))
        case Call(name="mod" | "modulo", arguments=(left, right)):
            return _is_place(left, ranks) and ranks.isdisjoint(names_in(right))
        case Binary(operator="+" | "-", left=left, right=Number()):
            return _is_place(left, ranks)
        case Binary(operator="-", left=left, right=Binary(operator="*", left=row, right=columns)):
            return _is_place(left, ranks) and (_is_place(row, ranks) or _is_place(columns, ranks))
    return False


def _orders(condition: Expression | None, ranks: set[str]) -> bool:
    """Return whether a condition tests for a rank below a limit."""
    match condition:
        case Binary(operator="&&" | "||", left=left, right=right):
            return _orders(left, ranks) or _orders(right, ranks)
        case Unary(operator="!", operand=operand):
            return _orders(operand, ranks)
        case Binary(operator=operator, left=left, right=right) if operator in _ORDERING:
            sides = (side for side in (left, right) if not any(map(_is_read, walk(side))))
            return any(not ranks.isdisjoint(counted(side)) for side in sides)
    return False


def _is_read(expression: Expression) -> bool:
    return isinstance(expression, ArrayRef | Deref)
