"""How the order of iterations affects a scalar variable."""

from __future__ import annotations

from enum import Enum
from typing import Final

from .effects import Access, names_in
from .expression import Binary, Call, Expression, Name, walk
from .nest import Assignment, Branch, Declaration, Loop, Procedure, Statement

__all__ = ["Scalar", "judge_scalar"]


_COMMUTING: Final = {each: each for each in ("+", "*", "min", "max")} | {"-": "+"}


class Scalar(Enum):
    """How the order of iterations affects a variable."""

    PRIVATE = "belongs to one iteration"
    SUM = "is summed up"
    LEFT = "may be used after the loops"
    CARRIED = "carries a value from one iteration to the next"


def judge_scalar(declaration: Declaration, accesses: list[Access], nest: Loop, procedure: Procedure) -> Scalar:
    """Classify a variable that is written in the body of a nest.

    Args:
        declaration: The variable.
        accesses: All accesses to the variable in the body, in order.
        nest: The outermost loop.
        procedure: The procedure of the loop.
    """
    if _is_private(accesses):
        lives = _lives_after(declaration, nest, procedure)
        return Scalar.LEFT if lives and not _is_always_left(accesses) else Scalar.PRIVATE
    return Scalar.SUM if _is_sum(declaration.name, accesses) else Scalar.CARRIED


def _is_private(accesses: list[Access]) -> bool:
    """Return whether each iteration writes a variable before reading it.

    The first access must be a write. The other accesses must follow in the same arm of a branch, and in the same
    iteration of an inner loop.
    """
    first = accesses[0]
    if not first.is_write:
        return False
    if isinstance(first.statement, Loop):  # a loop's counter is used only inside the loop
        return all(each.statement is first.statement or _is_in(first.statement, each) for each in accesses[1:])
    if first.is_conditional and not any(isinstance(each, Branch) for each in first.within):
        return False  # the write follows a jump, which may skip it
    return all(_follows(first, each) for each in accesses[1:])


def _is_in(statement: Statement, access: Access) -> bool:
    return any(each is statement for each in access.within)


def _follows(first: Access, other: Access) -> bool:
    if len(other.within) < len(first.within):
        return False
    for one, two in zip(first.within, other.within, strict=False):
        if one is not two:
            return False
        if isinstance(one, Branch) and _arm(one, first) is not _arm(one, other):
            return False
    return True


def _arm(branch: Branch, access: Access) -> object:
    inside = (*access.within, access.statement)
    below = inside[[each is branch for each in inside].index(True) + 1]
    return next((arm for arm in branch.arms if any(each is below for each in arm.body)), None)


def _lives_after(declaration: Declaration, nest: Loop, procedure: Procedure) -> bool:
    name = declaration.name
    within = sum(each == name for each, _ in names_in([nest]))
    total = sum(each == name for each, _ in names_in(procedure.body))
    by_caller = declaration.is_argument and declaration.intent != "in"
    return declaration.outlives or by_caller or total > within or name == procedure.name


def _is_always_left(accesses: list[Access]) -> bool:
    """Return whether a variable ends with the same value in any order of loops: the last iteration always writes it."""
    last = [each for each in accesses if each.is_write][-1]
    return not last.is_conditional and not last.within and not isinstance(last.statement, Loop)


def _is_sum(name: str, accesses: list[Access]) -> bool:
    """Return whether a variable is only a reduction: a sum, a product, a minimum or a maximum."""
    ways = set()
    for access in accesses:
        way, others = _added(Name(name), access.statement)
        if not way or any(each == Name(name) for other in others for each in walk(other)):
            return False
        ways.add(way)
    return len(ways) == 1


def _added(name: Name, statement: Statement) -> tuple[str, list[Expression]]:
    """Return the operator and the operands with which a statement adds to a variable; empty if it adds nothing."""
    if not isinstance(statement, Assignment) or statement.target != name:
        return "", []
    operator, others = statement.operator, [statement.value]
    if not operator:
        match statement.value:
            case Binary(operator="+" | "*" as way, left=left, right=right) if name in (left, right):
                operator, others = way, [right if left == name else left]
            case Binary(operator="-", left=left, right=right) if left == name:
                operator, others = "-", [right]
            case Call(name="min" | "max" as way, arguments=arguments) if arguments.count(name) == 1:
                operator, others = way, [each for each in arguments if each != name]
    return _COMMUTING.get(operator, ""), others
