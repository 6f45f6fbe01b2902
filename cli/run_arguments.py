"""What ``run`` and ``debug`` share: the options of a measured run, and carrying it out."""

from __future__ import annotations

import argparse
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import AutoanalyzerError, InputError, UsageError, way_out
from ..experiment import Experiment
from ..experiment.run_folder import RUN_FOLDER
from ..runtime.counting.cache_geometry import parse_geometry, this_machine
from ..runtime.folder import RunFolder
from ..runtime.launch import COUNT_IN_VARIABLE, MULTIPLEX_VARIABLE, PATH_VARIABLE, SPLIT_VARIABLE, overhead_limit
from ..runtime.measure import measure
from ..runtime.papi.choices import METRICS
from ..runtime.usage.names import USAGE_VARIABLE
from ..view.units import ranks
from .critical_path import add_path, path_recording
from .papi_events import (
    LONGEST_EVENT,
    SourcesOfCounts,
    add_counting_options,
    check_counting_options,
    named_events,
)
from .progress import counted, progress
from .python_functions import add_python_functions
from .split_waiting import add_split_waiting
from .steering import add_steering_arguments, pursued, steered
from .usage import add_usage

if TYPE_CHECKING:
    from ..runtime.counting.run import CountingRun

__all__ = [
    "INTERVAL",
    "Measured",
    "add_measuring_arguments",
    "command_of",
    "counting_run",
    "measured",
    "papi_events",
    "say",
    "with_counts",
]

_LEAST_MEMORY: Final = 1 << 20
_MOST_TRACE_MEMORY: Final = 1 << 34  # twin: MOST_MEMORY in runtime/probe/trace.c
INTERVAL: Final = 0.01
_INTERVALS: Final = (0.001, 3600.0)  # twins: SHORTEST in runtime/probe/trace.c, LONGEST in trace_parts.h
_SHIFTS: Final = {"": 0, "K": 10, "M": 20, "G": 30}

