"""``autoanalyzer pursue``: which metrics are worth recording, over time, by projection pursuit (paper 004)."""

from __future__ import annotations

import argparse
import os
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np

from ..analyze.metric_choice import WantedMetrics
from ..analyze.program_time import program_times
from ..errors import InputError, UsageError
from ..experiment import Experiment
from ..experiment.selection import check_ranks
from ..experiment.trace import TraceReader, read_trace
from ..runtime.open_experiment import open_experiment
from ..view.lines import print_lines
from ..view.place import visible
from ..view.units import many
from .documents import check_targets, is_output, write_document
from .part_arguments import names_of
from .space_arguments import (
    REPORTS,
    add_space_arguments,
    check_seed,
    formulas,
    metric_space,
    with_turns,
    write_report,
)

if TYPE_CHECKING:
    from ..analyze.pursuit import Options, Period, PursuitOverTime, SlidingWindow

__all__ = ["add_arguments", "run"]


# The same names as in analyze.pursuit, which is imported when it is needed; a test compares them.
_TRIMMINGS: Final = ("none", "remove", "log", "sqrt")
_STARTS: Final = 24
_PROBED: Final = 0.25

_OF_TRACES: Final = ("window", "every", "follow")
_OF_RUNS: Final = ("region", "exclusive", "sample", "by")
_PIECE: Final = 2**16
_MOST_STARTS: Final = 1000  # what chance reaches is known up to here
_PERIODS: Final = 1000  # a window, at most
_PAUSE: Final = 0.1  # seconds between looks at a file that grows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "input", type=Path, metavar="INPUT", help="a trace (.csv, or - for standard input), or a run's folder or file"
    )
    trace = parser.add_argument_group("options for a trace")
    trace.add_argument("--window", type=float, metavar="S", help="average over S seconds (default: the whole trace)")
    trace.add_argument("--every", type=float, metavar="S", help="start a period every S seconds (default: window/2)")
    trace.add_argument(
        "--follow",
        type=float,
        metavar="S",
        help="report each period when it is complete; stop when the trace has not grown for S seconds",
    )
    run_of = parser.add_argument_group("options for an experiment")
    add_space_arguments(parser, run_of, rows="one row per period")
    parser.add_argument(
        "--dimensions",
        type=int,
        choices=(1, 2, 3),
        default=3,
        help="dimensions of the projections (default: %(default)s)",
    )
    parser.add_argument(
        "--trim", choices=_TRIMMINGS, default="none", help="what to do with outlying locations (default: %(default)s)"
    )
    parser.add_argument(
        "--jitter",
        type=float,
        default=0.1,
        metavar="SHARE",
        help="how much better other metrics must be to replace those recorded (default: %(default)s)",
    )
    parser.add_argument(
        "--probe",
        type=float,
        default=_PROBED,
        metavar="SHARE",
        help="record this share of the other metrics too, in turn (default: %(default)s)",
    )
    parser.add_argument(
        "--starts",
        type=int,
        default=_STARTS,
        metavar="N",
        help="starts of the search for the best projection (default: %(default)s)",
    )
    parser.add_argument("--policy", type=Path, metavar="FILE", help="after each period, write what to record next")


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    traced = str(arguments.input) == "-" or arguments.input.suffix.lower() == ".csv"
    _check(arguments, traced=traced)
    from ..analyze.pursuit import PursuitOverTime, SlidingWindow  # noqa: PLC0415 - takes a second
    from ..view.pursuit import pursuit_report  # noqa: PLC0415

    runs = [] if traced else [open_experiment(path) for path in (arguments.input, *arguments.sample)]
    experiments = [experiment for experiment, _ in runs]
    state = PursuitOverTime(_options(arguments))
    windows = SlidingWindow(inf if arguments.window is None else arguments.window, arguments.every)
    periods: list[Period] = []
    try:
        for period in _of_trace(arguments, state, windows) if traced else _of_run(arguments, state, experiments):
            periods.append(period)
            _tell(arguments, period, state)
    except KeyboardInterrupt:
        if arguments.follow is None or not periods:
            raise
    if not periods:
        raise InputError(f"{arguments.input}: expected samples, found only a header")
    unseen = {*arguments.exclude_rank} - {process for process, _ in windows.locations} if traced else ()
    report = pursuit_report(periods, state, late=windows.late, empty=windows.empty, unseen=sorted(unseen))
    about = {
        "input": str(arguments.input),
        "window": arguments.window,
        "every": arguments.every if arguments.window is None or arguments.every else arguments.window / 2,
        **{name: getattr(arguments, name) for name in ("dimensions", "trim", "jitter", "probe", "starts", "seed")},
    }
    write_report(
        arguments,
        with_turns(report, experiments),
        title=f"pursuit: {arguments.input.name}",
        about=f"{many(len(periods), 'period')}, {many(len(state.metrics), 'metric')}",
        document=about,
        experiment=runs[0] if runs else None,
    )
    return 0


