"""Recognise counting ``for`` loops and find their bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ..effects import written_names
from ..expression import Binary, Expression, Name, Number, walk
from ..nest import Assignment, Statement

__all__ = ["Head", "counted"]

_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


class Head(NamedTuple):
    """The head of a counting loop; see ``Loop``."""

    variable: Name
    first: Expression | None
    last: Expression
    step: Expression
    rest: tuple[Statement, ...]


def counted(
    start: Sequence[Statement], condition: Expression | None, end: Sequence[Statement], body: Sequence[Statement]
) -> Head | None:
    """Return the head of a counting loop; None if the loop does not count.

    ::

        for (i = 0; i + 1 < n; i += 2)    i from 0 to n - 2 by 2

    Args:
        start: The initialisation.
        condition: The loop condition.
        end: The increment.
        body: The body.
    """
    for at, each in enumerate(end):
        step = _step(each)
        if step is None:
            continue
        variable = each.target  # type: ignore[attr-defined]
        rest = (*end[:at], *end[at + 1 :])
        last = _last(variable, condition, step)
        if last is not None and variable.name not in written_names((*body, *rest), by_value=True):
            first = [one.value for one in start if isinstance(one, Assignment) and one.target == variable]
            return Head(variable, first[-1] if first else None, last, step, rest)
    return None


def _step(statement: Statement) -> Expression | None:
    match statement:
        case Assignment(target=Name(), operator="+", value=value):
            return value
        case Assignment(target=Name(), operator="-", value=Number(value=value)):
            return Number(-value)
        case Assignment(target=Name() as name, operator="", value=Binary(operator="+", left=left, right=right)):
            return right if left == name else left if right == name else None
        case Assignment(
            target=Name() as name, operator="", value=Binary(operator="-", left=left, right=Number(value=by))
        ):
            return Number(-by) if left == name else None
        case _:
            return None


def _last(variable: Name, condition: Expression | None, step: Expression) -> Expression | None:
    if not isinstance(condition, Binary) or condition.operator not in _TURNED:
        return None
    operator, left, right = condition.operator, condition.left, condition.right
    if not _mentions(left, variable):
        operator, left, right = _TURNED[operator], right, left
    if isinstance(left, Binary) and left.operator in "+-" and left.left == variable and left.right != variable:
        right = _sum("-" if left.operator == "+" else "+", right, left.right)
        left = variable
    if left != variable or _mentions(right, variable):
        return None
    downwards = isinstance(step, Number) and step.value < 0
    if (operator in ("<", "<=") and downwards) or (operator in (">", ">=") and not downwards):
        return None
    if operator in ("<=", ">="):
        return right
    if operator == "!=":
        return _sum("-", right, step) if isinstance(step, Number) and abs(step.value) == 1 else None
    return _sum("-" if operator == "<" else "+", right, Number(1))


def _mentions(expression: Expression, variable: Name) -> bool:
    return any(each == variable for each in walk(expression))


def _sum(operator: str, left: Expression, right: Expression) -> Expression:
    """Return the sum or difference of two expressions; literal numbers are combined: ``i + 1 + 2`` is ``i + 3``."""
    if isinstance(left, Number) and isinstance(right, Number):
        return Number(left.value + right.value if operator == "+" else left.value - right.value)
    if (
        isinstance(right, Number)
        and isinstance(left, Binary)
        and left.operator in "+-"
        and isinstance(left.right, Number)
    ):
        value = (left.right.value if left.operator == "+" else -left.right.value) + (
            right.value if operator == "+" else -right.value
        )
        if not value:
            return left.left
        return Binary("+" if value > 0 else "-", left.left, Number(abs(value)))
    return Binary(operator, left, right)