_COUNTERS: Final = SourcesOfCounts(("auto", "papi", "simulated", "none"))
_SIGNALS: Final = range(129, 193)  # statuses that shells and launchers give to what a signal has ended


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run, and the counting run after it, gave.

    Attributes:
        experiment: The data; None if the program failed and recorded none.
        failed: Whether the status of the program is not 0, its data end early, or the counting run failed.
        cut_short: Why the data are not of the whole program; empty if they are, whatever its status.
        not_counted: Why there are no counts although they were to be simulated; empty otherwise.
        plan: What is to be said of the plan in the run's folder; empty if nothing was throttled.
        interrupted: Whether somebody wanted the program to end before it did.
    """

    experiment: Experiment | None
    failed: bool = False
    cut_short: str = ""
    not_counted: str = ""
    plan: str = ""
    interrupted: bool = False


def add_measuring_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a measured run, and the command."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(RUN_FOLDER),
        metavar="DIR",
        help="folder for the experiment (default: %(default)s); the data of an earlier run in it are replaced",
    )
    parser.add_argument(
        "--counters",
        type=named_events,
        choices=_COUNTERS,
        default="auto",
        help="where counts come from: papi: from the processor; papi:EVENT,…: these events of PAPI, too, each a metric "
        "(autoanalyzer counters tries which there are); simulated: from a second run of the program, which may take 5 "
        "to 20 times as long; none: no counts; auto: papi if it counts anything here (default)",
    )
    parser.add_argument(
        "--events",
        type=papi_events,
        metavar="METRIC=EVENT,…",
        help="with papi: count only these metrics, each by its event: instructions=PAPI_TOT_INS,l1_misses=PAPI_L1_DCM; "
        "or none",
    )
    add_usage(parser)
    add_counting_options(parser)
    parser.add_argument(
        "--cache", metavar="GEOMETRY", help="caches to simulate, as size/ways/line: L1=32K/8/64,L2=1M/8/64"
    )
    parser.add_argument(
        "--counting-dir",
        type=Path,
        metavar="DIR",
        help="folder of the second run, which may overwrite files there (default: a copy of this folder)",
    )
    parser.add_argument(
        "--scratch",
        type=Path,
        metavar="DIR",
        help="where that copy is made, for all nodes to see (default: in the folder of the data)",
    )
    parser.add_argument(
        "--no-copy",
        action="store_true",
        help="do the second run in this folder, where it overwrites what the first wrote",
    )
    parser.add_argument("--no-environment", action="store_true", help="do not store environment variables")
    parser.add_argument(
        "--gather",
        choices=("auto", "mpi", "plain"),
        default="auto",
        help="collect the data of the ranks with an MPI job, or from this disk; auto: with MPI if some are elsewhere",
    )
    parser.add_argument(
        "--max-memory",
        type=_memory,
        metavar="SIZE",
        help="recording limit per process, such as 64M (default: 256M); near it, new call paths on the deepest "
        "levels are attributed to their callers",
    )
    parser.add_argument(
        "--max-overhead",
        type=_share,
        metavar="SHARE",
        help="throttle small regions that are entered so often that measuring them takes more than this share of the "
        "time outside MPI, file I/O and waiting in OpenMP (default: 5%%; off: none): their time is attributed to their "
        "callers, and DIR/plan.toml leaves them out of the next build",
    )
    parser.add_argument(
        "--trace",
        type=_interval,
        nargs="?",
        const=INTERVAL,
        metavar="SECONDS",
        help=f"record time lines, too, a sample every SECONDS (default: {INTERVAL}), in DIR/trace.npz",
    )
    parser.add_argument(
        "--trace-memory",
        type=_trace_memory,
        metavar="SIZE",
        help="limit of the time lines of a process (default: 8M); when it is reached, samples become twice as long",
    )
    add_steering_arguments(parser)
    add_split_waiting(parser)
    add_path(parser)
    add_python_functions(parser)
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the launcher and the program")


def command_of(arguments: argparse.Namespace, usage: str) -> list[str]:
    """Give the launcher and the program.

    Raises:
        UsageError: There is none; ``usage`` shows how it is done.
    """
    words: list[str] = arguments.command
    command = words[1:] if words[:1] == ["--"] else words
    if not command:
        raise UsageError(f"no command to run; for example: {usage}")
    return command


def counting_run(arguments: argparse.Namespace, command: list[str]) -> AbstractContextManager[CountingRun | None]:
    """Give how counts are to be simulated; None if they are not.

    Raises:
        UsageError: The caches cannot be read or simulated, or are named where nothing is simulated; or events are named
            where the processor does not count.
    """
    check_counting_options(arguments)
    if sum([arguments.no_copy, arguments.scratch is not None, arguments.counting_dir is not None]) > 1:
        raise UsageError("--no-copy, --scratch and --counting-dir exclude each other")
    if arguments.counters == "simulated":
        from ..runtime.counting.run import prepared_counting  # noqa: PLC0415 - most runs are not counted

        geometry = this_machine(say=say) if arguments.cache is None else parse_geometry(arguments.cache)
        return prepared_counting(
            command,
            arguments.output,
            geometry,
            Path() if arguments.no_copy else arguments.counting_dir,
            say,
            scratch=arguments.scratch,
            python_functions=arguments.python_functions,
            tracing=_tracing(arguments),
        )
    for option, value in (
        ("--cache", arguments.cache),
        ("--counting-dir", arguments.counting_dir),
        ("--scratch", arguments.scratch),
        ("--no-copy", arguments.no_copy or None),
    ):
        if value is not None:
            raise UsageError(f"{option} needs --counters simulated, found {arguments.counters}")
    return nullcontext()


def measured(
    arguments: argparse.Namespace, command: list[str], counting: CountingRun | None, *, hands_over: bool = False
) -> Measured:
    """Run the program, a second time if it is to be counted.

    Args:
        arguments: Of the command line.
        command: The launcher and the program.
        counting: How it is counted, if it is.
        hands_over: Whether this process lets go of the streams and descriptors that the program gets.

    Raises:
        InputError: The program ended well, and nothing was recorded.
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
                    ("AUTOANALYZER_EVENTS", arguments.events),
                    (USAGE_VARIABLE, arguments.usage),
                    (COUNT_IN_VARIABLE, arguments.count_in),
                    (MULTIPLEX_VARIABLE, "1" if arguments.multiplex else None),
                )
                if value is not None
            }
            | _tracing(arguments)
            | ({SPLIT_VARIABLE: "1"} if arguments.split_waiting else {})
            | {PATH_VARIABLE: path_recording(arguments)}
            | steered(arguments),
            python_functions=arguments.python_functions,
            told=told,
            beside=pursued(arguments, say),
            hands_over=hands_over,
            say=say,
        )
    experiment, status = measurement.experiment, measurement.status
    # A rank that never enters MPI_Finalize is a failure, which not every launcher's status tells.
    failed = bool(status or (experiment and experiment.notes.unfinished))
    if failed:
        say(_ending(status, experiment))
    if experiment is None:
        if failed:
            say("nothing was recorded")
            return Measured(None, failed, "nothing was recorded", interrupted=measurement.interrupted)
        raise InputError(
            f"nothing was recorded for {' '.join(command)}: it must be an MPI program or compiled with aa-mpicc, and "
            "the disk must have room for its data; if a script or launcher clears the environment (env -i, sudo, a "
            "container), LD_PRELOAD never reached the program: put autoanalyzer exec right before it, then use "
            "autoanalyzer analyze"
        )
    cut_short, not_counted = _why_cut_short(status, experiment), ""
    if counting and cut_short:
        not_counted = cut_short
        say(f"no counting run, because {cut_short}")
    elif counting:
        (experiment,), not_counted = with_counts(counting, {RunFolder(arguments.output): experiment})
        failed |= bool(not_counted)
    return Measured(experiment, failed, cut_short, not_counted, measurement.plan, measurement.interrupted)


