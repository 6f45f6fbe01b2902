"""``autoanalyzer record``: several runs of a program, which together have all metrics, in one folder."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..errors import UsageError
from ..experiment.run_folder import TRACE_FILE
from ..runtime.folder import RunFolder
from ..view.units import many
from .documents import add_documents, check_targets
from .papi_events import by_papi, one_group
from .run_arguments import INTERVAL, add_measuring_arguments, command_of, counting_run, measured, say
from .timeline import report_on
from .trace_arguments import number_above_0

__all__ = ["add_arguments", "groups_of", "run"]

_RUNS: Final = 3
_REGISTERS: Final = 4  # counters that most processors count at once


@dataclass(frozen=True, slots=True)
class _Planned:
    """One of the runs: where its data go, what it counts, and what is said of it."""

    folder: Path
    counters: str
    events: str | None
    about: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = "autoanalyzer record [options] -- mpirun -n 4 ./app [argument ...]"
    parser.add_argument(
        "--runs",
        type=number_above_0,
        default=_RUNS,
        metavar="N",
        help="how often all is recorded (default: %(default)s): what one run alone shows may be chance",
    )
    parser.add_argument(
        "--per-run",
        type=number_above_0,
        default=_REGISTERS,
        metavar="K",
        help="with --events: how many are counted in a run (default: %(default)s); the first one is in all",
    )
    parser.add_argument("--no-analyze", action="store_true", help="stop once all is recorded")
    add_documents(parser, {"json": "what changes over time, as JSON"})
    add_measuring_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out: 1 if the program failed.

    What is found goes to standard error, so that the program's standard output stays what it is without us.
    """
    command = command_of(arguments, "autoanalyzer record -- mpirun -n 4 ./app")
    check_targets(json=arguments.json)
    one_group(arguments, "record")
    plans = [*_plans(arguments)]
    for number, plan in enumerate(plans, 1):
        mine = copy(arguments)
        mine.output, mine.counters, mine.events = plan.folder, plan.counters, plan.events
        mine.trace = INTERVAL if arguments.trace is None else arguments.trace
        if plan.counters != arguments.counters:
            mine.cache = mine.counting_dir = mine.scratch = None  # those of the first run are enough
            mine.no_copy = False
        with counting_run(mine, command) as counting:
            if number == 1:
                _clear(arguments.output)
            say(f"run {number} of {len(plans)}: {plan.about}")
            done = measured(mine, command, counting)
        if done.failed:
            say(f"stopped after {many(number, 'run')}; {arguments.output} keeps what was recorded")
            return 1
    if not arguments.no_analyze:
        report_on([plan.folder for plan in plans], arguments.json, stderr=True)
    say(f"data {arguments.output}; autoanalyzer timeline {arguments.output} shows this again")
    return 0


def _plans(arguments: argparse.Namespace) -> Iterator[_Planned]:
    """Plan the runs: each repeats all groups of events; what is simulated is the same each time, so once."""
    if arguments.events is not None and not by_papi(arguments.counters):
        raise UsageError(f"--events needs --counters papi, found {arguments.counters}")
    groups = [*groups_of(arguments.events, arguments.per_run)]
    for repeat in range(arguments.runs):
        for number, events in enumerate(groups):
            folder = arguments.output / f"run-{repeat * len(groups) + number + 1}"
            counters = arguments.counters
            if counters == "simulated" and repeat:
                counters = "none"
            about = "time lines, then counts, simulated" if counters == "simulated" else "time lines"
            yield _Planned(folder, counters, events, f"{about} with {events}" if events else about)


def groups_of(events: str | None, most: int) -> Iterator[str | None]:
    """Divide events into groups that can be counted together; the first one is in each."""
    if events is None:
        yield None
        return
    first, *others = events.split(",")
    if most < 2 and others:
        raise UsageError(f"--per-run {most}: expected 2 or more, for the first event is counted in each run")
    for start in range(0, max(len(others), 1), max(most - 1, 1)):
        yield ",".join([first, *others[start : start + most - 1]])


def _clear(output: Path) -> None:
    """Take away the runs that were recorded there before."""
    for trace in output.glob(f"run-*/{TRACE_FILE}"):
        RunFolder(trace.parent).clear()
        if not any(trace.parent.iterdir()):
            trace.parent.rmdir()
