"""Assemble the statements of a procedure into loops, branches, and OpenMP blocks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Final

from ...instrument.expression import expression
from ...instrument.fortran.declarations import first_executable
from ...instrument.fortran.directives import MARK, binding
from ...instrument.fortran.lines import Directive
from ...instrument.fortran.meaning import Kind
from ...instrument.fortran.units import Procedure, Step
from ...instrument.line_markers import MarkedText
from ..expression import Binary, Expression, Name, Number, Opaque
from ..nest import Arm, Assignment, Block, Branch, Loop, OtherStatement, Statement, statements
from .declarations import declare
from .expressions import conjunction
from .gotos import Labelled, cycling, structured
from .scope import Scope
from .statements import Line

__all__ = ["DeepError", "body_of"]

_DEEPEST: Final = 40
"""Limit on the nesting of constructs, because walking over statements is recursive."""

_DO: Final = expression(r"do(?P<label>\d*),?(?:(?P<concurrent>concurrent)|(?P<while>while)|(?P<name>[a-z]\w*)=|$)")
_ELSE: Final = expression(r"(?:elseif|elsewhere)\(")
_CASE: Final = expression(r"case\(|typeis\(|classis\(|rank\(")
_SELECT: Final = expression(r"select(?:case|type|rank)\(")
_NOTHING: Final = expression(r"format\(|data\w|include['\"]|entry|!")
_OMP_WORDS: Final = expression(
    r"(?:targetdata|target|teams|parallel|distribute|masked|master|taskloop|taskgroup|do|simd|loop|sections|section|single"
    r"|critical|workshare|task(?!wait|yield)|ordered|scope)*"
)
_LOOP_WORD: Final = expression(r"do|loop|simd|distribute")
_STANDALONE_TARGET: Final = expression(r"target(?:update|enter|exit)")


class DeepError(Exception):
    """Raised if constructs are nested too deeply."""


@dataclass(slots=True)
class _Open:
    """A construct whose end has not been reached yet.

    Attributes:
        word: ``do``, ``if``, ``select``, ``where``, ``forall``, ``block``, ``associate``, ``critical``, ``omp``.
        head: The construct's first statement.
        line: The construct's first line.
        column: Column of the construct's start.
        directive: The directives above the construct.
        condition: The condition of the current arm.
        arms: The complete arms.
        items: The statements of the current arm or of the body.
        scope: The scope outside the construct.
        selector: The selector of a ``select``.
    """

    word: str
    head: Line | None = None
    line: int = 0
    column: int = 0
    directive: str = ""
    condition: Expression | None = None
    arms: list[Arm] = field(default_factory=list)
    items: list[Labelled] = field(default_factory=list)
    scope: Scope | None = None
    selector: Expression | None = None


def body_of(procedure: Procedure, text: MarkedText, scope: Scope, file: str) -> tuple[Statement, ...]:
    """Return the executable statements of a procedure.

    Args:
        procedure: The procedure.
        text: The source that contains the procedure.
        scope: The procedure's scope; variables of BLOCK constructs are added.
        file: The file whose statements are returned; statements of included files are left out.

    Raises:
        DeepError: Constructs are nested too deeply.
    """
    return _Builder(procedure, text, scope, file).build()


class _Builder:
    """Builds the statements in one pass, with a stack of open constructs."""

    def __init__(self, procedure: Procedure, text: MarkedText, scope: Scope, file: str) -> None:
        self.procedure = procedure
        self.text = text
        self.whole_scope = scope
        self.scope = scope
        self.file = file
        self.stack = [_Open("procedure")]
        self.jumps = Counter({label: len(steps) for label, steps in procedure.jumps.items()})
        self.atomic: Directive | None = None
        self.line = 0
        self.included = False

    def build(self) -> tuple[Statement, ...]:
        for step in self.procedure.steps[first_executable(self.procedure) :]:
            if self.text.place(step.statement.start).file == self.file:
                self.included = False
                self._step(step)
            elif not self.included:
                self.included = True
                self._add("", OtherStatement((Opaque(line=self.line),), line=self.line))
        while len(self.stack) > 1:
            self._close(self.line)
        return structured(self.stack[0].items, self.jumps)

    def _step(self, step: Step) -> None:
        kind = step.meaning.kind
        bound = tuple(binding(step.directives)) if kind is Kind.DO else ()
        for each in step.directives[: len(step.directives) - len(bound)]:
            self._directive(each)
        line = Line(step.statement, step.meaning, self.text, self.scope)
        self.line = line.line
        if len(self.stack) > _DEEPEST:
            raise DeepError
        label = step.statement.label
        match kind:
            case Kind.DO:
                self._mark(label)
                directives = (f"{each.sentinel} {each.text}" for each in bound if each.sentinel != MARK)
                self._push(_Open("do", line, directive="\n".join(directives)))
            case Kind.CONSTRUCT:
                self._mark(label)
                self._construct(line)
            case Kind.BRANCH:
                self._branch(line)
            case Kind.END_DO | Kind.END_CONSTRUCT:
                self._mark(label)
                self._end("do" if kind is Kind.END_DO else step.meaning.word)
            case Kind.END_UNIT | Kind.CONTAINS | Kind.ENTRY:
                self._mark(label)
            case Kind.SPECIFICATION | Kind.USE:
                self._specification(step, line)
            case _:
                self._mark(label)
                for found in line.read():
                    self._add("", found)
        self._terminate(label, nothing=kind in {Kind.CONTINUE, Kind.END_DO})

    def _specification(self, step: Step, line: Line) -> None:
        if any(each.word == "block" for each in self.stack):
            self._declare_in_block(step)
        elif not _NOTHING.match(line.code):
            self._add("", line.other())

    def _declare_in_block(self, step: Step) -> None:
        before = dict(self.scope.variables)
        declare([step.statement], self.text, self.scope)
        for name, declared in list(self.scope.variables.items()):
            if declared is not before.get(name):
                own = name if name not in before else f"{name}'{self.line}"
                if own != name:
                    self.scope.variables[own] = replace(declared, name=own)
                    self.scope.aliases[name] = Name(own)
                self.whole_scope.variables[own] = self.scope.variables[own]
                if own != name:
                    self.whole_scope.variables[name] = before[name]

    def _mark(self, label: str) -> None:
        """Remember the position of a label."""
        if label:
            self.stack[-1].items.append(Labelled(label, None))

    def _add(self, label: str, statement: Statement) -> None:
        if self.atomic is not None:
            directive, self.atomic = self.atomic, None
            place = self.text.place(directive.start)
            statement = Block(
                (statement,), f"omp {directive.text}", statement.line, line=place.line, column=place.column
            )
        self.stack[-1].items.append(Labelled(label, statement))

    def _push(self, opened: _Open) -> None:
        if opened.head:
            opened.line, opened.column = opened.head.line, opened.head.column
        self.stack.append(opened)

    def _construct(self, line: Line) -> None:
        word = line.meaning.word
        opened = _Open(word, line, scope=self.scope)
        at = line.start + len(word)
        if word in {"if", "where"}:
            opened.condition, _ = line.inside(at)
        elif word == "select" and (match := _SELECT.match(line.code, line.start)):
            opened.selector, _ = line.inside(match.end() - 1)
            opened.condition = None
        elif word == "associate":
            self.scope = self._associated(line, at)
        elif word == "block":
            self.scope = replace(self.scope, variables=dict(self.scope.variables), aliases=dict(self.scope.aliases))
        self._push(opened)

    def _associated(self, line: Line, at: int) -> Scope:
        scope = replace(self.scope, aliases=dict(self.scope.aliases))
        for first, last in line.cuts(at + 1, line.closing(at)):
            name, arrow, _ = line.code[first:last].partition("=>")
            if arrow:
                scope.aliases[name] = line.whole(first + len(name) + 2, last)
        return scope

    def _branch(self, line: Line) -> None:
        self._close_directives()
        opened = self.stack[-1]
        if opened.word not in {"if", "where", "select"}:
            return
        self._arm(opened)
        opened.condition = None
        if opened.word == "select":
            if match := _CASE.match(line.code):
                opened.condition = self._case(line, match.end() - 1, opened.selector)
        elif match := _ELSE.match(line.code):
            opened.condition, _ = line.inside(match.end() - 1)

    def _case(self, line: Line, at: int, selector: Expression | None) -> Expression:
        values = [line.code[first:last] for first, last in line.cuts(at + 1, line.closing(at))]
        if selector is None or not line.code.startswith("case(") or any(":" in each for each in values):
            return Opaque((selector,) if selector else (), changes=False, line=line.line, column=line.column)
        each_value = (line.whole(first, last) for first, last in line.cuts(at + 1, line.closing(at)))
        return conjunction([Binary("==", selector, each, line=line.line, column=line.column) for each in each_value])

    def _arm(self, opened: _Open) -> None:
        if opened.word != "select" or opened.items or opened.condition or opened.arms:
            opened.arms.append(Arm(opened.condition, structured(opened.items, self.jumps)))
        opened.items = []

    def _end(self, word: str) -> None:
        self._close_directives()
        if len(self.stack) > 1 and self.stack[-1].word == word:
            opened = self.stack[-1]
            if word != "do" or not self._terminal(opened):
                self._close(self.line)

    def _terminate(self, label: str, *, nothing: bool) -> None:
        """Close the loops that end at the statement with the given label."""
        while label:
            place = len(self.stack) - 1
            while self.stack[place].word == "omp":
                place -= 1
            if self.stack[place].word != "do" or self._terminal(self.stack[place]) != label:
                return
            self._close_directives()
            self._close(self.line, label if nothing else "")

    @staticmethod
    def _terminal(opened: _Open) -> str:
        return opened.head.meaning.terminal if opened.head else ""

    def _close(self, last_line: int, label: str = "") -> None:
        """Close the innermost open construct."""
        opened = self.stack.pop()
        if opened.scope is not None:
            self.scope = opened.scope
        if opened.word in {"if", "where", "select"}:
            self._arm(opened)
            found: Statement = Branch(tuple(opened.arms), last_line, line=opened.line, column=opened.column)
        elif opened.word == "do" and opened.head:
            found = self._loop(opened, opened.head, last_line, label)
        elif opened.word == "forall" and opened.head:
            body = structured(opened.items, self.jumps)
            found = opened.head.concurrent(opened.head.start + len("forall"), body, last_line)
        else:
            body = structured(opened.items, self.jumps)
            directive = "critical" if opened.word == "critical" else opened.directive
            found = Block(body, directive, last_line, line=opened.line, column=opened.column)
        self._add("", found)

    def _loop(self, opened: _Open, head: Line, last_line: int, label: str) -> Statement:
        end = label or (opened.items[-1].label if opened.items and not opened.items[-1].statement else "")
        body = structured(opened.items, self.jumps)
        name = head.meaning.name or end or self._terminal(opened)
        if end:
            body = cycling(body, end, self.jumps)
        match = _DO.match(head.code, head.start)
        loop = Loop(
            body,
            last_line=last_line,
            directive=opened.directive,
            label=name,
            line=opened.line,
            column=opened.column,
        )
        if match is None:
            return loop
        if match["concurrent"]:
            return head.concurrent(match.end("concurrent"), body, last_line, opened.directive, name)
        if match["while"]:
            return replace(loop, condition=head.inside(match.end())[0])
        if not match["name"]:
            return loop
        bounds = [head.whole(*each) for each in head.cuts(match.end(), len(head.code))]
        at = head.places.at(match.start("name"))
        variable = Name(match["name"], line=at.line, column=at.column)
        if _assigns(body, variable) or not 2 <= len(bounds) <= 3:
            return loop
        step = bounds[2] if bounds[2:] else Number(1)
        return replace(loop, variable=variable, first=bounds[0], last=bounds[1], step=step)

    def _close_directives(self) -> None:
        """Close directive blocks that have no end directive."""
        while self.stack[-1].word == "omp":
            self._close(self.line)

    def _directive(self, directive: Directive) -> None:
        if directive.sentinel != "omp":
            return
        text = directive.text.replace(" ", "")
        self.line = self.text.place(directive.start).line
        if text.startswith("end"):
            if text.endswith("nowait"):
                self._add_nowait()
            self._end_directive(text[3:])
        elif text.startswith("atomic"):
            self.atomic = directive
        elif not _LOOP_WORD.search(words := _words(text)):
            place = self.text.place(directive.start)
            if words == "section" and self.stack[-1].word == "omp" and _words(self.stack[-1].directive) == "section":
                self._close(self.line)
            self.stack.append(_Open("omp", None, place.line, place.column, f"omp {directive.text}"))
            if not words:
                self._close(self.line)

    def _add_nowait(self) -> None:
        """Add the ``nowait`` of ``end do`` to the directive above the loop, as in C."""
        items = self.stack[-1].items
        last = items[-1].statement if items else None
        if isinstance(last, Loop):
            items[-1] = Labelled(items[-1].label, replace(last, directive=f"{last.directive} nowait"))

    def _end_directive(self, words: str) -> None:
        """Close the block of an end directive and any inner blocks without an end directive."""
        place = len(self.stack) - 1
        while self.stack[place].word == "omp":
            if _words(self.stack[place].directive) == _words(words):
                while len(self.stack) > place:
                    self._close(self.line)
                return
            place -= 1


def _words(directive: str) -> str:
    """Return the construct that a directive opens; empty for a standalone directive."""
    text = directive.removeprefix("omp ").replace(" ", "")
    match = _OMP_WORDS.match(text)
    return "" if match is None or _STANDALONE_TARGET.match(text) else match.group()


def _assigns(body: tuple[Statement, ...], variable: Name) -> bool:
    """Return whether a loop's body changes its variable."""
    return any(isinstance(each, Assignment) and each.target == variable for each, _ in statements(body))
