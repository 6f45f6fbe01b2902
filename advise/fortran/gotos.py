"""Convert jumps of older Fortran programs to structured statements."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final, NamedTuple

from ..expression import Opaque
from ..nest import Arm, Block, Branch, Jump, Loop, Statement
from .expressions import negated

__all__ = ["Labelled", "cycling", "structured"]

_DEEPEST: Final = 12
"""Limit on converted jumps per list of statements, because their branches are nested; few programs have more."""
_FARTHEST: Final = 1000
"""Limit on the number of statements that a jump skips; only generated programs have more in one list."""


class Labelled(NamedTuple):
    """A statement with its label; the statement is None for CONTINUE, which does nothing."""

    label: str
    statement: Statement | None


def structured(items: list[Labelled], jumps: Counter[str]) -> tuple[Statement, ...]:
    """Convert forward jumps within a list of statements to branches.

    ::

        if (c) goto 10        if (.not. c)
          A                     A
        goto 20          →    else
     10   B                     B
     20 …                     …

    Args:
        items: The statements.
        jumps: The number of remaining jumps to each label; decremented for each converted jump.
    """
    places = {each.label: place for place, each in enumerate(items) if each.label}
    found = list(items)
    left = _DEEPEST
    for place in range(len(items) - 1, -1, -1):
        branch, label = _skip(found[place].statement)
        target = places.get(label, -1)
        if branch is None or not place < target < place + _FARTHEST or not left:
            continue
        jumps[label] -= 1
        if _entered(found[place + 1 : target], jumps):
            jumps[label] += 1
            continue
        left -= 1
        end = _end_of_other(found, place, target, places, jumps)
        arms = _arms(branch, found, place, target, end)
        found[place] = Labelled(found[place].label, replace(branch, arms=arms))
        for each in range(place + 1, end):
            found[each] = Labelled("", None)
    return _statements(found)


def _end_of_other(found: list[Labelled], place: int, target: int, places: dict[str, int], jumps: Counter[str]) -> int:
    """Return the end of the else part if a jump before the target skips this part; the target if no jump does."""
    last = next((each.statement for each in reversed(found[place + 1 : target]) if each.statement is not None), None)
    end = places.get(last.label, -1) if isinstance(last, Jump) and last.kind == "goto" else -1
    if end < target or _entered(found[target:end], jumps):
        return target
    jumps[found[end].label] -= 1
    return end


def _arms(branch: Branch, found: list[Labelled], place: int, target: int, end: int) -> tuple[Arm, ...]:
    condition = branch.arms[0].condition
    between, other = _statements(found[place + 1 : target]), _statements(found[target:end])
    if between and isinstance(between[-1], Jump) and between[-1].label and between[-1].label == found[end].label:
        between = between[:-1]
    first = Arm(negated(condition) if condition else None, between)
    return (first, Arm(None, other)) if other else (first,)


def _statements(items: list[Labelled]) -> tuple[Statement, ...]:
    return tuple(each.statement for each in items if each.statement is not None)


def _skip(statement: Statement | None) -> tuple[Branch | None, str]:
    """Return the branch and label of a statement ``if (c) goto 10``; None and an empty label for other statements."""
    match statement:
        case Branch(arms=(Arm(condition=condition, body=(Jump(kind="goto", label=label),)),)):
            # A jump of ERR= depends on an unknown condition, so it is not converted.
            return (None, "") if condition is None or isinstance(condition, Opaque) else (statement, label)
    return None, ""


def _entered(items: list[Labelled], jumps: Counter[str]) -> bool:
    """Return whether a jump from elsewhere leads into a list of statements."""
    return any(jumps[each.label] > 0 for each in items if each.label)


def cycling(body: tuple[Statement, ...], label: str, jumps: Counter[str], inner: str = "") -> tuple[Statement, ...]:
    """Return a loop's body with its jumps to the loop's end converted to ``cycle``.

    Args:
        body: The loop's body.
        label: The label of the body's last statement, which has no effect.
        jumps: The number of remaining jumps to each label; decremented for each converted jump.
        inner: Name of the loop in ``cycle`` statements of inner loops.
    """
    return tuple(_cycling(each, label, jumps, inner) for each in body) if jumps[label] > 0 else body


def _cycling(statement: Statement, label: str, jumps: Counter[str], inner: str) -> Statement:
    match statement:
        case Jump(kind="goto", label=to) if to == label:
            jumps[label] -= 1
            return replace(statement, kind="cycle", label=inner)
        case Loop(body=body):
            return replace(statement, body=cycling(body, label, jumps, label))
        case Block(body=body):
            return replace(statement, body=cycling(body, label, jumps, inner))
        case Branch(arms=arms):
            return replace(
                statement, arms=tuple(replace(arm, body=cycling(arm.body, label, jumps, inner)) for arm in arms)
            )
    return statement
