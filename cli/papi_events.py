"""Options that name PAPI events: ``--counters papi:EVENT,…`` and ``--events METRIC=EVENT,…``."""

from __future__ import annotations

import argparse
import re
from typing import Final

from ..errors import way_out
from ..runs.event_groups import MOST_EVENTS, NAMED, WAY_OUT, events_of
from ..runtime.papi.choices import METRICS
from ..runtime.papi.library import named_papi
from ..runtime.simulated_events import is_simulated
from .argument_type import argument_type

__all__ = ["SourcesOfCounts", "add_counting_options", "add_papi", "add_per_run", "named_events", "papi_events"]

_LONGEST: Final = 81  # keep at EVENT_LENGTH - 1 (runtime/probe/counter_papi.c, includes the null byte)


class SourcesOfCounts(tuple[str, ...]):
    """The choices of ``--counters``: fixed words, and lists of events after ``papi:`` or ``simulated:``."""

    __slots__ = ()

    def __contains__(self, wish: object) -> bool:
        return super().__contains__(wish) or (isinstance(wish, str) and (wish.startswith(NAMED) or is_simulated(wish)))


def named_events(text: str) -> str:
    """Return the value of ``--counters`` after checking the events in it.

    Raises:
        argparse.ArgumentTypeError: A word cannot be the name of an event, or appears twice.
    """
    if not text.startswith(NAMED):
        return text
    events = events_of(text)
    for event in events:
        if not re.fullmatch(rf"[!-~]{{1,{_LONGEST}}}", event):
            raise argparse.ArgumentTypeError(
                f"expected papi:EVENT,…, such as papi:perf::PAGE-FAULTS, with events of at most {_LONGEST} "
                f"characters, found {event!r}; {WAY_OUT}"
            )
        if events.count(event) > 1:
            raise argparse.ArgumentTypeError(f"expected each event once, found {event} twice")
    return text


def papi_events(text: str) -> str:
    """Return the value of ``--events``, ``METRIC=EVENT,…``, after checking it.

    Raises:
        argparse.ArgumentTypeError: An entry has a different form, or a metric cannot be counted or is named twice.
    """
    if text == "none":
        return text
    named: set[str] = set()
    for word in text.split(","):
        metric, _, event = word.partition("=")
        if not re.fullmatch(rf"[!-~]{{1,{_LONGEST}}}", event):
            raise argparse.ArgumentTypeError(
                f"expected METRIC=EVENT, such as instructions=PAPI_TOT_INS, with an event of at most {_LONGEST} "
                f"characters, found {word!r}; papi_avail and papi_native_avail list events"
            )
        if metric not in METRICS:
            raise argparse.ArgumentTypeError(f"no metric {metric!r} can be counted; {way_out(metric, METRICS)}")
        if metric in named:
            raise argparse.ArgumentTypeError(f"expected one event for {metric}, found two")
        named.add(metric)
    return text


def add_per_run(parser: argparse.ArgumentParser) -> None:
    """Add the option that limits the number of events per run."""
    parser.add_argument(
        "--per-run",
        type=_number,
        default=MOST_EVENTS,
        metavar="K",
        help="with --counters papi:EVENT,…: count at most K of these events per run (default: as many as fit, at "
        f"most {MOST_EVENTS}); the program is run again for the other events",
    )


def add_counting_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for counting with PAPI."""
    parser.add_argument(
        "--count-in",
        type=_calls,
        metavar="CALLS",
        help=(
            "with --counters papi: count only in MPI calls (mpi), in file I/O calls (io), or in both (mpi,io), "
            "with less overhead than counting in each region; metrics are named EVENT@mpi, EVENT@io or EVENT@mpi+io"
        ),
    )
    add_papi(parser)
    parser.add_argument(
        "--multiplex",
        action="store_true",
        help=(
            "with --counters papi: let events share the hardware counters, so that one run can count more "
            "events; the counts are then estimates"
        ),
    )


def add_papi(parser: argparse.ArgumentParser) -> None:
    """Add the option that selects which libpapi to use."""
    parser.add_argument(
        "--papi",
        type=argument_type(named_papi),
        metavar="LIB",
        help=(
            "with --counters papi: the libpapi to use, given as a file or a name; python_papi selects the "
            "libpapi in the Python package (default: the system's libpapi, else the one in the package)"
        ),
    )


def _calls(text: str) -> str:
    calls = text.split(",")
    if not set(calls) <= {"mpi", "io"} or len(set(calls)) < len(calls):
        raise argparse.ArgumentTypeError(f"expected mpi, io or mpi,io, found {text!r}")
    return text


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= MOST_EVENTS):
        raise argparse.ArgumentTypeError(f"expected a number from 1 to {MOST_EVENTS}, found {text!r}")
    return int(text)
