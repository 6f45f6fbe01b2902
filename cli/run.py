"""``autoanalyzer run``: run a program under its launcher, gather the data, and print the verdict."""

from __future__ import annotations

import argparse
from dataclasses import replace

from ..errors import AutoanalyzerError
from ..runs.event_groups import event_groups, one_group
from ..runs.options import RunOptions
from ..runtime.folder import RunFolder
from ..view.terminal import print_verdict
from .analysis_arguments import add_analysis_arguments, advice_of, findings_of, write_findings
from .documents import check_targets
from .option_groups import show_in_groups
from .papi_events import add_per_run
from .reporter import REPORTER, say
from .run_arguments import add_measuring_arguments, command_of, options_of
from .trace_arguments import number_above_0

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = "autoanalyzer run [options] -- mpirun -n 4 ./app [argument ...]"
    parser.add_argument(
        "--repeat",
        type=number_above_0,
        default=1,
        metavar="N",
        help="run the program N times (default: 1); the verdict describes the mean of these runs, and shows in how "
        "many runs each finding appears",
    )
    parser.add_argument(
        "--no-calibrate",
        action="store_true",
        help="skip the short benchmark of instructions, cache misses and files that precedes the first run on a "
        "machine",
    )
    add_per_run(parser)
    parser.add_argument(
        "--no-analyze", action="store_true", help="stop after writing the experiment, without a verdict"
    )
    add_analysis_arguments(parser)
    add_measuring_arguments(parser)
    show_in_groups(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return 1 if the program failed.

    The verdict goes to standard error, so the program's standard output stays unchanged.
    """
    from ..runs.counting_run import counting_run
    from ..runs.event_runs import measured_in_parts
    from ..runs.measured_run import measured
    from ..runs.repeated_runs import measured_repeatedly
    from ..runtime.calibration.at_first import calibrate_at_first
    from ..runtime.launch import ended_in_order

    command = command_of(arguments, "autoanalyzer run -- mpirun -n 4 ./app")
    check_targets(json=arguments.json)
    options, groups = _options_and_groups(arguments)
    if not arguments.no_calibrate:
        with ended_in_order():
            calibrate_at_first(command, options.output, say=say)
    with counting_run(options, command, REPORTER) as counting:
        if len(groups) > 1:
            done = measured_in_parts(options, command, groups, REPORTER)
        elif arguments.repeat > 1:
            done = measured_repeatedly(options, command, arguments.repeat, counting, REPORTER)
        else:
            done = measured(options, command, counting, REPORTER, hands_over=not (counting or arguments.json))
    file = RunFolder(options.output).experiment
    if done.experiment is None:
        return 1
    if arguments.no_analyze:
        say(f"data {file}")
    else:
        from ..view.verdict import verdict_lines

        try:
            findings = findings_of(done.experiment, arguments, file)
        except AutoanalyzerError:
            say(f"data {file}")
            raise
        advised = advice_of(findings, arguments, file)
        if arguments.json:
            write_findings(findings, file, arguments.json, advised=advised, not_counted=done.not_counted)
        print_verdict(verdict_lines(findings, file, done.not_counted, advised=advised), stderr=True)
    if done.plan:
        say(done.plan)
    return int(done.failed)


def _options_and_groups(arguments: argparse.Namespace) -> tuple[RunOptions, list[str]]:
    """Return the options, and a value of ``--counters`` for each run that is needed to count all events."""
    options = options_of(arguments)
    if arguments.repeat > 1:
        options = one_group(options, "--repeat")
        return options, [options.counters]
    groups = event_groups(options, arguments.per_run)
    return (replace(options, counters=groups[0]) if len(groups) == 1 else options), groups
