"""Convert single statements to those of ``nest.py``: assignments, calls, input and output, allocations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...instrument.expression import expression
from ...instrument.fortran.declarations import entities
from ...instrument.fortran.lines import Statement as Written
from ...instrument.fortran.meaning import Kind, Meaning
from ...instrument.line_markers import MarkedText
from ..expression import ArrayRef, Call, Expression, Name, Number, Opaque, Section, Unary
from ..nest import (
    Allocation,
    Arm,
    Assignment,
    Block,
    Branch,
    CallStatement,
    InputOutput,
    Jump,
    Loop,
    OtherStatement,
    Statement,
)
from .expressions import Reader, UnreadableError, shallow
from .places import Places
from .scope import Scope

__all__ = ["Line"]

_NAMED: Final = expression(r"\w+:(?=do|if\(|select|block$|associate\(|where\(|forall\(|critical|changeteam)")
_IO: Final = expression(r"(?P<word>read|write|print|open|close|inquire|backspace|rewind|endfile|flush|wait)")
_ACTIONS: Final = {"print": "write", "backspace": "rewind", "endfile": "write", "wait": "flush"}
_FORMATS: Final = frozenset({"fmt", "nml"})
_RECORDS: Final = frozenset({"rec", "pos"})
_HOW_OPENED: Final = frozenset({"position", "access"})
_MEMORY: Final = expression(r"(allocate|deallocate)\(")
_KEY: Final = expression(r"([a-z]+)=(?!=)")
_POSITIONS: Final = {0: "unit", 1: "fmt"}
_INDEX: Final = expression(r"(?:[a-z()0-9*=_]*::)?([a-z]\w*)=(?!=)")


class Line:
    """A statement of a procedure and its parser.

    Args:
        statement: The statement.
        meaning: The statement's classification.
        text: The source that contains the statement.
        scope: The names that are visible in the statement.
    """

    def __init__(self, statement: Written, meaning: Meaning, text: MarkedText, scope: Scope) -> None:
        self.code = statement.code
        self.meaning = meaning
        self.scope = scope
        self.places = Places(statement, text)
        match = _NAMED.match(self.code)
        self.start = match.end() if match else 0
        self.line, self.column = self.places.at(0)

    def reader(self, first: int, last: int | None = None) -> Reader:
        """Return a reader for a part of the statement."""
        return Reader(self.code, self.places, self.scope, first, last)

    def whole(self, first: int, last: int | None = None) -> Expression:
        """Parse an expression; if that fails, return only its names."""
        try:
            return self.reader(first, last).whole()
        except UnreadableError:
            return self._unread(first, last)

    def _unread(self, first: int = 0, last: int | None = None) -> Expression:
        names = self.reader(first, last).names()
        return Opaque(names, line=self.line, column=self.column)

    def inside(self, first: int) -> tuple[Expression, int]:
        """Parse the expression in the parentheses at an index; also return the index after them."""
        end = self.closing(first)
        return self.whole(first + 1, end), end + 1

    def closing(self, opening: int) -> int:
        """Return the index of the closing parenthesis; the end if there is none."""
        depth = 0
        for at in range(opening, len(self.code)):
            depth += (self.code[at] in "([") - (self.code[at] in ")]")
            if depth == 0:
                return at
        return len(self.code)

    def read(self) -> list[Statement]:
        """Convert a statement that is neither a construct nor part of one."""
        if self.meaning.kind is Kind.IF and self.meaning.action:
            condition, after = self.inside(self.start + 2)
            body = tuple(self._simple(self.meaning.action, after))
            return [Branch((Arm(condition, body),), self.line, line=self.line, column=self.column)] if body else []
        return self._simple(self.meaning, self.start)

    def _simple(self, meaning: Meaning, at: int) -> list[Statement]:
        if self.code.startswith(("where(", "forall("), at):
            return self._masked(at)
        try:
            found = self._action(meaning, at)
        except UnreadableError:
            found = [self.other(at)]
        leaves = meaning.kind in {Kind.CALL, Kind.EXECUTABLE}
        return [*found, *(self._left_for(label, at) for label in dict.fromkeys(meaning.targets) if leaves)]

    def other(self, at: int = 0) -> OtherStatement:
        """Return a placeholder for a statement that cannot be parsed; it contains only the names."""
        place = self.places.at(at)
        return OtherStatement((self._unread(at),), line=place.line, column=place.column)

    def _left_for(self, label: str, at: int) -> Branch:
        """Return the jump that an I/O statement may make when it ends, as with ``ERR=90``."""
        place = self.places.at(at)
        jump = Jump("goto", label=label, line=place.line, column=place.column)
        return Branch((Arm(Opaque(changes=False), (jump,)),), place.line, line=place.line, column=place.column)

    def _action(self, meaning: Meaning, at: int) -> list[Statement]:  # noqa: PLR0911 - one case per kind
        place = self.places.at(at)
        line, column = place
        match meaning.kind:
            case Kind.ASSIGNMENT:
                return [self.assignment(at)]
            case Kind.CALL:
                return [CallStatement(self._call(at + len("call")), line=line, column=column)]
            case Kind.GOTO if len(meaning.targets) == 1:
                return [Jump("goto", label=meaning.targets[0], line=line, column=column)]
            case Kind.GOTO | Kind.COMPUTED_GOTO | Kind.ASSIGNED_GOTO:
                jumps = (Jump("goto", label=each, line=line, column=column) for each in meaning.targets)
                arms = tuple(Arm(Opaque(changes=False), (jump,)) for jump in jumps)
                return [self.other(at), *([Branch(arms, line, line=line, column=column)] if arms else [])]
            case Kind.RETURN:
                return [Jump("return", line=line, column=column)]
            case Kind.STOP:
                return [Jump("stop", line=line, column=column)]
            case Kind.EXIT | Kind.CYCLE:
                kind = "exit" if meaning.kind is Kind.EXIT else "cycle"
                return [Jump(kind, label=meaning.name, line=line, column=column)]
            case Kind.EXECUTABLE:
                return [self._executable(at)]
            case Kind.CONTINUE:
                return []
        return [self.other(at)]

    def assignment(self, at: int) -> Statement:
        """Parse an assignment of a value or a pointer.

        Raises:
            UnreadableError: The statement is not an assignment.
        """
        reader = self.reader(at)
        target = reader.reference()
        line, column = self.places.at(at)
        is_pointer = reader.takes("=>")
        if not is_pointer:
            reader.expects("=")
        value = reader.whole()
        if isinstance(target, Call):  # a function that returns a pointer or an undeclared array
            target = ArrayRef(Name(target.name, line=line, column=column), target.arguments, line=line, column=column)
        if is_pointer and not isinstance(value, Call) and not self.scope.is_pointer(value):
            value = Unary("&", value, line=value.line, column=value.column)
        return Assignment(shallow(target), value, line=line, column=column)

    def _call(self, at: int) -> Call:
        reader = self.reader(at)
        line, column = self.places.at(at)
        token = reader.token
        name = token.text
        if token.kind == "name" and reader.ahead.text in {"(", ""}:
            reader = self.reader(token.at + len(name))
            arguments = reader.arguments() if reader.takes("(") else ()
            if reader.token.kind == "end":
                keywords = reader.keywords if arguments and any(reader.keywords) else ()
                call = Call(name, arguments, keywords=keywords, line=line, column=column)
                shallow(call)
                return call
        found = self.reader(at).whole()
        match found:
            case ArrayRef(array=array, subscripts=arguments):
                name, on = getattr(array, "name", ""), getattr(array, "structure", None)
                return Call(name, arguments, on=on, line=line, column=column)
            case Call():
                return found
        return Call(getattr(found, "name", ""), on=getattr(found, "structure", None), line=line, column=column)

    def _executable(self, at: int) -> Statement:
        if (match := _MEMORY.match(self.code, at)) is not None:
            return self._memory(match[1], match.end())
        if self.code.startswith("nullify(", at):
            place = self.places.at(at)
            names, _ = self._listed(at + len("nullify("))
            return OtherStatement(names, line=place.line, column=place.column)
        if (match := _IO.match(self.code, at)) is not None:
            return self._input_output(match["word"], at + len(match["word"]))
        return self.other(at)

    def _memory(self, word: str, at: int) -> Statement:
        targets: list[Expression] = []
        sizes: list[Expression] = []
        colons = self.code.find("::", at)
        is_typed = colons >= 0 and "(" not in self.code[at:colons]
        reader = self.reader(colons + 2 if is_typed else at, self.closing(at - 1))
        while reader.token.kind != "end":
            if targets:
                reader.expects(",")
            if reader.token.kind == "name" and reader.ahead.text == "=":
                break  # ``STAT=``, ``SOURCE=`` and the like follow the list
            target = reader.reference()
            match target:
                case ArrayRef(array=array, subscripts=subscripts):
                    targets.append(array)
                    sizes += map(self._size, subscripts)
                case Call(name=name, arguments=arguments):
                    targets.append(Name(name, line=target.line, column=target.column))
                    sizes += map(self._size, arguments)
                case _:
                    targets.append(target)
        return Allocation(tuple(targets), tuple(sizes), word == "deallocate", word, line=self.line, column=self.column)

    def _size(self, bounds: Expression) -> Expression:
        """Return the number of elements between bounds."""
        if isinstance(bounds, Section) and bounds.first is not None and bounds.last is not None:
            return self.scope.extent(bounds.first, bounds.last)
        return bounds

    def _listed(self, at: int) -> tuple[tuple[Expression, ...], int]:
        """Parse the rest of a parenthesised list after its opening parenthesis; also return the index after it."""
        end = self.closing(at - 1)
        return self._items(at, end), end + 1

    def _items(self, first: int, last: int | None = None) -> tuple[Expression, ...]:
        """Parse a list of expressions."""
        reader = self.reader(first, last)
        found: list[Expression] = []
        while reader.token.kind != "end":
            if found:
                reader.expects(",")
            found.append(shallow(reader.expression()))
        return tuple(found)

    def _input_output(self, word: str, at: int) -> Statement:
        place = self.places.at(at - len(word))
        unit: Expression | None = None
        items: tuple[Expression, ...] = ()
        is_formatted, record = False, None
        if self.code.startswith("(", at):
            end = self.closing(at)
            unit, is_formatted, record, names = self._controls(at + 1, end, word)
            items = (*self._items(end + 1), *names)
        elif word in {"print", "read"}:
            is_formatted = True
            items = tuple(self.whole(*each) for each in list(self.cuts(at, len(self.code)))[1:])
        elif at < len(self.code):
            unit = self.whole(at)
        action = _ACTIONS.get(word, word)
        return InputOutput(action, unit, items, is_formatted, word, record, line=place.line, column=place.column)

    def cuts(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each item of a list whose items are separated by commas outside parentheses."""
        for each in entities(self.code[first:last]):
            yield first, first + len(each)
            first += len(each) + 1

    def _controls(
        self, first: int, last: int, word: str
    ) -> tuple[Expression | None, bool, Expression | None, list[Expression]]:
        """Parse the parentheses of an I/O statement.

        Return the unit, whether data are formatted, the record, and the items that name the file and define how it is
        opened.
        """
        unit: Expression | None = None
        record: Expression | None = None
        is_formatted = False
        names: list[Expression] = []
        for number, (start, end) in enumerate(self.cuts(first, last)):
            match = _KEY.match(self.code, start, end)
            key = match[1] if match else _POSITIONS.get(number, "")
            value = match.end() if match else start
            if key == "unit" and self.code[value:end] != "*":
                unit = self.whole(value, end)
            elif key in _FORMATS and word in {"read", "write"}:
                is_formatted = True
            elif key in _RECORDS and word in {"read", "write"}:
                record = self.whole(value, end)
            elif key == "file" or (key in _HOW_OPENED and word == "open"):
                names.append(self.whole(value, end))
        return unit, is_formatted, record, names

    def _masked(self, at: int) -> list[Statement]:
        """Parse WHERE and FORALL with one assignment."""
        word = "where" if self.code.startswith("where", at) else "forall"
        end = self.closing(at + len(word))
        try:
            inner = self.assignment(end + 1)
        except UnreadableError:
            return [self.other(at)]
        if word == "forall":
            return [self.concurrent(at + len(word), (inner,), self.line)]
        condition = self.whole(at + len(word) + 1, end)
        return [Branch((Arm(condition, (inner,)),), self.line, line=self.line, column=self.column)]

    def concurrent(
        self, opening: int, body: tuple[Statement, ...], last_line: int, directive: str = "", label: str = ""
    ) -> Statement:
        """Return the loops of DO CONCURRENT or FORALL; the first index varies fastest, as in gfortran.

        Args:
            opening: Index of the parenthesis before the indices.
            body: The loop's body.
            last_line: Last line of the loop.
            directive: The directives above the loop.
            label: The loop's name.
        """
        loops: list[tuple[Name, Expression | None, Expression | None, Expression | None]] = []
        masks: list[Expression] = []
        for start, end in self.cuts(opening + 1, self.closing(opening)):
            match = _INDEX.match(self.code, start, end)
            if match is None:
                masks.append(self.whole(start, end))
                continue
            place = self.places.at(match.start(1))
            variable = Name(match[1], line=place.line, column=place.column)
            bounds = list(_colons(self.code, match.end(), end))
            first, last, step = ([self.whole(*each) for each in bounds] + [None, None, None])[:3]
            loops.append((variable, first, last, step or Number(1)))
        found = body
        for mask in masks:
            found = (Branch((Arm(mask, found),), last_line, line=self.line, column=self.column),)
        for number, (variable, first, last, step) in enumerate(loops):
            is_outermost = number == len(loops) - 1
            found = (
                Loop(
                    found, variable, first, last, step, None, last_line, directive if is_outermost else "",
                    is_concurrent=True, label=label if is_outermost else "", line=self.line, column=self.column,
                ),
            )  # fmt: skip
        return found[0] if len(found) == 1 else Block(found, last_line=last_line, line=self.line, column=self.column)


def _colons(code: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each part between colons outside parentheses."""
    depth = 0
    for at in range(first, last):
        depth += (code[at] in "([") - (code[at] in ")]")
        if depth == 0 and code[at] == ":":
            yield first, at
            first = at + 1
    yield first, last
