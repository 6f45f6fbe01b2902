"""Limits, common to all languages, below which code is so short that a probe would take as long as the code."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final, TypeVar

__all__ = ["LARGE", "SHORT", "SHORT_REASON", "TINY", "TINY_REASON", "called_often", "growth"]

TINY: Final = 20
"""Maximum number of statements in a tiny function: a probe may take as much time as the function."""

SHORT: Final = 200
"""Maximum number of statements that short code executes; a probe takes as long as about a hundred statements."""

LARGE: Final = 256
"""Maximum size in bytes of an object whose copy counts as an ordinary statement."""

# Sizes as GNU's compilers estimate them (-fdump-ipa-fnsummary), for an inline guard in C or C++, and for a statement:
# medians over twelve sources of three programs.
_GUARD_SIZE: Final = 17
_STATEMENT_SIZE: Final = 3

TINY_REASON: Final = f"tiny: no loop, no call, at most {TINY} statements"
SHORT_REASON: Final = f"short: at most {SHORT} statements are executed"

_Function = TypeVar("_Function", bound=Hashable)


def growth(guards: int, statements: int) -> float:
    """Estimate by how much guards enlarge the code, as a fraction: 0.5 if it becomes 1.5 times as large.

    Args:
        guards: Number of guards.
        statements: Number of statements in all functions.
    """
    return _GUARD_SIZE * guards / (_STATEMENT_SIZE * max(statements, 1))


def called_often(
    functions: Iterable[_Function], main: set[_Function], calls: Iterable[tuple[_Function, _Function, bool]]
) -> set[_Function]:
    """Return the functions that may run often.

    A function may run often if it is called in a loop or by a function that may run often, or if no function in the
    unit calls it.

    Args:
        functions: All functions that the unit defines.
        main: The functions that run once.
        calls: For each call, the caller, the callee, and whether the call is in a loop.
    """
    known = [(caller, called, in_loop) for caller, called, in_loop in calls if called != caller]
    called_by: dict[_Function, list[_Function]] = {}
    for caller, called, _ in known:
        called_by.setdefault(caller, []).append(called)
    often = set(main)  # functions that run once do not make their callees run often
    pending = [*(set(functions) - {called for _, called, _ in known}), *(called for _, called, loop in known if loop)]
    while pending:
        if (function := pending.pop()) not in often:
            often.add(function)
            pending += called_by.get(function, ())
    return often.difference(main)
