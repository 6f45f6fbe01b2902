"""``autoanalyzer record``: run a program several times with time lines; together, the runs record all metrics."""

from __future__ import annotations

import argparse
from typing import Final

from .documents import add_documents, check_targets
from .option_groups import show_in_groups
from .reporter import REPORTER, say
from .run_arguments import add_measuring_arguments, command_of, options_of
from .timeline import report_on
from .trace_arguments import number_above_0

__all__ = ["add_arguments", "run"]

_RUNS: Final = 3
_REGISTERS: Final = 4  # number of events that most processors can count at the same time


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = "autoanalyzer record [options] -- mpirun -n 4 ./app [argument ...]"
    parser.add_argument(
        "--runs",
        type=number_above_0,
        default=_RUNS,
        metavar="N",
        help="number of times to record all events (default: %(default)s); a change seen in only one run may be due "
        "to chance",
    )
    parser.add_argument(
        "--per-run",
        type=number_above_0,
        default=_REGISTERS,
        metavar="K",
        help="with --events: number of events per run, including the first event, which is counted in all runs "
        "(default: %(default)s)",
    )
    parser.add_argument("--no-analyze", action="store_true", help="stop after recording, without a report")
    add_documents(parser, {"json": "what changes over time, as JSON"})
    add_measuring_arguments(parser)
    show_in_groups(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return 1 if the program failed.

    Findings go to standard error, so the program's standard output stays unchanged.
    """
    from ..runs.recorded_runs import recorded

    command = command_of(arguments, "autoanalyzer record -- mpirun -n 4 ./app")
    check_targets(json=arguments.json)
    options = options_of(arguments)
    folders = recorded(options, command, runs=arguments.runs, per_run=arguments.per_run, reporter=REPORTER)
    if folders is None:
        return 1
    if not arguments.no_analyze:
        report_on(folders, arguments.json, stderr=True)
    say(f"data in {options.output}; to show this report again, run: autoanalyzer timeline {options.output}")
    return 0