def _check(arguments: argparse.Namespace, *, traced: bool) -> None:
    inputs = [arguments.input, *arguments.sample]
    check_targets(inputs, **{kind: getattr(arguments, kind) for kind in (*REPORTS, "policy")})
    if is_output(arguments.policy):
        raise UsageError("--policy -: expected a file, in which each policy replaces the one before")
    kind, other = ("a trace", _OF_RUNS) if traced else ("an experiment", _OF_TRACES)
    for option in other:
        if getattr(arguments, option):
            raise UsageError(f"--{option} is for {'an experiment' if traced else 'a trace (.csv)'}, found {kind}")
    for option in _OF_TRACES:
        seconds = getattr(arguments, option)
        if seconds is not None and not (isfinite(seconds) and seconds > 0):
            raise UsageError(f"--{option} {seconds:g}: expected seconds above 0")
    if arguments.every and not arguments.window:
        raise UsageError("--every needs --window")
    if arguments.every and arguments.every < arguments.window / _PERIODS:
        least = arguments.window / _PERIODS
        raise UsageError(f"--every {arguments.every:g}: expected at least {least:g} seconds, a thousandth of --window")
    if not 0 <= arguments.jitter < inf:
        raise UsageError(f"--jitter {arguments.jitter:g}: expected a share of at least 0, such as 0.1 for a tenth")
    if not 0 <= arguments.probe <= 1:
        raise UsageError(f"--probe {arguments.probe:g}: expected a share from 0 to 1, such as 0.25 for a quarter")
    if not 1 <= arguments.starts <= _MOST_STARTS:
        raise UsageError(f"--starts {arguments.starts}: expected a number from 1 to {_MOST_STARTS}")
    check_seed(arguments.seed)


def _options(arguments: argparse.Namespace) -> Options:
    from ..analyze.pursuit import Options  # noqa: PLC0415 - takes a second

    return Options(
        dimensions=arguments.dimensions,
        trimming=arguments.trim,
        seed=arguments.seed,
        starts=arguments.starts,
        probed=arguments.probe,
        jitter=arguments.jitter,
        metrics=names_of(arguments.metrics),
        derived=formulas(arguments),
        exclude_ranks=arguments.exclude_rank,
    )


def _of_run(
    arguments: argparse.Namespace, state: PursuitOverTime, experiments: Sequence[Experiment]
) -> Iterator[Period]:
    """Give one period, of a run, or of several whose locations are points together."""
    space = metric_space(arguments, *experiments)
    end = float(np.nan_to_num(program_times(experiments[0])).max(initial=0.0))
    yield state.of_space(space, end, len(space.points))


def _of_trace(arguments: argparse.Namespace, state: PursuitOverTime, windows: SlidingWindow) -> Iterator[Period]:
    name = "standard input" if str(arguments.input) == "-" else str(arguments.input)
    options = state.options
    with _opened(arguments.input) as stream:
        if arguments.follow is None:
            samples = read_trace(stream, name)
            WantedMetrics.among(samples.metrics, options.metrics, options.derived)
            check_ranks(options.exclude_ranks, {process for process, _ in samples.locations})
            yield from state.of_windows(windows.add(samples))
        else:
            reader = TraceReader(name)
            for piece in _pieces(stream, name, arguments.follow):
                samples = reader.feed(piece, last=not piece)
                if reader.metrics is not None:
                    WantedMetrics.among(reader.metrics, options.metrics, options.derived)
                yield from state.of_windows(windows.add(samples))
    yield from state.of_windows(windows.finish())


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if str(path) == "-":
        if sys.stdin is None:
            raise InputError("standard input: expected a trace, found it closed")
        yield sys.stdin.buffer
        return
    with path.open("rb") as stream:
        yield stream


def _pieces(stream: BinaryIO, name: str, patience: float) -> Iterator[bytes]:
    """Give what is there and what comes, until nothing has come for some seconds; an empty piece is the last.

    A pipe ends when it is closed.
    """
    descriptor = stream.fileno()
    grows = stat.S_ISREG(os.fstat(descriptor).st_mode)
    size, last = 0, time.monotonic()
    while True:
        if piece := os.read(descriptor, _PIECE):
            size, last = size + len(piece), time.monotonic()
            yield piece
        elif not grows or time.monotonic() - last > patience:
            yield b""
            return
        elif os.fstat(descriptor).st_size < size:
            raise InputError(f"{name}: expected a growing trace, but it was truncated; run pursue again")
        else:
            time.sleep(_PAUSE)


def _tell(arguments: argparse.Namespace, period: Period, state: PursuitOverTime) -> None:
    """Say and write what is known after a period, for who watches and for the monitoring system."""
    from ..view.pursuit import period_line, policy_text  # noqa: PLC0415

    if arguments.policy:
        write_document(policy_text(period, state), arguments.policy)
    if arguments.follow is not None and "-" not in (str(getattr(arguments, kind)) for kind in REPORTS):
        print_lines([visible(period_line(period))])
        sys.stdout.flush()
