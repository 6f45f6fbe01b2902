"""Find the lines to which the compiler assigns the code of statements, and at which debuggers stop.

The code of a statement over several lines is assigned to the last line, but an IF's code to the first line. Control
statements have no code: the END of a loop returns to its DO, and the end of another construct continues below. If an
executable directive is above a loop, the loop's code is assigned to the directive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..expression import expression
from .directives import binding, is_active
from .form import Form
from .lines import Directive
from .meaning import Kind
from .units import Procedure, Step

__all__ = ["CodePlaces"]

_CODELESS: Final = {Kind.CONTINUE, Kind.BRANCH, Kind.END_CONSTRUCT, Kind.CONTAINS}
_CODELESS_DIRECTIVE: Final = expression(r"end|single|sections?\b|taskgroup|ordered|declare|threadprivate|routine")
_CODELESS_CONSTRUCT: Final = expression(r"(?:\w+:)?(?:block$|associate\(|select(?:type|rank)\(|do\d*,?concurrent\()")


class CodePlaces:
    """Finds the offsets to which the code of a procedure's statements is assigned.

    Args:
        procedure: The procedure.
        form: The form of the source, which determines the directives that are code.
    """

    def __init__(self, procedure: Procedure, form: Form) -> None:
        self.header = procedure.header
        self.steps = procedure.steps
        self.form = form
        self.loops = {last: first for first, last in procedure.ends.items()}

    def directive(self, directives: Sequence[Directive]) -> int | None:
        """Return the offset of the first code that directives generate, or None if there is none."""
        return next((each.next_line - 1 for each in directives if self._makes_code(each)), None)

    def first(self, step: Step, directives: Sequence[Directive] = ()) -> int:
        """Return the offset of the first code at a statement and the directives above it."""
        offset = self.directive(directives)
        if offset is not None:
            return offset
        meaning = step.meaning
        if meaning.kind is Kind.BRANCH:
            return self.first(self._end_of_construct(step))
        if _CODELESS_CONSTRUCT.match(step.statement.code):
            within = self.steps[step.place + 1 :]
            inside = next((each for each in within if each.meaning.kind is not Kind.BRANCH), self.steps[-1])
            return self.first(inside, inside.directives)
        if meaning.kind is Kind.CONTAINS or (step.place in self.loops and self._is_codeless(step)):
            return self.last(step)
        if self._is_codeless(step):
            below = self.steps[step.place + 1]
            return self.first(below, below.directives)
        return self._own(step)

    def last(self, step: Step) -> int:
        """Return the offset of the last code before control passes to the statement below."""
        if step.place in self.loops:
            first = self.steps[self.loops[step.place]]
            return self.first(first, binding(first.directives))
        if step.meaning.kind is Kind.END_CONSTRUCT:
            opening = self.steps[step.around[-1]]
            if not self._is_codeless(opening):
                return self._own(opening)
        if not self._is_codeless(step):
            return self._own(step)
        return self.last(self.steps[step.place - 1]) if step.place else self.header.start

    def _own(self, step: Step) -> int:
        is_if = step.meaning.kind is Kind.IF or step.meaning.word == "if"
        return step.statement.start if is_if else step.statement.end - 1

    def _makes_code(self, directive: Directive) -> bool:
        if not is_active(directive, self.form) or _CODELESS_DIRECTIVE.match(directive.text):
            return False
        return directive.sentinel != "omp" or self.form.threads or "simd" in directive.text

    def _is_codeless(self, step: Step) -> bool:
        return (
            step.meaning.kind in _CODELESS
            or not (step.is_executable or step.meaning.kind is Kind.END_UNIT)
            or bool(_CODELESS_CONSTRUCT.match(step.statement.code))
        )

    def _end_of_construct(self, step: Step) -> Step:
        """Return the end of the construct that contains a branch; if the source is invalid, the procedure's end."""
        ends = (each for each in self.steps[step.place + 1 :] if each.meaning.kind is Kind.END_CONSTRUCT)
        return next((each for each in ends if each.around == step.around), self.steps[-1])
