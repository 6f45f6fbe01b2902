"""The events that a counting run counts besides instructions and memory accesses."""

from __future__ import annotations

from typing import Final

from ..errors import UsageError, way_out

__all__ = [
    "L3_MISSES",
    "SIMULATED_EVENTS",
    "TLB_MISSES",
    "event_named",
    "event_options",
    "is_simulated",
    "named_events",
]

L3_MISSES: Final = "l3_misses"
TLB_MISSES: Final = "tlb_misses"
_UNASKED: Final = ("divisions", "branches", "branch_misses", "denormals")
SIMULATED_EVENTS: Final = (*_UNASKED, L3_MISSES, TLB_MISSES)  # the same as AA_RTCOUNT_EVENT_NAMES

_SIMULATED: Final = "simulated"
_SOURCE: Final = "simulated:rtcount:"  # prefix of an event, as in describe in runtime/probe/counter_simulated.c


def is_simulated(counters: str) -> bool:
    """Return whether a source of counts is the simulation, with or without named events."""
    return counters.partition(":")[0] == _SIMULATED


def event_options(counters: str) -> list[str]:
    """Return the counting tool's options for ``simulated`` or ``simulated:EVENT,…``.

    Without names, all events except L3 and TLB misses are counted. Counting denormal numbers is slow, so in this case
    it starts only after the processor has met the first one.

    Raises:
        UsageError: There is no such event, or it is named twice.
    """
    if named := named_events(counters):
        return [f"--events={','.join(named)}"]
    return [f"--events={','.join(_UNASKED)}", "--await-denormal=yes"]


def named_events(counters: str) -> list[str]:
    """Return the events in ``simulated:EVENT,…``; none for ``simulated`` alone.

    Raises:
        UsageError: There is no such event, or it is named twice.
    """
    _, named, names = counters.partition(":")
    events = names.split(",") if named else []
    for event in events:
        if event not in SIMULATED_EVENTS:
            raise UsageError(f"--counters: no event {event!r} can be simulated; {way_out(event, SIMULATED_EVENTS)}")
        if events.count(event) > 1:
            raise UsageError(f"--counters: expected each event once, found {event} twice")
    return events


def event_named(source: str) -> str | None:
    """Return the event in a source that the probe library wrote; None for any other source."""
    return source.removeprefix(_SOURCE).partition(" ")[0] if source.startswith(_SOURCE) else None
