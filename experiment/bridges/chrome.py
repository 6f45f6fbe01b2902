"""Read traces in Chrome's format, which Perfetto reads and many tools write; slices become call paths.

If a slice begins within another slice of the same thread, the outer slice counts as its caller.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...errors import InputError
from ..experiment import Experiment
from ..region import Region
from .profile import Profile

__all__ = ["events_of", "read_events"]

_MICROSECONDS: Final = 1e6
_RANK: Final = re.compile(r"(?i)(?:mpi )?rank[ _:]*(\d{1,9})\b")
_SLICES: Final = ("X", "B", "E")
_NAMES: Final = "M"
_UNNAMED: Final = "slice"

_Thread = tuple[str, str]


class _Slice(NamedTuple):
    """One visit to a region; times are in microseconds."""

    begin: float
    end: float
    name: str


def events_of(document: Any) -> Sequence[Mapping[str, Any]] | None:
    """Return the events of a JSON document; None if it is not a trace in Chrome's format."""
    if isinstance(document, dict) and isinstance(document.get("traceEvents"), list):
        document = document["traceEvents"]
    elif not (isinstance(document, list) and document and isinstance(document[0], dict) and "ph" in document[0]):
        return None
    found: list[Mapping[str, Any]] = document
    return found


def read_events(events: Sequence[Mapping[str, Any]]) -> Experiment:
    """Return the profile of a trace, in which slices are added up by call path.

    Raises:
        InputError: There are no slices, or a slice ends before it begins.
    """
    slices, names, left_out = _slices(events)
    if not any(slices.values()):
        raise InputError(f"expected slices (events X, or B and E), found {', '.join(sorted(left_out)) or 'no events'}")
    profile = Profile("Chrome trace")
    for metric in ("visits", "wall_time"):
        profile.metric(metric)
    ranks, named = _ranks({process for process, _ in slices}, names)
    threads: defaultdict[str, list[str]] = defaultdict(list)
    for process, thread in sorted(slices, key=lambda each: (_order(each[0]), _order(each[1]))):
        threads[process].append(thread)
    outermost = {each.name for found in slices.values() for each in found[:1]}
    root = profile.path(Region("program", "program", "", "program")) if len(outermost) > 1 else None
    for (process, thread), found in slices.items():
        place = profile.location(ranks[process], threads[process].index(thread))
        _add(profile, found, place, root)
    unnamed = "no ranks, so processes are numbered in the order of their IDs"
    said = "ranks are taken from process names" if named else unnamed
    others = f"; events not read: {', '.join(sorted(left_out))}" if left_out else ""
    profile.remarks.append(f"Chrome trace: {said}{others}")
    return profile.experiment()


def _slices(events: Sequence[Mapping[str, Any]]) -> tuple[dict[_Thread, list[_Slice]], dict[str, str], set[str]]:
    """Return each thread's slices in order, the names of the processes, and the kinds of all other events."""
    found: defaultdict[_Thread, list[_Slice]] = defaultdict(list)
    begun: defaultdict[_Thread, list[tuple[float, str]]] = defaultdict(list)
    last: defaultdict[_Thread, float] = defaultdict(float)
    names: dict[str, str] = {}
    left_out: set[str] = set()
    paired = [each for each in events if each.get("ph") in ("B", "E")]
    for event in [*(each for each in events if each.get("ph") not in ("B", "E")), *sorted(paired, key=_time)]:
        kind, thread = str(event.get("ph", "?"))[:1], (str(event.get("pid", "")), str(event.get("tid", "")))
        if kind == _NAMES and event.get("name") == "process_name":
            names[thread[0]] = str(event.get("args", {}).get("name", ""))
        if kind not in _SLICES:
            left_out |= {kind} - {_NAMES}
            continue
        time, name = _time(event), str(event.get("name", _UNNAMED)) or _UNNAMED
        end = time + float(event.get("dur", 0)) if kind == "X" else time
        last[thread] = max(last[thread], end)
        if kind == "X":
            found[thread].append(_Slice(time, end, name))
        elif kind == "B":
            begun[thread].append((time, name))
        elif begun[thread]:
            begin, opened = begun[thread].pop()
            found[thread].append(_Slice(begin, time, opened))
    for thread, still_open in begun.items():
        found[thread] += [_Slice(begin, last[thread], name) for begin, name in still_open]
    ordered = {thread: sorted(each, key=lambda one: (one.begin, -one.end)) for thread, each in found.items()}
    return ordered, names, left_out


def _time(event: Mapping[str, Any]) -> float:
    return float(event["ts"])


def _order(number: str) -> tuple[int, str]:
    return (int(number), "") if number.isdigit() and len(number) < 20 else (1 << 70, number)


def _ranks(processes: set[str], names: Mapping[str, str]) -> tuple[dict[str, int], bool]:
    """Map processes to ranks, and return whether their names contain the ranks; otherwise, number them in ID order."""
    told = {each: found[1] for each in processes if (found := _RANK.search(names.get(each, "")))}
    if told.keys() == processes and len({*told.values()}) == len(processes):
        return {each: int(rank) for each, rank in told.items()}, True
    return {each: rank for rank, each in enumerate(sorted(processes, key=_order))}, False


def _add(profile: Profile, slices: Sequence[_Slice], place: int, root: int | None) -> None:
    """Add the exclusive time of each slice, which is its duration without the slices inside it."""
    stack: list[tuple[_Slice, int]] = []
    for each in slices:
        if each.end < each.begin:
            raise InputError(
                f"expected slices that end after they begin, found {each.name} from {each.begin:g} to {each.end:g}"
            )
        while stack and stack[-1][0].end <= each.begin:
            stack.pop()
        path = profile.path(each.name, stack[-1][1] if stack else root)
        if stack:
            outer, above = stack[-1]
            profile.add("wall_time", above, place, -(min(each.end, outer.end) - each.begin) / _MICROSECONDS)
        profile.add("wall_time", path, place, (each.end - each.begin) / _MICROSECONDS)
        profile.add("visits", path, place, 1)
        stack.append((each, path))
