"""The events that a counting run counts besides instructions and accesses to data."""

from __future__ import annotations

from typing import Final

from ..errors import UsageError, way_out

__all__ = ["SIMULATED_EVENTS", "event_named", "event_options", "is_simulated"]

SIMULATED_EVENTS: Final = ("divisions", "branches", "branch_misses", "denormals")  # twin: AA_RTCOUNT_EVENT_NAMES

_SIMULATED: Final = "simulated"
_SOURCE: Final = "simulated:rtcount:"  # before an event; twin: describe in runtime/probe/counter_simulated.c


def is_simulated(counters: str) -> bool:
    """Return whether a source of counts is the simulation, with named events or without."""
    return counters.partition(":")[0] == _SIMULATED


def event_options(counters: str) -> list[str]:
    """Return the counting tool's options for ``simulated`` or ``simulated:EVENT,…``.

    Without names it counts all events. Then it begins to look for denormal numbers, which takes long, when there is
    one.

    Raises:
        UsageError: There is no such event, or it is named twice.
    """
    _, named, names = counters.partition(":")
    if not named:
        return [f"--events={','.join(SIMULATED_EVENTS)}", "--await-denormal=yes"]
    events = names.split(",")
    for event in events:
        if event not in SIMULATED_EVENTS:
            raise UsageError(f"--counters: no event {event!r} is simulated; {way_out(event, SIMULATED_EVENTS)}")
        if events.count(event) > 1:
            raise UsageError(f"--counters: expected each event once, found {event} twice")
    return [f"--events={names}"]


def event_named(source: str) -> str | None:
    """Return the event in a source that the probe library wrote; None if it is another source."""
    return source.removeprefix(_SOURCE) if source.startswith(_SOURCE) else None
