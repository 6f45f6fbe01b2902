"""The limits for code so short that a probe would cost as much, the same in all languages."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final, TypeVar

__all__ = ["LARGE", "SHORT", "SHORT_REASON", "TINY", "TINY_REASON", "called_often", "growth"]

TINY: Final = 20
"""The maximum number of statements in a function for which a probe may cost as much as the function itself."""

SHORT: Final = 200
"""The maximum number of executed statements in short code; a probe takes as long as about a hundred statements."""

LARGE: Final = 256
"""The maximum size, in bytes, of an object whose copy counts as an ordinary statement."""

# GNU's estimates of sizes (-fdump-ipa-fnsummary): of an inline guard in C or C++, and of a statement; medians of twelve
# sources of three programs.
_GUARD_SIZE: Final = 17
_STATEMENT_SIZE: Final = 3

TINY_REASON: Final = f"tiny: no loop, no call, at most {TINY} statements"
SHORT_REASON: Final = f"short: at most {SHORT} statements are executed"

_Function = TypeVar("_Function", bound=Hashable)


def growth(guards: int, statements: int) -> float:
    """Estimate by what share guards enlarge the code.

    Args:
        guards: Number of guards.
        statements: Statements in all functions of the text.
    """
    return _GUARD_SIZE * guards / (_STATEMENT_SIZE * max(statements, 1))


def called_often(
    functions: Iterable[_Function], main: set[_Function], calls: Iterable[tuple[_Function, _Function, bool]]
) -> set[_Function]:
    """Return the functions that may run often: called in a loop, by one that runs often, or from outside the unit.

    Args:
        functions: All functions that the unit defines.
        main: The functions that run once.
        calls: Caller, callee, and whether the call is in a loop.
    """
    known = [(caller, called, in_loop) for caller, called, in_loop in calls if called != caller]
    called_by: dict[_Function, list[_Function]] = {}
    for caller, called, _ in known:
        called_by.setdefault(caller, []).append(called)
    often = set(main)  # only their callees are needed
    pending = [*(set(functions) - {called for _, called, _ in known}), *(called for _, called, loop in known if loop)]
    while pending:
        if (function := pending.pop()) not in often:
            often.add(function)
            pending += called_by.get(function, ())
    return often.difference(main)
