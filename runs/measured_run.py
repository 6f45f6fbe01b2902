"""Measure one run of a program, followed by a counting run if counts are simulated."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ..errors import InputError
from ..experiment import Experiment
from ..runtime.folder import RunFolder
from ..runtime.measure import measure
from ..view.units import ranks
from .counting_run import with_counts
from .options import RunOptions
from .reporter import Reporter
from .source_regions import with_source_regions
from .steering import pursued
from .variables import probe_variables

if TYPE_CHECKING:
    from ..runtime.counting.run import CountingRun

__all__ = ["Measured", "measured"]

_HOW_SAMPLED: Final = "a program that can be sampled (outside /usr, linked dynamically, not set-user-ID)"
_SIGNALS: Final = range(129, 193)  # exit statuses of shells and launchers if a signal killed the program


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of a run and of its counting run.

    Attributes:
        experiment: The data; None if the program failed and recorded none, or if too few of several runs succeeded.
        failed: Whether the program's exit status is not 0, its data end early, or the counting run failed.
        cut_short: Why the data do not cover the whole program; empty if they do, even if the program's exit status is
            not 0.
        not_counted: Why simulated counts are missing; empty otherwise.
        plan: A sentence about the plan that was written because probes were throttled; empty if no probe was throttled.
        interrupted: Whether the program was interrupted.
    """

    experiment: Experiment | None
    failed: bool = False
    cut_short: str = ""
    not_counted: str = ""
    plan: str = ""
    interrupted: bool = False


def measured(
    options: RunOptions,
    command: list[str],
    counting: CountingRun | None,
    reporter: Reporter,
    *,
    hands_over: bool = False,
) -> Measured:
    """Run the program and gather its data; then do the counting run, if any.

    Args:
        options: Options of the run.
        command: The launcher and the program.
        counting: The counting run, or None.
        reporter: Shows messages and progress.
        hands_over: Whether this process closes the streams and descriptors that the program inherits.

    Raises:
        InputError: The program succeeded, but nothing was recorded.
        UsageError: Options exclude each other.
    """
    say = reporter.say
    with reporter.counted("gather") as told:
        measurement = measure(
            command,
            options.output,
            counters="none" if counting else options.counters,
            gather=options.gather,
            keep_environment=not options.no_environment,
            limits=probe_variables(options),
            python_functions=options.python_functions,
            told=told,
            beside=pursued(options, say),
            hands_over=hands_over,
            say=say,
        )
    experiment, status = measurement.experiment, measurement.status
    # If a rank never enters MPI_Finalize, the program has failed, but some launchers still return 0.
    failed = bool(status or (experiment and experiment.notes.unfinished))
    if failed:
        say(_ending(status, experiment))
    if experiment is None:
        if failed:
            say("nothing was recorded")
            return Measured(None, failed, "nothing was recorded", interrupted=measurement.interrupted)
        sampled = "sampled (--sample auto)" if options.sample in (None, "0") else _HOW_SAMPLED
        raise InputError(
            f"nothing was recorded for {' '.join(command)}: it must be an MPI program, or compiled with aa-mpicc, or "
            f"{sampled}, and the disk must have space for the data; if a script or launcher clears the environment "
            "(env -i, sudo, a container), put autoanalyzer exec right before the program, so that the program gets "
            "LD_PRELOAD, and then run autoanalyzer analyze"
        )
    experiment = with_source_regions(experiment, options.output)
    cut_short, not_counted = _why_cut_short(status, experiment), ""
    if counting and cut_short:
        not_counted = cut_short
        say(f"no counting run, because {cut_short}")
    elif counting:
        (experiment,), not_counted = with_counts(counting, {RunFolder(options.output): experiment}, reporter)
        failed |= bool(not_counted)
    return Measured(experiment, failed, cut_short, not_counted, measurement.plan, measurement.interrupted)


def _ending(status: int, experiment: Experiment | None) -> str:
    if status < 0:
        return f"the program was killed by signal {-status} ({signal.strsignal(-status) or 'unknown'})"
    unfinished = list(experiment.notes.unfinished) if experiment and not status else []
    but = f", but {ranks(unfinished)} never entered MPI_Finalize" if unfinished else ""
    return f"the program ended with exit status {status}{but}"


def _why_cut_short(status: int, experiment: Experiment) -> str:
    """Return why data do not cover the whole program, or an empty string if they do, whatever its exit status."""
    notes = experiment.notes
    if status < 0 or status in _SIGNALS:
        return "a signal ended the program"
    if notes.missing:
        return f"no data came back from {ranks(list(notes.missing))}"
    return f"the data of {ranks(list(notes.unfinished))} end before MPI_Finalize" if notes.unfinished else ""
