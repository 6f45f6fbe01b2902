"""Find where a value derives from the rank, by tracing it back through assignments, arguments, results and fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from .calls import RECEIVES, SENDS, Calls, Where, argument, pointed_at
from .definitions import Definition, Definitions
from .expression import ArrayRef, Call, Deref, Expression, FieldRef, Name, base_of, parts, walk
from .nest import Procedure, SourceFile
from .ranks import RANK, SIZE, Ranks, counted, names_in

__all__ = ["Origin", "Origins"]

_PARTNER, _TAG = 3, 4  # argument positions, the same in MPI_Send and MPI_Recv
_DEEPEST: Final = 8  # limit on the number of steps back
_MOST: Final = 400  # limit on the number of examined names
_LENGTHS: Final = frozenset(("size", "length", "empty"))  # methods of containers


@dataclass(frozen=True)
class Origin:
    """The line where a value derives from the rank.

    Attributes:
        source: The file.
        line: The line.
        target: The variable to which the value is assigned; None if the value is a function's result.
        value: The expression with the rank.
        is_known: Whether the rank certainly comes from MPI; otherwise only its name suggests it.
        has_size: Whether the expression also contains the number of ranks.
        is_table: Whether the rank is an index into a table.
        through: Files and lines of the intermediate steps, starting from the loop.
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
class _Trail:
    """The path by which a value has been traced back so far.

    Attributes:
        seen: The names examined, each with the id of its procedure.
        through: The files and lines passed.
        within: Name of the procedure in which the path began.
        before: The last line in this procedure on which a value can be assigned; 0 for no limit.
        at: The line in this procedure where the path began; 0 if unknown.
        is_whole: Whether only the length of an object is traced, so that assignments to its elements do not matter.
    """

    seen: frozenset[tuple[int, str]] = frozenset()
    through: tuple[tuple[SourceFile, int], ...] = ()
    within: str = ""
    before: int = 0
    at: int = 0
    is_whole: bool = False

    def has_seen(self, where: Where, name: str) -> bool:
        return (id(where.procedure), name) in self.seen

    def reaches(self, where: Where, line: int) -> bool:
        """Return whether a value assigned on a line can be used where the path began."""
        return not self.before or where.procedure.name != self.within or line <= self.before

    def ordered(self, where: Where, definitions: Sequence[Definition]) -> Sequence[Definition]:
        """Sort definitions of a variable: first those before the path's start, the nearest first, then all others."""
        if not self.at or where.procedure.name != self.within:
            return definitions
        return sorted(definitions, key=lambda each: (each[2] > self.at, -each[2] if each[2] <= self.at else each[2]))

    def past(self, where: Where, name: str) -> _Trail:
        return replace(self, seen=self.seen | {(id(where.procedure), name)})

    def by(self, source: SourceFile, line: int) -> _Trail:
        return replace(self, through=(*self.through, (source, line)))


