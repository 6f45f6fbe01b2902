"""Events of PAPI that the user names, ``--counters papi:EVENT,…``: each is a metric."""

from __future__ import annotations

import argparse
import re
from typing import Final

from ..errors import UsageError
from ..runtime.usage.names import usage_of

__all__ = [
    "LONGEST_EVENT",
    "MOST_EVENTS",
    "SourcesOfCounts",
    "add_counting_options",
    "add_per_run",
    "by_papi",
    "check_counting_options",
    "event_groups",
    "events_of",
    "named_events",
    "one_group",
]

LONGEST_EVENT: Final = 81  # twin: EVENT_LENGTH in runtime/probe/counter_papi.c, less the 0 at the end
MOST_EVENTS: Final = 6  # in a run; twin: AA_MOST_EVENTS in runtime/probe/shard.h

_PAPI: Final = "papi"
_NAMED: Final = f"{_PAPI}:"
_WAY_OUT: Final = "autoanalyzer counters tries which events there are"


class SourcesOfCounts(tuple[str, ...]):
    """Where counts may come from: what shells complete, and events of PAPI by their names."""

    __slots__ = ()

    def __contains__(self, wish: object) -> bool:
        return super().__contains__(wish) or (isinstance(wish, str) and wish.startswith(_NAMED))


def by_papi(counters: str) -> bool:
    """Tell whether PAPI counts, if anything does."""
    return counters in ("auto", _PAPI) or counters.startswith(_NAMED)


def named_events(text: str) -> str:
    """Read where counts come from, with the events in it.

    Raises:
        argparse.ArgumentTypeError: A word is no name of an event, or stands there twice.
    """
    if not text.startswith(_NAMED):
        return text
    events = events_of(text)
    for event in events:
        if not re.fullmatch(rf"[!-~]{{1,{LONGEST_EVENT}}}", event):
            raise argparse.ArgumentTypeError(
                f"expected papi:EVENT,…, such as papi:perf::PAGE-FAULTS, with events of at most {LONGEST_EVENT} "
                f"characters, found {event!r}; {_WAY_OUT}"
            )
        if events.count(event) > 1:
            raise argparse.ArgumentTypeError(f"expected each event once, found {event} twice")
    return text


def events_of(counters: str) -> list[str]:
    """Give the events that stand in where counts come from."""
    return counters.removeprefix(_NAMED).split(",")


def event_groups(
    counters: str, most: int = MOST_EVENTS, usage: str | None = None, *, multiplex: bool = False
) -> list[str]:
    """Try the events that are named, and divide them into those that can be counted together.

    Args:
        counters: Where counts come from.
        most: How many events a run counts.
        usage: What else is counted in places for events, ``--usage``.
        multiplex: Whether events take turns on the processor's counters.

    Returns:
        Where they come from in each run: one, unless several are needed.

    Raises:
        UsageError: An event cannot be counted here.
    """
    if not counters.startswith(_NAMED):
        return [counters]
    from ..runtime.papi.lookup import look_up  # noqa: PLC0415 - most runs name none

    room = MOST_EVENTS - len(usage_of(usage or ""))
    if not room:
        raise UsageError(
            f"--usage: expected at most {MOST_EVENTS - 1} metrics beside events of PAPI, found {MOST_EVENTS}"
        )
    found = look_up(events_of(counters), min(most, room), multiplex=multiplex)
    if found.reason:
        raise UsageError(f"--counters {counters}: {found.reason}; {_WAY_OUT}")
    spelt = [each.counted_as for each in found.events]
    for each in found.events:
        if spelt.count(each.counted_as) > 1:
            raise UsageError(f"--counters: expected each event once, found {each.counted_as} by two names")
        if not each.starts:
            raise UsageError(
                f"--counters: expected events that can be counted, found {each.event}: {each.reason}; {_WAY_OUT}"
            )
        if each.outcome == "starts" and not each.whole:
            raise UsageError(
                f"--counters: {each.event} would count nothing, as what happens in the kernel is not open to you; "
                f"{_WAY_OUT}"
            )
    return [f"{_NAMED}{','.join(group)}" for group in found.groups]


def one_group(arguments: argparse.Namespace, what: str) -> None:
    """Try the events that are named, which must be countable in one run.

    Raises:
        UsageError: They are not; ``what`` has one run.
    """
    groups = event_groups(arguments.counters, usage=arguments.usage, multiplex=arguments.multiplex)
    if len(groups) > 1:
        events = len(events_of(arguments.counters))
        raise UsageError(
            f"{what} counts in one run: expected events that can be counted together, found {events} that take "
            f"{len(groups)} runs; name fewer, or use autoanalyzer run"
        )
    arguments.counters = groups[0]


def add_per_run(parser: argparse.ArgumentParser) -> None:
    """Add the option that limits how many events are counted in a run."""
    parser.add_argument(
        "--per-run",
        type=_number,
        default=MOST_EVENTS,
        metavar="K",
        help=f"with --counters papi:EVENT,…: count at most K of these events in a run (default: {MOST_EVENTS}, or as "
        "many as can be counted together); for more the program is run again",
    )


def add_counting_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how PAPI counts."""
    parser.add_argument(
        "--count-in",
        type=_calls,
        metavar="CALLS",
        help="with papi: count in calls of MPI, of file I/O, or both alone (mpi, io or mpi,io), where counting in each "
        "region is too dear: papi:EVENT becomes EVENT@mpi, and so on; of all else mpi_instructions is counted",
    )
    parser.add_argument(
        "--multiplex",
        action="store_true",
        help="with papi: let events take turns on the processor's counters, so that one run counts more than there are "
        "counters; the counts are estimates",
    )


def check_counting_options(arguments: argparse.Namespace) -> None:
    """See whether the options that say how PAPI counts fit.

    Raises:
        UsageError: They do not.
    """
    for option, given in ("--events", arguments.events is not None), ("--count-in", arguments.count_in is not None):
        if given and not by_papi(arguments.counters):
            raise UsageError(f"{option} needs --counters papi, found {arguments.counters}")
    if arguments.multiplex and not by_papi(arguments.counters):
        raise UsageError(f"--multiplex needs --counters papi, found {arguments.counters}")
    if arguments.count_in is None:
        return
    if arguments.usage:
        raise UsageError("--usage is counted on each call path: expected it without --count-in, found both")
    if arguments.events not in (None, "none"):
        raise UsageError(
            "--count-in counts events that --counters papi:EVENT,… names, and mpi_instructions: expected --events none "
            f"or no --events, found {arguments.events}"
        )
    if "mpi" not in arguments.count_in and not arguments.counters.startswith(_NAMED):
        raise UsageError(f"--count-in io needs --counters papi:EVENT,…, found {arguments.counters}; {_WAY_OUT}")


def _calls(text: str) -> str:
    calls = text.split(",")
    if not set(calls) <= {"mpi", "io"} or len(set(calls)) < len(calls):
        raise argparse.ArgumentTypeError(f"expected mpi, io or mpi,io, found {text!r}")
    return text


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= MOST_EVENTS):
        raise argparse.ArgumentTypeError(f"expected a number from 1 to {MOST_EVENTS}, found {text!r}")
    return int(text)