def with_counts(counting: CountingRun, timings: Mapping[RunFolder, Experiment]) -> tuple[Sequence[Experiment], str]:
    """Count the program, and give what was timed with the counts, or as it was and why; see ``CountingRun.add_to``."""
    try:
        with progress("counting run"):
            return counting.add_to(timings, say), ""
    except AutoanalyzerError as error:
        say(str(error))
        return [*timings.values()], "the counting run failed"


def _tracing(arguments: argparse.Namespace) -> dict[str, str]:
    """Give the variables that make processes record time lines.

    Raises:
        UsageError: Their memory is limited where none are recorded.
    """
    if arguments.trace is None and arguments.trace_memory is not None:
        raise UsageError("--trace-memory needs --trace")
    found = {"AUTOANALYZER_TRACE": arguments.trace, "AUTOANALYZER_TRACE_MEMORY": arguments.trace_memory}
    return {name: f"{value}" for name, value in found.items() if value is not None}


def _memory(text: str) -> str:
    found = re.fullmatch(r"(\d+)([KMG]?)", text)
    if not found or int(found[1]) << _SHIFTS[found[2]] < _LEAST_MEMORY:
        raise argparse.ArgumentTypeError(f"expected bytes, such as 64M, and at least 1M, found {text!r}")
    return text


def _trace_memory(text: str) -> str:
    found = _memory(text)
    if int(found.rstrip("KMG")) << _SHIFTS[found.lstrip("0123456789")] > _MOST_TRACE_MEMORY:
        raise argparse.ArgumentTypeError(f"expected bytes, from 1M to 16G, found {text!r}")
    return found


def _interval(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not _INTERVALS[0] <= seconds <= _INTERVALS[1]:
        raise argparse.ArgumentTypeError(
            f"expected seconds from {_INTERVALS[0]:g} to {_INTERVALS[1]:g}, found {text!r}; a command follows --"
        )
    return seconds


def papi_events(text: str) -> str:
    """Read ``METRIC=EVENT,…`` as the probe library takes it.

    Raises:
        argparse.ArgumentTypeError: A word is something else, or a metric is none that is counted, or named twice.
    """
    if text == "none":
        return text
    named: set[str] = set()
    for word in text.split(","):
        metric, _, event = word.partition("=")
        if not re.fullmatch(rf"[!-~]{{1,{LONGEST_EVENT}}}", event):
            raise argparse.ArgumentTypeError(
                f"expected METRIC=EVENT, such as instructions=PAPI_TOT_INS, with an event of at most {LONGEST_EVENT} "
                f"characters, found {word!r}; papi_avail and papi_native_avail list events"
            )
        if metric not in METRICS:
            raise argparse.ArgumentTypeError(f"no metric {metric!r} is counted; {way_out(metric, METRICS)}")
        if metric in named:
            raise argparse.ArgumentTypeError(f"expected one event for {metric}, found two")
        named.add(metric)
    return text


def _share(text: str) -> str:
    try:
        return overhead_limit(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def say(sentence: str) -> None:
    """Tell the user a sentence."""
    sys.stderr.write(f"autoanalyzer: {sentence}\n")


def _ending(status: int, experiment: Experiment | None) -> str:
    if status < 0:
        return f"the program was ended by signal {-status} ({signal.strsignal(-status) or 'unknown'})"
    unfinished = list(experiment.notes.unfinished) if experiment and not status else []
    but = f", but {ranks(unfinished)} never entered MPI_Finalize" if unfinished else ""
    return f"the program ended with exit status {status}{but}"


def _why_cut_short(status: int, experiment: Experiment) -> str:
    """Say why data are not of a whole program; one that ends of itself may have any status."""
    notes = experiment.notes
    if status < 0 or status in _SIGNALS:
        return "a signal ended the program"
    if notes.missing:
        return f"no data came back from {ranks(list(notes.missing))}"
    return f"the data of {ranks(list(notes.unfinished))} end early" if notes.unfinished else ""
