"""Find statements with library calls that can be regions of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ..expression import expression
from ..library_names import fortran_mode
from .declarations import declared
from .meaning import Kind, Meaning
from .spans import why_no_probe
from .units import Procedure, Step

__all__ = ["Call", "find_calls"]

_CALL: Final = expression(r"call(\w+)(?:\(|$)")
_FUNCTION: Final = expression(r"(?<![\w%.'])([a-z]\w*)\(")
_RUN_TIME: Final = expression(
    r"(?P<word>read|write|print|open|close|inquire|backspace|rewind|endfile|flush|allocate|deallocate)(?:[(*\d'\"]|$|\w)"
)
_NO_STATEMENT: Final = "not a statement of its own"


class Call(NamedTuple):
    """A statement, or the action of an IF, that calls a library procedure.

    ``place`` is the number of the statement in its procedure. ``reason`` explains why the call is not a region; it is
    empty if the call is one.
    """

    name: str
    mode: str
    place: int
    reason: str


def find_calls(procedure: Procedure, own: frozenset[str]) -> Iterator[Call]:
    """Yield the library calls in a procedure, in order; at most one of each kind per statement.

    Args:
        procedure: The procedure.
        own: Names, in lower case, of procedures that the source defines.
    """
    known: dict[str, bool] = {}
    for statements in procedure.specified:
        known |= declared(statements)
    hidden = own | {name for name, is_array in known.items() if is_array}
    terminals = {step.meaning.terminal for step in procedure.steps} - {""}
    for step in procedure.steps:
        if not step.is_executable:
            continue
        reason = why_no_probe(procedure, step) or _why_fixed(step)
        if step.statement.label in terminals:
            reason = reason or "ends a loop"
        yield from _of(step, reason, hidden)


def _of(step: Step, reason: str, hidden: frozenset[str]) -> Iterator[Call]:
    code = step.statement.code
    meaning: Meaning = step.meaning
    if meaning.action:
        action = "".join(step.statement.text[meaning.action_at :].lower().split())
        yield from _in_expressions(step, code[: len(code) - len(action)], reason or _NO_STATEMENT, hidden)
        code, meaning = action, meaning.action
    if meaning.jumps:
        reason = reason or "may jump to a label"
    rest = code
    if meaning.kind is Kind.CALL and (match := _CALL.match(code)):
        rest = code[match.end() :]
        if match[1] not in hidden and (mode := fortran_mode(match[1])):
            yield Call(match[1], mode, step.place, reason)
            return
    elif meaning.kind is Kind.EXECUTABLE and (match := _RUN_TIME.match(code)):
        rest = code[match.end() :]
        yield Call(match["word"], "library", step.place, reason)
    elif meaning.kind is Kind.ASSIGNMENT:
        yield from _in_expressions(step, code, reason, hidden)
        return
    yield from _in_expressions(step, rest, reason or _NO_STATEMENT, hidden)


def _in_expressions(step: Step, code: str, reason: str, hidden: frozenset[str]) -> Iterator[Call]:
    """Yield the first library call of each mode in the expressions of a statement.

    Args:
        step: The statement.
        code: The text to search, in lower case without blanks.
        reason: Why the statement cannot be a region; may be empty.
        hidden: Names that do not refer to library procedures in this procedure.
    """
    seen = set()
    for match in _FUNCTION.finditer(code):
        mode = "" if match[1] in hidden else fortran_mode(match[1])
        if mode and mode not in seen:
            seen.add(mode)
            yield Call(match[1], mode, step.place, reason)


def _why_fixed(step: Step) -> str:
    """Return a reason if a directive prescribes the form of a statement, or an empty string if none does."""
    texts = (directive.text.replace(" ", "") for directive in step.directives if directive.sentinel in {"omp", "acc"})
    return "in an atomic statement" if any(text.startswith("atomic") for text in texts) else ""
