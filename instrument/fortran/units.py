"""Find the program units of a source: procedures with statements and outermost loops, and their nesting."""

from __future__ import annotations

from functools import cached_property
from typing import Final, NamedTuple

from ..expression import expression
from .lines import Directive, Statement
from .meaning import Kind, Meaning, header_without_blanks, meaning_of

__all__ = ["Loop", "Procedure", "Step", "StructureError", "find_procedures"]

_HEADERS: Final = {Kind.PROGRAM, Kind.MODULE, Kind.SUBMODULE, Kind.BLOCK_DATA, Kind.SUBROUTINE, Kind.FUNCTION}
_WORKSHARE: Final = expression(r"(?P<end>end)?(?:parallel)?workshare")
_INCLUDE: Final = ("include'", 'include"')  # INCLUDE lines remain in the text if their files were not found
# fmt: off
_EXECUTABLE: Final = {
    Kind.CONSTRUCT, Kind.END_CONSTRUCT, Kind.DO, Kind.END_DO, Kind.IF, Kind.ASSIGNMENT, Kind.CALL,
    Kind.CONTINUE, Kind.GOTO, Kind.COMPUTED_GOTO, Kind.ASSIGNED_GOTO, Kind.RETURN, Kind.STOP, Kind.EXIT,
    Kind.CYCLE, Kind.BRANCH, Kind.EXECUTABLE,
}
# fmt: on


class StructureError(Exception):
    """Raised for a statement that is not allowed at its position."""

    def __init__(self, statement: Statement, message: str) -> None:
        super().__init__(message)
        self.statement = statement


class Step:
    """A statement of a procedure, with the constructs around it.

    Attributes:
        place: Number of the statement in the procedure.
        statement: The statement.
        meaning: Meaning of the statement.
        directives: The directives between the previous statement and this one.
        loop: Number of the outermost loop that contains the statement, even as its first or last statement; -1 if none
            does.
        constructs: Names of the constructs around the statement, outermost first; empty texts for unnamed constructs.
        around: Numbers of the first statements of the constructs that are open at this statement, outermost first.
    """

    def __init__(self, place: int, statement: Statement, meaning: Meaning, directives: tuple[Directive, ...]) -> None:
        self.place = place
        self.statement = statement
        self.meaning = meaning
        self.directives = directives
        self.loop = -1
        self.constructs: tuple[str, ...] = ()
        self.around: tuple[int, ...] = ()

    @property
    def is_executable(self) -> bool:
        """Whether the statement is executed, rather than a declaration."""
        return self.meaning.kind in _EXECUTABLE


class Loop:
    """A loop: the numbers, within the procedure, of its first and last statement."""

    def __init__(self, first: int, last: int = -1) -> None:
        self.first = first
        self.last = last


class Procedure:
    """A main program, subroutine or function.

    Attributes:
        header: The first statement, such as SUBROUTINE; in a main program without PROGRAM, it is of any kind.
        meaning: Meaning of the header.
        name: Name of the procedure with the names of enclosing units: ``module::procedure``.
        steps: The statements after the header, up to and including CONTAINS or END.
        loops: The outermost loops, in order.
        ends: Number of a loop's first statement → number of its last statement; if loops share a last statement, only
            the outermost of them is included.
        has_host: Whether another unit contains the procedure.
        specified: Specification statements of each enclosing unit, outermost first, and of the procedure.
        end: The END statement.
        includes_unseen: Whether an INCLUDE line in the procedure names a file that was not found.
    """

    def __init__(
        self,
        header: Statement,
        meaning: Meaning,
        name: str,
        specified: tuple[list[Statement], ...],
        *,
        has_host: bool,
    ) -> None:
        self.header = header
        self.meaning = meaning
        self.name = name
        self.has_host = has_host
        self.specified = specified
        self.steps: list[Step] = []
        self.loops: list[Loop] = []
        self.ends: dict[int, int] = {}
        self.end: Statement | None = None
        self.includes_unseen = False

    @cached_property
    def jumps(self) -> dict[str, list[Step]]:
        """Label → the statements that may jump to it."""
        jumps: dict[str, list[Step]] = {}
        for step in self.steps:
            for label in step.meaning.jumps:
                jumps.setdefault(label, []).append(step)
        return jumps

    @cached_property
    def workshared(self) -> list[tuple[int, int]]:
        """Offsets at which each OpenMP WORKSHARE begins and ends; it allows only assignments."""
        found: list[tuple[int, int]] = []
        begin = -1
        for directive in (each for step in self.steps for each in step.directives if each.sentinel == "omp"):
            match = _WORKSHARE.match(directive.text.replace(" ", ""))
            if match and match["end"] and begin >= 0:
                found.append((begin, directive.start))
            begin = begin if match is None else -1 if match["end"] else directive.start
        return found

    @property
    def is_program(self) -> bool:
        """Whether the procedure is the main program."""
        return self.meaning.kind not in {Kind.SUBROUTINE, Kind.FUNCTION}