class Origins:
    """Traces values through a set of files.

    Args:
        sources: The files, by name.

    Attributes:
        calls: The calls in the files.
        ranks: The variables in these files that hold the rank.
    """

    def __init__(self, sources: Mapping[str, SourceFile]) -> None:
        self.calls = Calls(tuple(sources.values()))
        self.ranks = Ranks(self.calls)
        self._left = _MOST
        self._definitions = Definitions()

    def of(
        self, expression: Expression, source: SourceFile, procedure: Procedure, *, before: int = 0, at: int = 0
    ) -> Origin | None:
        """Return the line where an expression derives from the rank; None if there is none, or if it is not found.

        Args:
            expression: The expression to trace.
            source: The file of the expression.
            procedure: The procedure of the expression.
            before: The last line on which a value that the expression uses can be assigned; 0 for no limit.
            at: The line that uses the expression; 0 if unknown.
        """
        self._left = _MOST
        return self._made(expression, Where(source, procedure), _Trail(within=procedure.name, before=before, at=at))

    def _made(self, expression: Expression, where: Where, trail: _Trail) -> Origin | None:
        """Return the origin of the first part of an expression that derives from the rank; None if there is none."""
        if len(trail.through) > _DEEPEST:
            return None
        for each in self._followed(expression):
            self._left -= 1
            if self._left < 0:
                return None
            found = None
            if (container := self._measured(each)) is not None:
                found = self._made(container, where, replace(trail, is_whole=True))
            elif isinstance(each, Name) and not trail.has_seen(where, each.name):
                found = self._of_name(each, where, trail.past(where, each.name))
            elif isinstance(each, Call):
                found = self._of_result(each, where, trail)
            elif isinstance(each, FieldRef):
                found = self._of_field(each, where, trail)
            if found:
                return found
        return None

    def _followed(self, expression: Expression) -> Iterator[Expression]:
        """Yield an expression and its subexpressions, outer ones first; a container's length counts as a whole."""
        yield expression
        if self._measured(expression) is None:
            for part in parts(expression):
                yield from self._followed(part)

    def _measured(self, expression: Expression) -> Expression | None:
        """Return the container if an expression is a container's length, such as ``cells.size()``; otherwise None."""
        if not isinstance(expression, Call) or expression.name not in _LENGTHS or any(self.calls.results(expression)):
            return None
        return expression.on

    def _of_name(self, name: Name, where: Where, trail: _Trail) -> Origin | None:
        if self.ranks.has_alike(where.procedure, name.name):
            return None
        for definition in trail.ordered(where, self._definitions.of(where.procedure, name)):
            if trail.reaches(where, definition[2]) and (found := self._of_value(definition, where, trail)):
                return found
        if name.name in where.procedure.arguments:
            at = where.procedure.arguments.index(name.name)
            for calling in self.calls.of(where.procedure):
                if at < len(calling.call.arguments):
                    outside = Where(calling.source, calling.procedure)
                    value = calling.call.arguments[at]
                    if found := self._of_value((None, value, calling.line), outside, trail):
                        return found
        if not trail.is_whole and (found := self._of_message(name, where, trail)):
            return found
        declaration = where.source.declaration(where.procedure, name.name)
        others = []
        if declaration is None or declaration.outlives:
            others = [each for each in self.calls.everywhere if each != where and _sees(each, name.name)]
        for other in others:
            for definition in self._definitions.of(other.procedure, name):
                if found := self._of_value(definition, other, trail):
                    return found
        conditional = (self._of_condition(each, name, trail) for each in (where, *others))
        return next((each for each in conditional if each is not None), None)

    def _of_condition(self, where: Where, name: Name, trail: _Trail) -> Origin | None:
        """Return the assignment of a value that only ranks below a limit get: ``if (rank < rest) n = n + 1``."""
        for target, value, line in self.ranks.of_lower(where.procedure, name.name):
            if trail.reaches(where, line):
                return Origin(where.source, line, target, value, False, False, False, trail.through)
        return None

    def _of_message(self, name: Name, where: Where, trail: _Trail) -> Origin | None:
        """Return the origin of a received variable: its sender may compute it from its own or its partner's rank."""
        for receive in self.calls.of_functions(RECEIVES):
            if receive.procedure is not where.procedure or _buffer(receive.call) != name:
                continue
            for send in self.calls.of_functions(SENDS):
                sent = _buffer(send.call)
                if sent is None or argument(send.call, _TAG) != argument(receive.call, _TAG):
                    continue
                outside = Where(send.source, send.procedure)
                partner = argument(send.call, _PARTNER)
                made_of = partner.name if isinstance(partner, Name) else ""
                onward = trail.past(outside, sent.name).by(receive.source, receive.line).by(send.source, send.line)
                for definition in self._definitions.of(send.procedure, sent):
                    if found := self._of_value(definition, outside, onward, partner=made_of):
                        return found
        return None

    def _of_value(self, definition: Definition, where: Where, trail: _Trail, *, partner: str = "") -> Origin | None:
        """Return the origin of an assigned value, which may contain or derive from the rank or a partner's rank."""
        target, value, line = definition
        if trail.is_whole and isinstance(target, ArrayRef):
            return None
        # Only an alias has the same length as the object.
        trail = replace(trail, is_whole=trail.is_whole and isinstance(value, Name | FieldRef))
        known = self.ranks.names(where.source, where.procedure) | ({partner: (RANK, True)} if partner else {})
        used = {name: known[name] for name in counted(value) if name in known}
        ranks = [is_known for what, is_known in used.values() if what == RANK]
        is_given = isinstance(value, Name) or (isinstance(value, Call) and any(self.calls.results(value)))
        if ranks and not is_given:
            has_size = any(what == SIZE for what, _ in used.values())
            tables = [each for each in walk(value) if _is_chosen_by(each, used)]
            bases = {base.name for each in tables if (base := base_of(each))}
            if any(self.ranks.is_counted_by_others(where.procedure, each) for each in bases):
                return None
            table = bool(tables)
            return Origin(where.source, line, target, value, any(ranks), has_size, table, trail.through)
        return self._made(value, where, trail.by(where.source, line))

    def _of_result(self, call: Call, where: Where, trail: _Trail) -> Origin | None:
        """Return the origin of a function's result: the function may get the rank as an argument or query it."""
        known = self.ranks.names(where.source, where.procedure)
        ranks = {name for name, (what, _) in known.items() if what == RANK}
        given = [not ranks.isdisjoint(names_in(each)) for each in call.arguments]
        for inside, value, line in self.calls.results(call):
            if trail.has_seen(inside, ""):
                continue
            onward = trail.past(inside, "").by(where.source, call.line or line)
            arguments = {name for name, is_rank in zip(inside.procedure.arguments, given, strict=False) if is_rank}
            if not arguments.isdisjoint(names_in(value)):
                return self._of_function(inside, value, line, onward)
            if found := self._made(value, inside, onward):
                return found
        return None

    def _of_function(self, inside: Where, value: Expression, line: int, trail: _Trail) -> Origin:
        """Return the origin of the value that a function computes from its rank argument; a nested call comes first."""
        deeper = [results for each in walk(value) if isinstance(each, Call) and (results := self.calls.results(each))]
        if deeper:
            inside, value, line = deeper[0][0]
        known = self.ranks.names(inside.source, inside.procedure)
        has_size = any(known.get(name, ("",))[0] == SIZE for name in names_in(value))
        return Origin(inside.source, line, None, value, True, has_size, False, trail.through)

    def _of_field(self, field: FieldRef, used: Where, trail: _Trail) -> Origin | None:
        """Return the origin of a field's value, from the assignments to this field of any matching structure."""
        fields = _fields_around(field, used)
        for where in self.calls.everywhere:
            if trail.has_seen(where, f".{field.name}"):
                continue
            for definition in self._definitions.of_field(where.procedure, field.name):
                others = _fields_around(definition[0], where)
                # Two structures match only if the fields of one include those of the other.
                if fields and others and not (fields <= others or others <= fields):
                    continue
                if found := self._of_value(definition, where, trail.past(where, f".{field.name}")):
                    return found
        return None


