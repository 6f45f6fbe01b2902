"""The options of a measured run, which ``run``, ``record`` and ``debug`` share."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Final

from ..errors import UsageError
from ..experiment.run_folder import RUN_FOLDER
from ..runs.options import INTERVAL, RunOptions
from .argument_type import argument_type
from .critical_path import add_path
from .papi_events import SourcesOfCounts, add_counting_options, named_events, papi_events
from .python_functions import add_python_functions
from .sample import add_sample
from .split_waiting import add_split_waiting
from .steering import add_steering_arguments
from .usage import add_usage

__all__ = ["add_measuring_arguments", "command_of", "options_of"]

_LEAST_MEMORY: Final = 1 << 20
_MOST_TRACE_MEMORY: Final = 1 << 34  # bytes; keep equal to MOST_MEMORY in runtime/probe/trace.c
_INTERVALS: Final = (0.001, 3600.0)  # seconds; keep equal to SHORTEST in trace.c and LONGEST in trace_parts.h
_SHIFTS: Final = {"": 0, "K": 10, "M": 20, "G": 30}

_COUNTERS: Final = SourcesOfCounts(("auto", "papi", "simulated", "none"))


def add_measuring_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a measured run, and the command."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(RUN_FOLDER),
        metavar="DIR",
        help="folder for the experiment (default: %(default)s); data from an earlier run in this folder are replaced",
    )
    parser.add_argument(
        "--counters",
        type=named_events,
        choices=_COUNTERS,
        default="auto",
        help="how to count instructions and cache misses; papi: with hardware counters; papi:EVENT,…: also count these "
        "PAPI events, each as a metric (listed by autoanalyzer counters); simulated: under Valgrind, in a "
        "second run that takes 5 to 20 times as long; simulated:EVENT,…: instructions, cache misses and only "
        "these other events; none: no counts; auto: papi if any event can be counted here (default)",
    )
    parser.add_argument(
        "--events",
        type=papi_events,
        metavar="METRIC=EVENT,…",
        help=(
            "with --counters papi: count only these metrics, each by the given event, such as "
            "instructions=PAPI_TOT_INS,l1_misses=PAPI_L1_DCM; none: no metrics (default: all that can be "
            "counted)"
        ),
    )
    add_usage(parser)
    add_counting_options(parser)
    parser.add_argument(
        "--cache",
        metavar="GEOMETRY",
        help="caches to simulate, as size/ways/line, such as L1=32K/8/64,L2=1M/8/64 (default: those of this machine)",
    )
    parser.add_argument(
        "--counting-dir",
        type=Path,
        metavar="DIR",
        help=(
            "working folder for the second run, which may overwrite files in it (default: a copy of the current folder)"
        ),
    )
    parser.add_argument(
        "--scratch",
        type=Path,
        metavar="DIR",
        help=(
            "parent folder for the copy in which the second run works, on a file system that all nodes share "
            "(default: the output folder)"
        ),
    )
    parser.add_argument(
        "--no-copy",
        action="store_true",
        help="do the second run in the current folder, where it overwrites files of the first run",
    )
    parser.add_argument(
        "--no-environment", action="store_true", help="do not store environment variables in the experiment"
    )
    parser.add_argument(
        "--gather",
        choices=("auto", "mpi", "plain"),
        default="auto",
        help=(
            "how to collect the data of the ranks; mpi: with an MPI job; plain: from the disk of this machine; "
            "auto: with MPI if some data are on other nodes or the data are large (default)"
        ),
    )
    parser.add_argument(
        "--max-memory",
        type=_memory,
        metavar="SIZE",
        help=(
            "memory limit for call paths, per process, such as 64M (default: 256M); near the limit, the values "
            "of new call paths at the deepest levels are added to those of their callers"
        ),
    )
    parser.add_argument(
        "--max-overhead",
        type=_share,
        metavar="SHARE",
        help="stop measuring small regions if measuring takes more than this share of the time outside MPI, file I/O "
        "and OpenMP waiting (default: 5%%; off: no limit); the time of these regions is added to their callers, "
        "and DIR/plan.toml leaves them out of the next build",
    )
    parser.add_argument(
        "--trace",
        type=_interval,
        nargs="?",
        const=INTERVAL,
        metavar="SECONDS",
        help=f"also record time lines in DIR/trace.npz, one sample every SECONDS (default: {INTERVAL})",
    )
    parser.add_argument(
        "--trace-memory",
        type=_trace_memory,
        metavar="SIZE",
        help="memory limit for time lines, per process (default: 8M); at the limit, the sampling interval doubles",
    )
    add_steering_arguments(parser)
    add_split_waiting(parser)
    add_path(parser)
    add_sample(parser)
    add_python_functions(parser)
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the launcher and the program")


def command_of(arguments: argparse.Namespace, usage: str) -> list[str]:
    """Return the words of the launcher, the program and its arguments.

    Raises:
        UsageError: There is no command; the message shows ``usage`` as an example.
    """
    words: list[str] = arguments.command
    command = words[1:] if words[:1] == ["--"] else words
    if not command:
        raise UsageError(f"expected a command, found none; for example: {usage}")
    return command


def options_of(arguments: argparse.Namespace) -> RunOptions:
    """Return the options of a run from the parsed arguments."""
    return RunOptions(
        output=arguments.output,
        counters=arguments.counters,
        events=arguments.events,
        usage=arguments.usage,
        count_in=arguments.count_in,
        multiplex=arguments.multiplex,
        papi=arguments.papi,
        cache=arguments.cache,
        counting_dir=arguments.counting_dir,
        scratch=arguments.scratch,
        no_copy=arguments.no_copy,
        no_environment=arguments.no_environment,
        gather=arguments.gather,
        max_memory=arguments.max_memory,
        max_overhead=arguments.max_overhead,
        trace=arguments.trace,
        trace_memory=arguments.trace_memory,
        pursue=arguments.pursue,
        policy=arguments.policy,
        split_waiting=arguments.split_waiting,
        path=arguments.path,
        sample=arguments.sample,
        python_functions=(*arguments.python_functions,),
    )


def _memory(text: str) -> str:
    found = re.fullmatch(r"(\d+)([KMG]?)", text)
    if not found or int(found[1]) << _SHIFTS[found[2]] < _LEAST_MEMORY:
        raise argparse.ArgumentTypeError(f"expected a size of at least 1M, such as 64M, found {text!r}")
    return text


def _trace_memory(text: str) -> str:
    found = _memory(text)
    if int(found.rstrip("KMG")) << _SHIFTS[found.lstrip("0123456789")] > _MOST_TRACE_MEMORY:
        raise argparse.ArgumentTypeError(f"expected a size from 1M to 16G, found {text!r}")
    return found


def _interval(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not _INTERVALS[0] <= seconds <= _INTERVALS[1]:
        raise argparse.ArgumentTypeError(
            f"expected a number of seconds from {_INTERVALS[0]:g} to {_INTERVALS[1]:g}, found {text!r}; put the "
            "command after --"
        )
    return seconds


@argument_type
def _share(text: str) -> str:
    from ..runtime.launch import overhead_limit

    return overhead_limit(text)
