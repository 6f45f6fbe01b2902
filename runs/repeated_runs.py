"""Implement ``run --repeat N``: run the same command several times, and average the runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..experiment import load
from ..runtime.folder import RunFolder
from ..runtime.simulated_events import is_simulated
from ..runtime.throttled_plan import add_throttled
from ..view.units import many
from .counting_run import with_counts
from .measured_run import Measured, measured
from .options import RunOptions
from .reporter import Reporter
from .standard_input import same_input

if TYPE_CHECKING:
    from ..runtime.counting.run import CountingRun

__all__ = ["measured_repeatedly", "options_of_repetition"]


def measured_repeatedly(
    options: RunOptions, command: list[str], repeat: int, counting: CountingRun | None, reporter: Reporter
) -> Measured:
    """Run the program several times, each time with its own folder; then do the counting run, if any.

    If a run fails or is interrupted, no more runs follow.

    Args:
        options: Options of all runs.
        command: The launcher and the program.
        repeat: Number of runs.
        counting: The counting run, or None.
        reporter: Shows messages and progress.

    Returns:
        The result. Its experiment is the mean of the successful runs, or None if fewer than two runs succeeded.

    Raises:
        InputError: The program succeeded, but nothing was recorded; or the mean cannot be written.
    """
    say = reporter.say
    folder = RunFolder(options.output)
    folder.clear()
    folder.clear_runs()
    ended, last = 0, Measured(None)
    try:
        for number in range(1, repeat + 1):
            say(f"run {number} of {repeat}")
            with same_input():
                last = measured(options_of_repetition(options, number), command, None, reporter)
            ended += not last.failed
            if last.failed or last.interrupted:
                break
    except KeyboardInterrupt:
        if ended < 2:
            raise
        last = Measured(None, failed=True, cut_short="interrupted")
    if ended < repeat:
        say(f"stopped after {ended} of {many(repeat, 'run')}; the recorded data are in {folder.path}")
    if ended < 2:
        return Measured(None, failed=True)
    failed, not_counted = last.failed, ""
    if counting and ended < repeat:
        not_counted = last.cut_short or "the runs were stopped"
        say(f"no counting run, because {not_counted}")
    elif counting:
        runs = [folder.run(number) for number in range(1, ended + 1)]
        _, not_counted = with_counts(counting, {each: load(each.experiment) for each in runs}, reporter)
        failed = bool(not_counted)
    from ..runtime.mean_of_runs import save_mean  # noqa: PLC0415 - few runs are repeated

    experiment = save_mean(folder, ended)
    return Measured(experiment, failed, not_counted=not_counted, plan=add_throttled(folder.plan, experiment))


def options_of_repetition(options: RunOptions, number: int) -> RunOptions:
    """Return the options of one run; simulated counts are switched off, because a separate run simulates them.

    Args:
        options: Options of all runs.
        number: Number of the run, from 1.
    """
    counters = "none" if is_simulated(options.counters) else options.counters
    return replace(options, output=RunFolder(options.output).run(number).path, counters=counters)
