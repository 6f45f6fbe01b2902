"""Find the calls to procedures in all files that were read, with their callers, arguments and results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from .effects import expressions_of
from .expression import Call, Expression, Name, Unary, walk
from .nest import Assignment, CallStatement, Jump, Loop, Procedure, SourceFile, Statement, statements

__all__ = ["RECEIVES", "SENDS", "Calling", "Calls", "Where", "argument", "bare", "calls_in", "pointed_at"]

RECEIVES: Final = frozenset(("mpi_recv", "mpi_irecv"))
SENDS: Final = frozenset(("mpi_send", "mpi_isend", "mpi_ssend", "mpi_bsend", "mpi_rsend"))


class Where(NamedTuple):
    """A procedure and its file."""

    source: SourceFile
    procedure: Procedure


@dataclass(frozen=True)
class Calling:
    """A call to a procedure.

    Attributes:
        source: The file of the call.
        procedure: The caller.
        call: The call.
        line: The line of the call.
        loops: The loops that contain the call, outermost first.
    """

    source: SourceFile
    procedure: Procedure
    call: Call
    line: int
    loops: tuple[Loop, ...]


class Calls:
    """Finds the calls in a set of files.

    Args:
        sources: The files.

    Attributes:
        everywhere: The procedures of all files.
    """

    def __init__(self, sources: Sequence[SourceFile]) -> None:
        self.everywhere = tuple(Where(source, procedure) for source in sources for procedure in source.procedures)

    def of(self, procedure: Procedure) -> tuple[Calling, ...]:
        """Return the calls to a procedure."""
        return tuple(self._by_name.get(bare(procedure.name), ()))

    def of_functions(self, names: frozenset[str]) -> Iterator[Calling]:
        """Yield the calls to functions; ``names`` are in lower case."""
        return (each for name in sorted(names) for each in self._by_name.get(name, ()))

    def given(self, function: str, at: int) -> Iterator[tuple[Procedure, Expression]]:
        """Yield, for each call to a function, the caller and the argument at position ``at``."""
        for calling in self._by_name.get(function, ()):
            if (value := argument(calling.call, at)) is not None:
                yield calling.procedure, value

    def does(self, statement: Statement, functions: frozenset[str]) -> bool:
        """Return whether a statement calls one of ``functions``, directly or through a procedure that was read."""
        called = {bare(each.name) for each in calls_in(statement)}
        doing = (bare(each.procedure.name) for each in self.of_functions(functions))
        return bool(called & functions) or any(each in called for each in doing)

    def results(self, call: Call) -> list[tuple[Where, Expression, int]]:
        """Return each value that a function may return, with procedure and line; empty if the function was not read."""
        found = []
        for where in self.everywhere:
            function = where.procedure
            if bare(function.name) == bare(call.name) and len(function.arguments) >= len(call.arguments):
                for statement, _ in statements(function.body):
                    match statement:
                        case Jump(kind="return", value=value) if value is not None:
                            found.append((where, value, statement.line))
                        case Assignment(target=Name(name=name), value=value) if name == function.name:
                            found.append((where, value, statement.line))
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[Calling]]:
        found: dict[str, list[Calling]] = {}
        for source, procedure in self.everywhere:
            for statement, loops in statements(procedure.body):
                for call in calls_in(statement):
                    calling = Calling(source, procedure, call, call.line or statement.line, loops)
                    found.setdefault(bare(call.name), []).append(calling)
        return found


def argument(call: Call, at: int) -> Expression | None:
    """Return the argument at a position; None if the call has fewer arguments."""
    return call.arguments[at] if at < len(call.arguments) else None


def pointed_at(value: Expression) -> Expression:
    """Return the object whose address is passed as an argument; other arguments are returned unchanged."""
    return value.operand if isinstance(value, Unary) else value


def bare(name: str) -> str:
    """Return a name without its scope, in lower case because Fortran ignores case."""
    return name.rpartition("::")[2].partition("<")[0].lower()


def calls_in(statement: Statement) -> Iterator[Call]:
    """Yield the calls directly in a statement, but not the calls in its body."""
    if isinstance(statement, CallStatement):
        yield from (each for each in walk(statement.call) if isinstance(each, Call))
    else:
        for expression in expressions_of(statement):
            yield from (each for each in walk(expression) if isinstance(each, Call))
