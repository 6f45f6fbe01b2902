"""``autoanalyzer run``: run a program under its own launcher, gather, analyse."""

from __future__ import annotations

import argparse
import re
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final

from ..errors import AutoanalyzerError, InputError, UsageError
from ..experiment import Experiment
from ..runtime.cache_geometry import parse_geometry, this_machine
from ..runtime.counting_run import CountingRun, prepared_counting
from ..runtime.folder import RunFolder
from ..runtime.measure import measure
from ..view import print_verdict, ranks, verdict_lines
from .analysis import add_analysis_arguments, findings_of, write_findings
from .documents import check_targets
from .progress import counted, progress

__all__ = ["HELP", "NAME", "add_arguments", "run"]

NAME: Final = "run"
HELP: Final = "run a program under its own launcher and print what is slow, on which ranks, and where"

_COUNTERS: Final = ("auto", "papi", "simulated", "none")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = "autoanalyzer run [options] -- mpirun -n 4 ./app [argument ...]"
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("autoanalyzer-out"),
        metavar="DIR",
        help="folder for the experiment (default: %(default)s); that of an earlier run gives way",
    )
    parser.add_argument(
        "--counters",
        choices=_COUNTERS,
        default="auto",
        help="take counts from the processor by PAPI; simulate them in a second run of the program, which may take "
        "20 times as long; auto: by PAPI if that counts anything here (default)",
    )
    parser.add_argument(
        "--cache", metavar="GEOMETRY", help="the caches to simulate, size/ways/line: L1=32K/8/64,L2=1M/8/64"
    )
    parser.add_argument(
        "--counting-dir",
        type=Path,
        metavar="DIR",
        help="where the second run takes place, and may overwrite files (default: in a copy of this folder)",
    )
    parser.add_argument("--no-analyze", action="store_true", help="stop once the experiment is written")
    parser.add_argument("--no-environment", action="store_true", help="keep no environment variables")
    parser.add_argument(
        "--gather",
        choices=("auto", "mpi", "plain"),
        default="auto",
        help="collect the ranks' data by an MPI job, or read it from this disk; auto: by MPI if some is not here",
    )
    parser.add_argument(
        "--max-memory",
        type=_matching(r"\d+[KMG]?", "bytes"),
        metavar="SIZE",
        help="so much a process may record, such as 64M (default: 256M); where more is wanted, the deepest call paths "
        "are counted to their callers",
    )
    parser.add_argument(
        "--max-overhead",
        type=_matching(r"\d+(\.\d+)?%?", "a share"),
        metavar="SHARE",
        help="throttle small regions that are entered so often that measuring them takes more than this share, such as "
        "5%%: their time is counted to their callers, and DIR/plan.toml leaves them out of the next build",
    )
    add_analysis_arguments(parser)
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the launcher and the program")


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out: 1 if the program failed.

    The verdict goes to standard error, so that the program's standard output stays what it is without us.
    """
    command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if not command:
        raise UsageError("a command to run wanted, found none; for example: autoanalyzer run -- mpirun -n 4 ./app")
    check_targets(json=arguments.json)
    with _counting_run(arguments, command) as counting:
        experiment, failed = _measured(arguments, command, counting)
    file = RunFolder(arguments.output).experiment
    if experiment is None:
        return 1
    if arguments.no_analyze:
        _say(f"data {file}")
    else:
        try:
            findings = findings_of(experiment, arguments)
        except AutoanalyzerError:
            _say(f"data {file}")
            raise
        if arguments.json:
            write_findings(findings, file, arguments.json)
        print_verdict(verdict_lines(findings, file), stderr=True)
    return 1 if failed else 0


def _counting_run(arguments: argparse.Namespace, command: list[str]) -> AbstractContextManager[CountingRun | None]:
    """Give how counts are to be simulated; None if they are not.

    Raises:
        UsageError: The caches cannot be read or simulated, or are named where nothing is simulated.
    """
    if arguments.counters == "simulated":
        geometry = this_machine(say=_say) if arguments.cache is None else parse_geometry(arguments.cache)
        return prepared_counting(command, arguments.output, geometry, arguments.counting_dir, _say)
    for option, value in (("--cache", arguments.cache), ("--counting-dir", arguments.counting_dir)):
        if value is not None:
            raise UsageError(f"{option}: --counters simulated wanted with it, found {arguments.counters}")
    return nullcontext()


def _measured(
    arguments: argparse.Namespace, command: list[str], counting: CountingRun | None
) -> tuple[Experiment | None, bool]:
    """Run the program, a second time if it is to be counted.

    Returns:
        What was measured, None if the program failed and nothing was; whether anything failed.
    """
    with counted("gather") as told:
        measurement = measure(
            command,
            arguments.output,
            counters="none" if counting else arguments.counters,
            gather=arguments.gather,
            keep_environment=not arguments.no_environment,
            limits={
                name: value
                for name, value in (
                    ("AUTOANALYZER_MAX_MEMORY", arguments.max_memory),
                    ("AUTOANALYZER_MAX_OVERHEAD", arguments.max_overhead),
                )
                if value is not None
            },
            told=told,
            say=_say,
        )
    experiment, status = measurement.experiment, measurement.status
    # A rank that never enters MPI_Finalize is a failure, which not every launcher's status tells.
    failed = bool(status or (experiment and experiment.notes.unfinished))
    if failed:
        _say(_ending(status, experiment))
    if experiment is None:
        if failed:
            _say("nothing was recorded")
            return None, True
        raise InputError(
            f"nothing was recorded; an MPI program, or one compiled by aa-mpicc, wanted, ran {' '.join(command)}"
        )
    if counting and failed:
        _say("no counting run, as the program failed")
    elif counting:
        try:
            with progress("counting run"):
                experiment = counting.add_to(experiment, _say)
        except AutoanalyzerError as error:
            _say(str(error))
            failed = True
    return experiment, failed


def _matching(pattern: str, wanted: str) -> Callable[[str], str]:
    """Give a type of arguments that have this form."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise argparse.ArgumentTypeError(f"{wanted} wanted, found {text!r}")
        return text

    return check


def _say(sentence: str) -> None:
    sys.stderr.write(f"autoanalyzer: {sentence}\n")


def _ending(status: int, experiment: Experiment | None) -> str:
    if status < 0:
        return f"the program was ended by signal {-status} ({signal.strsignal(-status) or 'unknown'})"
    unfinished = list(experiment.notes.unfinished) if experiment and not status else []
    but = f", but {ranks(unfinished)} never entered MPI_Finalize" if unfinished else ""
    return f"the program ended with exit status {status}{but}"
