"""Check PAPI events named in ``--counters papi:EVENT,…``, and group those that can be counted together."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ..errors import UsageError
from ..runtime.usage.names import usage_of
from .options import RunOptions

__all__ = [
    "MOST_EVENTS",
    "NAMED",
    "WAY_OUT",
    "by_papi",
    "check_counting_options",
    "event_groups",
    "events_of",
    "one_group",
]

MOST_EVENTS: Final = 6  # per run; keep equal to AA_MOST_EVENTS in runtime/probe/shard.h
NAMED: Final = "papi:"  # prefix of a list of events
WAY_OUT: Final = "autoanalyzer counters lists the events that can be counted here"


def by_papi(counters: str) -> bool:
    """Return whether a value of ``--counters`` selects PAPI; with ``auto``, PAPI counts if it can."""
    return counters in ("auto", "papi") or counters.startswith(NAMED)


def events_of(counters: str) -> list[str]:
    """Return the events that ``papi:EVENT,…`` names."""
    return counters.removeprefix(NAMED).split(",")


def event_groups(options: RunOptions, most: int = MOST_EVENTS) -> list[str]:
    """Try to count the named PAPI events, and divide them into groups that can be counted together.

    Args:
        options: Options of the run.
        most: The maximum number of events per run.

    Returns:
        The value of ``--counters`` for each run that is needed.

    Raises:
        UsageError: An event cannot be counted on this machine, or is named twice; or ``--usage`` requests so many
            metrics that none can be added.
    """
    counters = options.counters
    if not counters.startswith(NAMED):
        return [counters]
    from ..runtime.packaged_papi import papi_variables  # noqa: PLC0415 - most runs name no events
    from ..runtime.papi.library import WAY_TO_ONE  # noqa: PLC0415
    from ..runtime.papi.lookup import look_up  # noqa: PLC0415

    room = MOST_EVENTS - len(usage_of(options.usage or ""))
    if not room:
        raise UsageError(
            f"--usage: expected at most {MOST_EVENTS - 1} metrics when combined with PAPI events, found {MOST_EVENTS}"
        )
    variables = papi_variables(options.papi)
    found = look_up(events_of(counters), min(most, room), multiplex=options.multiplex, variables=variables)
    if found.reason:
        raise UsageError(
            f"--counters {counters}: {found.reason}; {WAY_OUT if found.library or options.papi else WAY_TO_ONE}"
        )
    spelt = [each.counted_as for each in found.events]
    for each in found.events:
        if spelt.count(each.counted_as) > 1:
            raise UsageError(f"--counters: expected each event once, found {each.counted_as} under two names")
        if not each.starts:
            raise UsageError(f"--counters: {each.event} cannot be counted: {each.reason}; {WAY_OUT}")
        if each.outcome == "starts" and not each.whole:
            raise UsageError(
                f"--counters: {each.event} would count nothing, because you have no permission to count events in the "
                f"kernel; {WAY_OUT}"
            )
    return [f"{NAMED}{','.join(group)}" for group in found.groups]


def one_group(options: RunOptions, what: str) -> RunOptions:
    """Return options that count the named events in a single run.

    Args:
        options: Options of the run.
        what: The command or option that allows only one run; it is named in the error.

    Raises:
        UsageError: The events cannot be counted together.
    """
    groups = event_groups(options)
    if len(groups) > 1:
        events = len(events_of(options.counters))
        raise UsageError(
            f"{what} counts all named events in the same run, but these {events} events need {len(groups)} runs; name "
            "fewer events, or use autoanalyzer run without --repeat"
        )
    return replace(options, counters=groups[0])


def check_counting_options(options: RunOptions) -> None:
    """Check that options for PAPI fit the source of counts.

    Raises:
        UsageError: An option needs a different source of counts, or excludes another option.
    """
    for option, given in ("--events", options.events is not None), ("--count-in", options.count_in is not None):
        if given and not by_papi(options.counters):
            raise UsageError(f"{option} needs --counters papi, found {options.counters}")
    for option, chosen in ("--multiplex", options.multiplex), ("--papi", options.papi is not None):
        if chosen and not by_papi(options.counters):
            raise UsageError(f"{option} needs --counters papi, found {options.counters}")
    if options.count_in is None:
        return
    if options.usage:
        raise UsageError("--usage cannot be combined with --count-in, because --usage counts on each call path")
    if options.events not in (None, "none"):
        raise UsageError(
            "--count-in counts only mpi_instructions and the events in --counters papi:EVENT,…: expected --events "
            f"none or no --events, found {options.events}"
        )
    if "mpi" not in options.count_in and not options.counters.startswith(NAMED):
        raise UsageError(f"--count-in io needs --counters papi:EVENT,…, found {options.counters}; {WAY_OUT}")
