"""Read the text that gprof prints: its flat profile, its call graph, or both.

gprof measures each function's own time and its number of calls per caller. It does not measure the time per caller, but
estimates it from the number of calls. Therefore, each function is placed below the innermost function that is certain
to be active during all calls to it. gprof's estimate is a separate metric::

    main ─ step ─┬─ relax ─ kernel        norm is called by step and by main: below main
                 └─ copy
         ─ norm
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from ...errors import InputError
from ..experiment import Experiment
from ..region import Region
from ..source import Source
from .profile import Profile
from .text import is_last_line_whole, lines

__all__ = ["read"]

_PERIOD: Final = re.compile(r"Each sample counts as (\S+) (\S+?)\.?$")
_NUMBER: Final = r"(\d+\.\d+)"
_SECONDS: Final = ("second", "seconds")
_FLAT: Final = re.compile(rf"\s*{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}\s+(?:(\d+)\s+{_NUMBER}\s+{_NUMBER}\s+)?(\S.*)$")
_CALLS: Final = r"(\d+)(?:([+/])(\d+))?"
_NAME: Final = r"(\S.*?)(?: <cycle \d+>)? \[\d+\]$"
_CALLER: Final = re.compile(rf"\s+(?:{_NUMBER}\s+{_NUMBER}\s+)?{_CALLS}\s+{_NAME}")
_ENTRY: Final = re.compile(rf"\[\d+\]\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}\s+(?:{_CALLS}\s+)?{_NAME}")
_CYCLE: Final = re.compile(r"<cycle \d+ as a whole>")
_LINE: Final = "---"
_GRAPH: Final = "Call graph"
_INDEX: Final = "Index by function name"  # printed after each call graph, with or without explanations (-b)
# The percentages in a complete flat profile add up to 100 ± this number, because they are rounded.
_ROUNDING: Final = 2.0
_TOTAL: Final = "total_time"


@dataclass
class _Function:
    """The numbers that gprof prints for a function."""

    seconds: float | None = None
    calls: int | None = None
    total: float | None = None
    callers: dict[str, None] = field(default_factory=dict)


def read(source: Source) -> Experiment:
    """Read the text that gprof printed.

    Raises:
        InputError: The text is cut off, or contains no functions.
    """
    functions, period, share = _functions(source)
    if not functions:
        raise InputError("expected functions in a flat profile or a call graph, found none")
    profile = Profile("gprof")
    profile.metric("cpu_time")
    profile.metric("visits")
    profile.metric(
        _TOTAL, "sec", "Time including callees, which gprof estimates from the number of calls", aggregation="none"
    )
    place = profile.location(0)
    paths = _paths(functions, profile)
    for name, each in functions.items():
        profile.add("cpu_time", paths[name], place, each.seconds or 0.0)
        profile.add("visits", paths[name], place, each.calls or 0)
        if each.total is not None:
            profile.add(_TOTAL, paths[name], place, each.total)
    number, _, unit = period.partition(" ")
    if unit in _SECONDS:
        profile.samples["cpu_time"] = float(number)
    sampled = f" from samples of {period}" if period else ""
    profile.remarks.append(
        f"gprof: one process, no ranks, no threads; CPU time{sampled}; each function is shown below the innermost "
        "function through which all calls to it pass"
    )
    if 0 < share < 100 - _ROUNDING:
        profile.remarks.append(
            f"gprof: the flat profile contains only {share:.0f} % of the time, because functions are missing or the "
            "output is truncated"
        )
    return profile.experiment()


def _functions(source: Source) -> tuple[dict[str, _Function], str, float]:
    """Return the functions by name, the sampling period as text, and the sum of the flat profile's percentages."""
    found: dict[str, _Function] = {}
    period, share = "", 0.0
    is_in_graph = False
    callers: list[str] = []
    current = ""
    for line in lines(source):
        if said := _PERIOD.match(line):
            period = f"{said[1]} {said[2]}"
        elif row := _FLAT.match(line):
            _add_flat(found.setdefault(row[7], _Function()), row)
            share += float(row[1])
        elif line.strip().startswith(_GRAPH):
            is_in_graph = True
        elif line.strip() == _INDEX:
            is_in_graph = False
        elif line.startswith(_LINE):
            callers, current = [], ""
        elif entry := _ENTRY.match(line):
            current = entry[7]
            if not _CYCLE.match(current):
                _add_entry(found.setdefault(current, _Function()), entry, callers)
        elif not current and (caller := _CALLER.match(line)):
            callers.append(caller[6])
    if is_in_graph or not is_last_line_whole(source):
        expected = f'a call graph followed by "{_INDEX}"' if is_in_graph else "whole lines"
        raise InputError(
            f"expected {expected}, found truncated output; create it again with: gprof ./app > profile.txt"
        )
    for each in [name for one in found.values() for name in one.callers]:
        found.setdefault(each, _Function())
    return found, period, share


