"""Find functions that recurse only through tail calls, because they must not have probes.

Compilers turn tail calls into jumps, but not if a probe at the function's end follows. Recursion through tail calls
alone needs no stack, however deep it is; with probes, it would exhaust the stack.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from typing import Final

from ..expression import expression
from ..syntax import Body, Call
from .lexer import statement_end

__all__ = ["endless"]

_RETURNED: Final = expression(
    r"\breturn\b([^;{}]*(?:\?|:|,|&&|\|\|))?(?:\s*(?:\w+_cast\s*<[^;{}()]*>\s*)?\(|\s*\([\w\s:*]+\))*\s*\Z"
)
_END_OF_RETURNED: Final = expression(r"[\s)]*(?::[^;{}]*)?;")
_STATEMENT: Final = expression(r"(?:[;{}:]|\belse|\bif\s*\([^;{}]*\))\s*(?:\(\s*void\s*\)\s*)?\Z")
_NOTHING: Final = expression(r"[\s;}]*")
_FOLLOWING: Final = expression(r"(?P<otherwise>else\b)|(?P<leaves>break\s*;)|return\s*;")


def endless(masked: str, bodies: Iterable[Body]) -> set[int]:
    """Return the offsets of the names of functions that reach themselves only through tail calls.

    A function that also reaches itself through other calls, for example to sort the first half, needs stack even
    without probes.

    Args:
        masked: The unit's text.
        bodies: The bodies defined in it.
    """
    functions = {body.name_offset: body for body in bodies if body.name}
    circular = _circular({at: {_callee(masked, call, body) for call in body.calls} for at, body in functions.items()})
    last: dict[int, set[int]] = {at: set() for at in circular}
    other: dict[int, set[int]] = {at: set() for at in circular}
    for at in circular:
        for call in functions[at].calls:
            if (callee := _callee(masked, call, functions[at])) in circular:
                (last if _is_last(masked, call, functions[at]) else other)[at].add(callee)
    ahead = {at: _reached(last, at) for at in circular}
    found = set()
    for at, following in ahead.items():
        circle = {each for each in following if at in ahead[each]}
        if circle and not any(other[each] & circle for each in circle):
            found.add(at)
    return found


def _circular(callees: Mapping[int, Set[int]]) -> Mapping[int, Set[int]]:
    """Map callers to callees, after repeatedly removing functions without callees or without callers.

    All recursive functions remain.
    """
    left = {at: set(each & callees.keys()) for at, each in callees.items()}
    callers: dict[int, set[int]] = {at: set() for at in left}
    for at, each in left.items():
        for callee in each:
            callers[callee].add(at)
    pending = [at for at in left if not (left[at] and callers[at])]
    while pending:
        if (at := pending.pop()) in left:
            beside = [(callers, left.pop(at)), (left, callers.pop(at))]
            for table, others in beside:
                for other in others & table.keys():
                    table[other].discard(at)
                    if not table[other]:
                        pending.append(other)
    return left


def _reached(calls: Mapping[int, Set[int]], start: int) -> set[int]:
    """Return the functions that a function calls, directly or indirectly, including itself if it is recursive."""
    found: set[int] = set()
    pending = [start]
    while pending:
        following = calls[pending.pop()] - found
        found |= following
        pending += following
    return found


def _callee(masked: str, call: Call, body: Body) -> int:
    """Return the offset of the callee's name in its definition, or a negative number if the callee is unknown.

    In a template, whose callees are unknown, a call of the enclosing function's name counts as recursion.
    """
    if call.callee >= 0 or call.gives != "dependent":
        return call.callee
    plain = body.name.removesuffix("<...>").rpartition("::")[2]
    # A call such as all.push_back(x) does not count, because the member function belongs to another class.
    words = rf"(?:[^(),;{{}}]*(?:->|::)|\(\s*\*[^()]*\)\s*\.)?\s*{re.escape(plain)}\s*(?:<[^<>;]*>\s*)?\("
    return body.name_offset if plain and re.compile(words).match(masked, call.offset, call.end) else -1


def _is_last(masked: str, call: Call, body: Body) -> bool:
    """Return whether a function returns directly after a call."""
    before = masked[max(masked.rfind(sign, body.opening, call.offset) for sign in ";{}") : call.offset]
    if match := _RETURNED.search(before):
        beside = match[1] or ""
        return beside.count("(") == beside.count(")") and bool(_END_OF_RETURNED.match(masked, call.end))
    if not _STATEMENT.search(before) or masked[call.end : body.end].lstrip()[:1] != ";":
        return False
    if any(loop.offset < call.offset < statement_end(masked, loop.offset) for loop in body.loops):
        return False
    at = _behind(masked, call.end)
    while at < body.end:
        match = _FOLLOWING.match(masked, at)
        if match is None or not match.lastgroup:
            return match is not None
        around = (statement_end(masked, switch) for switch in body.switches if match["leaves"] and switch < at)
        left = min((end for end in around if at < end), default=body.end)
        at = _behind(masked, left if match["leaves"] else statement_end(masked, match.end()))
    return True


def _behind(masked: str, offset: int) -> int:
    """Return the offset right after the characters at ``offset`` that only end statements or blocks."""
    match = _NOTHING.match(masked, offset)
    return match.end() if match else offset
