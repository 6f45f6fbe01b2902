"""``autoanalyzer debug``: build and run twice, first to find slow functions, then the slow loops and calls in them."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import UsageError
from ..runs.event_groups import one_group
from ..view.terminal import print_verdict
from .analysis_arguments import add_analysis_arguments, advice_of, findings_of, write_findings
from .documents import check_targets
from .option_groups import show_in_groups
from .refine import print_plan
from .reporter import REPORTER
from .run_arguments import add_measuring_arguments, command_of, options_of

if TYPE_CHECKING:
    from ..runs.rounds import Outcome

__all__ = ["add_arguments", "run"]

_USAGE: Final = 'autoanalyzer debug --build "make -j" [options] -- mpirun -n 4 ./app'
_PLAN_ONLY: Final = "autoanalyzer debug --plan-only EXPERIMENT -o PLAN [analysis options]"
_OF_PLAN: Final = {
    *("plan_only", "output", "exclude_rank", "include_rank", "exclude_region", "least"),
    *("dissimilarity_metric", "disparity_metric", "method"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = f"{_USAGE} [argument ...]\n{' ' * len('usage: ')}{_PLAN_ONLY}"
    parser.add_argument(
        "--build",
        metavar="COMMAND",
        help=(
            "shell command that builds the program; it finds the instrumenting compilers in $CC, $CXX and $FC, "
            "and under the names mpicc, mpicxx, mpifort, etc."
        ),
    )
    parser.add_argument(
        "--clean",
        metavar="COMMAND",
        help=(
            "shell command, run before each build, that removes the output of earlier builds; needed if the "
            "program is already built (default: none)"
        ),
    )
    parser.add_argument(
        "--plan-only",
        type=Path,
        metavar="EXPERIMENT",
        help="do not build or run; analyse this run of the first build, and write the plan for the second build (-o)",
    )
    add_analysis_arguments(parser)
    add_measuring_arguments(parser)
    show_in_groups(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return 1 if the program failed in either round."""
    if arguments.plan_only is not None:
        return _plan_only(arguments)
    from ..runs.rounds import Rounds

    if arguments.build is None:
        arguments.parser.error("the following arguments are required: --build")
    command = command_of(arguments, _USAGE)
    check_targets(json=arguments.json)
    rounds = Rounds(
        one_group(options_of(arguments), "debug"),
        command,
        build=arguments.build,
        clean=arguments.clean,
        analyse=partial(findings_of, arguments=arguments),
        reporter=REPORTER,
    )
    with rounds.alone():
        outcome = rounds.narrow()
        _print(outcome, arguments)
        rounds.say_what_stays()
        if outcome.error:
            raise outcome.error
    return int(outcome.failed)


def _plan_only(arguments: argparse.Namespace) -> int:
    defaults = {action.dest: action.default for action in arguments.parser._actions if action.dest != "help"}
    given = {name for name, default in defaults.items() if getattr(arguments, name) not in (default, [])}
    if "output" not in given or given - _OF_PLAN:
        raise UsageError(f"--plan-only needs a run to analyse and a file to write: {_PLAN_ONLY}")
    print_plan(arguments.plan_only, arguments)
    return 0


def _print(outcome: Outcome, arguments: argparse.Namespace) -> None:
    """Print the verdict of the last round, and write its findings as JSON if requested."""
    from ..view.verdict import verdict_lines

    if outcome.last is None:
        return
    findings, file = outcome.last.findings, outcome.last.file
    advised = advice_of(findings, arguments, file)
    if arguments.json:
        write_findings(findings, file, arguments.json, advised=advised, not_counted=outcome.not_counted)
    print_verdict(verdict_lines(findings, file, outcome.not_counted, advised=advised), stderr=True)