def _add_flat(function: _Function, row: re.Match[str]) -> None:
    function.seconds = (function.seconds or 0.0) + float(row[3])
    if row[4]:
        function.calls = (function.calls or 0) + int(row[4])


def _add_entry(function: _Function, entry: re.Match[str], callers: list[str]) -> None:
    if function.total is None and function.seconds is None:
        function.seconds = float(entry[2])
    function.total = (function.total or 0.0) + float(entry[2]) + float(entry[3])
    if entry[4]:
        function.calls = int(entry[4]) + (int(entry[6]) if entry[5] == "+" else 0)
    function.callers |= dict.fromkeys(callers)


def _paths(functions: Mapping[str, _Function], profile: Profile) -> dict[str, int]:
    """Add each function below the innermost function through which all its calls pass; return their call paths."""
    above = _dominators({name: [*each.callers] for name, each in functions.items()})
    outermost = [name for name in functions if above[name] is None]
    root = profile.path(Region("program", "program", "", "program")) if len(outermost) > 1 else None
    found: dict[str, int] = {}
    for name in functions:
        chain = [name]
        while chain[-1] not in found and (upper := above[chain[-1]]) is not None:
            chain.append(upper)
        for each in reversed(chain):
            upper = above[each]
            if each not in found:
                found[each] = profile.path(each, root if upper is None else found[upper])
    return found


def _dominators(callers: Mapping[str, list[str]]) -> dict[str, str | None]:
    """Return the immediate dominator of each function; None for a function that is called from outside.

    The algorithm is from K. Cooper, T. Harvey, K. Kennedy, A simple, fast dominance algorithm, 2001.
    """
    order = list(_reached(callers))[::-1]  # the outermost function first
    rank = {name: place for place, name in enumerate(order)}
    entered = {name for name in order if not [each for each in callers[name] if each != name]}
    above: dict[str, str | None] = dict.fromkeys(entered)
    changed = True
    while changed:
        changed = False
        for name in order:
            if name in entered:
                continue
            known = [each for each in callers[name] if each in above and each != name]
            if not known:
                continue
            common: str | None = known[0]
            for each in known[1:]:
                common = _common(common, each, above, rank)
            if name not in above or above[name] != common:
                above[name] = common
                changed = True
        if not changed:
            left = next((name for name in order if name not in above), None)
            if left is not None:  # functions that call each other in a cycle and are not called from outside
                entered.add(left)
                above[left] = None
                changed = True
    return above


def _common(one: str | None, other: str | None, above: Mapping[str, str | None], rank: Mapping[str, int]) -> str | None:
    while one != other:
        if one is None or other is None:
            return None
        if rank[one] > rank[other]:
            one = above[one]
        else:
            other = above[other]
    return one


def _reached(callers: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the functions in postorder: callees before callers, except in cycles."""
    called: dict[str, list[str]] = {name: [] for name in callers}
    for name, each in callers.items():
        for caller in each:
            called[caller].append(name)
    seen: set[str] = set()
    starts = [*(name for name, each in callers.items() if not [one for one in each if one != name]), *callers]
    for start in starts:
        if start in seen:
            continue
        seen.add(start)
        pending = [(start, iter(called[start]))]
        while pending:
            name, rest = pending[-1]
            following = next((each for each in rest if each not in seen), None)
            if following is None:
                yield name
                pending.pop()
            else:
                seen.add(following)
                pending.append((following, iter(called[following])))
