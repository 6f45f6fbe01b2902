"""``autoanalyzer pursue``: find the metrics that are worth recording, period by period (Vetter and Reed 1999)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ..errors import InputError, UsageError
from ..view.lines import print_lines
from ..view.units import many
from .documents import check_targets, is_output, write_document
from .part_arguments import names_of
from .space_arguments import (
    REPORTS,
    add_space_arguments,
    check_seed,
    formulas,
    metric_space,
    with_shared_cores,
    write_report,
)

if TYPE_CHECKING:
    from ..experiment import Experiment
    from ..experiment.trace import Samples
    from ..timelines.pursuit import Options, Period, PursuitOverTime, SlidingWindow

__all__ = ["add_arguments", "run"]


# The same names as in timelines.pursuit, which is imported on demand; a test compares them.
_TRIMMINGS: Final = ("none", "remove", "log", "sqrt")
_STARTS: Final = 24
_PROBED: Final = 0.25

_OF_TRACES: Final = ("window", "every", "follow")
_OF_RUNS: Final = ("region", "exclusive", "sample", "by")
_MOST_STARTS: Final = 1000  # critical values have been computed for at most this number of starts
_PERIODS: Final = 1000  # maximum number of periods per window
_MOST_PERIODS: Final = 100_000  # maximum number of periods per trace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "input",
        type=Path,
        metavar="INPUT",
        help=(
            "a trace (.csv, .npz, .otf2, or - for standard input), an experiment file, or a run's folder; in a "
            "run's folder, the time lines are used if an option for a trace is given, otherwise the experiment"
        ),
    )
    trace = parser.add_argument_group("options for a trace")
    trace.add_argument("--window", type=float, metavar="S", help="average over S seconds (default: the whole trace)")
    trace.add_argument(
        "--every", type=float, metavar="S", help="start a period every S seconds (default: half of --window)"
    )
    trace.add_argument(
        "--follow",
        type=float,
        metavar="S",
        help=(
            "follow a growing trace: print each period as soon as it is complete; stop when the run has ended, "
            "or the trace has not grown for S seconds"
        ),
    )
    run_of = parser.add_argument_group("options for an experiment")
    add_space_arguments(parser, run_of, rows="one row per period")
    parser.add_argument(
        "--dimensions",
        type=int,
        choices=(1, 2, 3),
        default=3,
        help="number of dimensions of the projections (default: %(default)s)",
    )
    parser.add_argument(
        "--trim",
        choices=_TRIMMINGS,
        default="none",
        help="how to treat outliers: keep them (none), remove them, or take the log or sqrt of the metrics "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--jitter",
        type=float,
        default=0.1,
        metavar="SHARE",
        help="replace the selected metrics only if others have a projection index that is larger by more than this "
        "share (default: %(default)s)",
    )
    parser.add_argument(
        "--probe",
        type=float,
        default=_PROBED,
        metavar="SHARE",
        help="also record this share of the other metrics, a different selection in each period (default: %(default)s)",
    )
    parser.add_argument(
        "--starts",
        type=int,
        default=_STARTS,
        metavar="N",
        help="number of random starts of the search for the best projection (default: %(default)s)",
    )
    parser.add_argument(
        "--policy",
        type=Path,
        metavar="FILE",
        help="after each period, write to FILE which metrics to record in the next period",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..runs.open_experiment import open_experiment
    from ..runs.pursued_trace import is_trace

    traced = is_trace(arguments.input) or any(getattr(arguments, option) is not None for option in _OF_TRACES)
    _check(arguments, traced=traced)
    from ..timelines.pursuit import PursuitOverTime, SlidingWindow
    from ..view.pursuit import pursuit_report

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
        raise InputError(f"{arguments.input}: expected samples, found none")
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
        with_shared_cores(report, experiments),
        title=f"pursuit: {arguments.input.name}",
        about=f"{many(len(periods), 'period')}, {many(len(state.metrics), 'metric')}",
        document=about,
        experiment=runs[0] if runs else None,
    )
    return 0


def _check(arguments: argparse.Namespace, *, traced: bool) -> None:
    from ..runs.pursued_trace import is_trace

    inputs = [arguments.input, *arguments.sample]
    check_targets(inputs, **{kind: getattr(arguments, kind) for kind in (*REPORTS, "policy")})
    if is_output(arguments.policy):
        raise UsageError("--policy -: expected a file, because each policy replaces the previous one")
    for option in _OF_RUNS if traced else ():
        if getattr(arguments, option):
            raise UsageError(f"--{option} needs an experiment, found a trace")
    if traced and not (is_trace(arguments.input) or arguments.input.is_dir()):
        option = next(option for option in _OF_TRACES if getattr(arguments, option) is not None)
        raise UsageError(f"--{option} needs a trace (.csv, .npz, .otf2, or a run's folder), found an experiment")
    for option in _OF_TRACES:
        seconds = getattr(arguments, option)
        if seconds is not None and not (isfinite(seconds) and seconds > 0):
            raise UsageError(f"--{option} {seconds:g}: expected a number of seconds above 0")
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
    from ..timelines.pursuit import Options

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
    """Yield a single period, whose points are the locations of all runs."""
    from ..analyze.run.costs import program_times

    space = metric_space(arguments, *experiments)
    end = float(np.nan_to_num(program_times(experiments[0])).max(initial=0.0))
    yield state.of_space(space, end, len(space.points))


def _of_trace(arguments: argparse.Namespace, state: PursuitOverTime, windows: SlidingWindow) -> Iterator[Period]:
    from ..experiment.selection import check_ranks
    from ..multivariate.wanted_metrics import WantedMetrics
    from ..runs.pursued_trace import trace_pieces

    options = state.options
    follow, width = arguments.follow, arguments.window
    for samples in trace_pieces(arguments.input, width, follow):
        if samples.metrics:
            WantedMetrics.among(samples.metrics, options.metrics, options.derived)
        if follow is None:
            _check_periods(arguments, samples)
            check_ranks(options.exclude_ranks, {process for process, _ in samples.locations})
        yield from state.of_windows(windows.add(samples))
    yield from state.of_windows(windows.finish())


def _check_periods(arguments: argparse.Namespace, samples: Samples) -> None:
    """Raise UsageError if windows are so short that there would be more periods than a user can read."""
    if arguments.window is None or not len(samples.times):
        return
    every = arguments.every or arguments.window / 2
    if (count := float(np.ptp(samples.times)) / every) > _MOST_PERIODS:
        raise UsageError(
            f"--window {arguments.window:g}: expected at most {_MOST_PERIODS} periods, found {count:.3g} in a trace of "
            f"{np.ptp(samples.times):.3g} s"
        )


def _tell(arguments: argparse.Namespace, period: Period, state: PursuitOverTime) -> None:
    """Write the policy after a period, and print a line about the period if the trace is still growing."""
    from ..view.place import visible
    from ..view.pursuit import period_line, policy_text

    if arguments.policy:
        write_document(policy_text(period, state), arguments.policy)
    if arguments.follow is not None and "-" not in (str(getattr(arguments, kind)) for kind in REPORTS):
        print_lines([visible(period_line(period))])
        sys.stdout.flush()