def _sees(where: Where, name: str) -> bool:
    """Return whether a name in a procedure refers to a non-local variable."""
    declaration = where.source.declaration(where.procedure, name)
    return declaration is None or declaration.outlives


def _fields_around(field: Expression | None, where: Where) -> frozenset[str]:
    """Return the fields of the structure that a field belongs to; empty if unknown."""
    if not isinstance(field, FieldRef):
        return frozenset()
    match field.structure:
        case Name(name=name):
            declaration = where.source.declaration(where.procedure, name)
            structure = declaration.element.structure if declaration else ""
        case ArrayRef(element=element) | FieldRef(element=element) | Deref(element=element):
            structure = element.structure
        case _:
            structure = ""
    known = next((each for each in where.source.structures if structure and each.name == structure), None)
    return frozenset(each.name for each in known.fields) if known else frozenset()


def _buffer(call: Call) -> Name | None:
    """Return the variable that holds a message."""
    first = argument(call, 0)
    return base_of(pointed_at(first)) if first is not None else None


def _is_chosen_by(expression: Expression, used: Mapping[str, tuple[str, bool]]) -> bool:
    """Return whether an expression is an array element whose subscripts contain the rank."""
    if not isinstance(expression, ArrayRef):
        return False
    names = (part for each in expression.subscripts for part in walk(each) if isinstance(part, Name))
    return any(used.get(each.name, ("", False))[0] == RANK for each in names)