def find_procedures(items: tuple[Statement | Directive, ...]) -> list[Procedure]:
    """Return the procedures in a source, in order.

    Raises:
        StructureError: A unit or construct is opened but not closed, or vice versa.
    """
    return _Builder().build(items)


class _Unit:
    """An open unit, and its procedure if the unit is one."""

    def __init__(
        self,
        header: Statement,
        name: str,
        procedure: Procedure | None,
        specified: tuple[list[Statement], ...],
    ) -> None:
        self.header = header
        self.name = name
        self.procedure = procedure
        self.specified = specified
        self.contains = False  # whether CONTAINS has been read


class _Construct(NamedTuple):
    """A construct that has begun and not ended yet."""

    statement: Statement
    meaning: Meaning
    place: int


class _Builder:
    """Finds procedures and their loops in one pass over the statements, with stacks of open units and constructs."""

    def __init__(self) -> None:
        self.procedures: list[Procedure] = []
        self.units: list[_Unit] = []
        self.constructs: list[_Construct] = []
        self.skipped: _Construct | None = None  # an interface block or a type definition
        self.directives: list[Directive] = []

    def build(self, items: tuple[Statement | Directive, ...]) -> list[Procedure]:
        for item in items:
            if isinstance(item, Directive):
                self.directives.append(item)
            else:
                self._statement(item)
        if self.skipped:
            raise _unended(self.skipped)
        self._expect_no_construct()
        if self.units:
            raise StructureError(self.units[-1].header, "this program unit has no END")
        return self.procedures

    def _expect_no_construct(self) -> None:
        if self.constructs:
            raise _unended(self.constructs[-1])

    def _statement(self, statement: Statement) -> None:
        meaning = meaning_of(statement)
        if self.skipped is not None:
            if meaning.kind is Kind.END_SPECIFICATION and meaning.word == self.skipped.meaning.word:
                self.skipped = None
            self.directives.clear()
            return
        if meaning.kind is Kind.SPECIFICATION and (not self.units or self.units[-1].contains):
            meaning = header_without_blanks(statement) or meaning
        if meaning.kind in {Kind.INTERFACE, Kind.TYPE}:
            self._open_main(statement)
            self.skipped = _Construct(statement, meaning, -1)
        elif meaning.kind in _HEADERS:
            self._header(statement, meaning)
        elif statement.code.startswith(_INCLUDE):
            if self.units and self.units[-1].procedure:
                self.units[-1].procedure.includes_unseen = True
        else:
            self._open_main(statement)
            self._inside(statement, meaning)
        self.directives.clear()

    def _open_main(self, statement: Statement) -> None:
        """Begin a main program without PROGRAM at a statement outside all units."""
        if not self.units:
            self._open(statement, Meaning(Kind.PROGRAM, "main"))

    def _header(self, statement: Statement, meaning: Meaning) -> None:
        self._expect_no_construct()
        if self.units and not self.units[-1].contains:
            raise StructureError(self.units[-1].header, "this program unit has no END")
        self._open(statement, meaning)

    def _open(self, statement: Statement, meaning: Meaning) -> None:
        name = "::".join([*(unit.name for unit in self.units[-1:] if unit.name), meaning.name])
        specified: tuple[list[Statement], ...] = (*(self.units[-1].specified if self.units else ()), [])
        procedure = None
        if meaning.kind in {Kind.PROGRAM, Kind.SUBROUTINE, Kind.FUNCTION}:
            procedure = Procedure(statement, meaning, name, specified, has_host=bool(self.units))
            self.procedures.append(procedure)
        self.units.append(_Unit(statement, name, procedure, specified))

    def _inside(self, statement: Statement, meaning: Meaning) -> None:
        unit = self.units[-1]
        kind = meaning.kind
        if kind is Kind.END_UNIT and self.constructs and self.constructs[-1].meaning.word == "block":
            # END BLOCK DATABASE ends a BLOCK named DATABASE, not a unit BLOCK DATA.
            kind, meaning = Kind.END_CONSTRUCT, Meaning(Kind.END_CONSTRUCT, word="block")
        if kind in {Kind.END_UNIT, Kind.CONTAINS}:
            self._expect_no_construct()
        if kind is Kind.CONTAINS:
            if unit.contains:
                raise StructureError(statement, "a second CONTAINS")
            self._last_step(unit, statement, meaning)
            unit.contains = True
        elif kind is Kind.END_UNIT:
            if not unit.contains:
                self._last_step(unit, statement, meaning)
            if unit.procedure:
                unit.procedure.end = statement
            self.units.pop()
        elif unit.contains:
            raise StructureError(statement, "a statement between CONTAINS and the next procedure")
        else:
            if kind is Kind.SPECIFICATION:
                unit.specified[-1].append(statement)
            if unit.procedure:
                self._step(unit.procedure, statement, meaning)

    def _last_step(self, unit: _Unit, statement: Statement, meaning: Meaning) -> None:
        if unit.procedure:
            steps = unit.procedure.steps
            steps.append(Step(len(steps), statement, meaning, tuple(self.directives)))

    def _step(self, procedure: Procedure, statement: Statement, meaning: Meaning) -> None:
        place = len(procedure.steps)
        step = Step(place, statement, meaning, tuple(self.directives))
        step.around = tuple(construct.place for construct in self.constructs)
        procedure.steps.append(step)
        if meaning.kind in {Kind.DO, Kind.CONSTRUCT}:
            if meaning.kind is Kind.DO and not self._in_loop():
                procedure.loops.append(Loop(place))
            self.constructs.append(_Construct(statement, meaning, place))
        step.constructs = tuple(construct.meaning.name for construct in self.constructs)
        step.loop = len(procedure.loops) - 1 if self._in_loop() else -1
        was_open = list(self.constructs)
        if meaning.kind is Kind.END_CONSTRUCT:
            self._close(statement, meaning)
        elif meaning.kind is Kind.END_DO:
            self._close_do(statement)
        if statement.label:
            self._terminate(statement)
        closed = was_open[len(self.constructs) :]
        if closed and closed[0].meaning.kind is Kind.DO:
            procedure.ends[closed[0].place] = place
        if step.loop >= 0 and not self._in_loop():
            procedure.loops[step.loop].last = place

    def _in_loop(self) -> bool:
        return any(construct.meaning.kind is Kind.DO for construct in self.constructs)

    def _close(self, statement: Statement, meaning: Meaning) -> None:
        top = self.constructs[-1].meaning if self.constructs else None
        if top is None or top.word != meaning.word:
            raise StructureError(statement, f"END {meaning.word.upper()} without a matching {meaning.word.upper()}")
        self.constructs.pop()

    def _close_do(self, statement: Statement) -> None:
        top = self.constructs[-1].meaning if self.constructs else None
        if top is None or top.kind is not Kind.DO or (top.terminal and top.terminal != statement.label):
            raise StructureError(statement, "END DO without a matching DO")
        if not top.terminal:
            self.constructs.pop()

    def _terminate(self, statement: Statement) -> None:
        """End the loops whose last statement has this statement's label; several loops may share it."""
        while self.constructs and self.constructs[-1].meaning.terminal == statement.label:
            self.constructs.pop()
        if any(construct.meaning.terminal == statement.label for construct in self.constructs):
            raise StructureError(statement, "a loop ends while a construct that began inside it is still open")


def _unended(opened: _Construct) -> StructureError:
    meaning = opened.meaning
    if meaning.terminal:
        return StructureError(opened.statement, f"no statement labelled {meaning.terminal} ends this DO loop")
    word = "DO" if meaning.kind is Kind.DO else meaning.word.upper()
    return StructureError(opened.statement, f"{word} without END {word}")
