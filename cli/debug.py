"""``autoanalyzer debug``: two automatic rounds, from functions to the loops or calls that take most time."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Final

from ..runs.event_groups import one_group
from ..view.terminal import print_verdict
from .analysis_arguments import add_analysis_arguments, advice_of, findings_of, write_findings
from .documents import check_targets
from .option_groups import show_in_groups
from .reporter import REPORTER
from .run_arguments import add_measuring_arguments, command_of, options_of

if TYPE_CHECKING:
    from ..runs.rounds import Outcome

__all__ = ["add_arguments", "run"]

_USAGE: Final = 'autoanalyzer debug --build "make -j" [options] -- mpirun -n 4 ./app'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = f"{_USAGE} [argument ...]"
    parser.add_argument(
        "--build",
        required=True,
        metavar="COMMAND",
        help="shell command that builds the program; it gets the instrumenting compilers as $CC, $CXX and $FC, and as "
        "mpicc, mpicxx, mpifort and the like",
    )
    parser.add_argument(
        "--clean",
        metavar="COMMAND",
        help="command that cleans before each build; needed if the program is up to date already (default: none)",
    )
    add_analysis_arguments(parser)
    add_measuring_arguments(parser)
    show_in_groups(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out: 1 if the program failed in either round."""
    from ..runs.rounds import Rounds

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


def _print(outcome: Outcome, arguments: argparse.Namespace) -> None:
    """Print the verdict of the last round, and write its document."""
    from ..view.verdict import verdict_lines

    if outcome.last is None:
        return
    findings, file = outcome.last.findings, outcome.last.file
    advised = advice_of(findings, arguments, file)
    if arguments.json:
        write_findings(findings, file, arguments.json, advised=advised, not_counted=outcome.not_counted)
    print_verdict(verdict_lines(findings, file, outcome.not_counted, advised=advised), stderr=True)
