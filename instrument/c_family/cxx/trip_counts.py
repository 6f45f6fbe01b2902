"""How often a loop runs at most, where compile-time constants say so."""

from __future__ import annotations

from typing import Any, Final

from clang.cindex import CursorKind

from .constants import Constants
from .cursors import children, operator_of, spelling

__all__ = ["most_trips"]

_FOR: Final = CursorKind.FOR_STMT.value
_RANGE: Final = CursorKind.CXX_FOR_RANGE_STMT.value
_DECLARATION: Final = CursorKind.DECL_STMT.value
_BINARY: Final = CursorKind.BINARY_OPERATOR.value
_STEPS: Final = frozenset((CursorKind.UNARY_OPERATOR.value, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR.value))
# Twins of libclang's Index.h.
_COMPARISONS: Final = {11: 0, 12: 0, 16: 0, 13: 1, 14: 1}  # < > !=, and a trip more for <= >=
_ASSIGNMENT: Final = 22


def most_trips(loop: Any, constants: Constants) -> int:
    """Give the most trips of a loop that compile-time constants bound; 0 if they are not known.

    ::

        for (int i = 0; i < 8; ++i) …    8
        for (int i = 0; i < N; ++i) …    the largest N that the unit has, of a template
        for (double x : coordinates) …   3, where that is an array of 3
        for (int i = 0; i < n; ++i) …    0

    What the body does with the variable is not looked at.

    Args:
        loop: The cursor of a loop.
        constants: What is constant in the unit.
    """
    parts = children(loop)
    if loop._kind_id == _RANGE:
        return constants.elements(parts[-2]) or 0 if len(parts) > 2 else 0
    if loop._kind_id != _FOR or len(parts) != 4:
        return 0
    first, condition, step, _ = parts
    if condition._kind_id != _BINARY or operator_of(condition) not in _COMPARISONS or step._kind_id not in _STEPS:
        return 0
    variable, low = _start(first, constants)
    compared, bound = children(condition)
    if not variable or spelling(compared) != variable or low is None or (high := constants.value(bound)) is None:
        return 0
    return abs(high - low) + _COMPARISONS[operator_of(condition)]


def _start(statement: Any, constants: Constants) -> tuple[str, int | None]:
    """Give the variable that a loop counts by, and what it is at first."""
    parts = children(statement)
    if statement._kind_id == _DECLARATION and len(parts) == 1:
        values = children(parts[0])
        return spelling(parts[0]), constants.value(values[-1]) if values else None
    if statement._kind_id == _BINARY and operator_of(statement) == _ASSIGNMENT:
        return spelling(parts[0]), constants.value(parts[1])
    return "", None
