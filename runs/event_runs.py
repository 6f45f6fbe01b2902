"""Count more PAPI events than fit in one run, by merging several runs that each count some of the events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..runtime.folder import RunFolder
from ..runtime.papi.choices import KERNEL_PART
from ..view.units import many
from .event_groups import events_of
from .measured_run import Measured, measured
from .options import RunOptions
from .reporter import Reporter
from .standard_input import same_input

__all__ = ["measured_in_parts", "options_of_part"]


def measured_in_parts(options: RunOptions, command: list[str], groups: Sequence[str], reporter: Reporter) -> Measured:
    """Run the program once per group of events, each time with its own folder; return the merged runs.

    If a run fails or is interrupted, no more runs follow, and the result has no experiment.

    Args:
        options: Options of all runs.
        command: The launcher and the program.
        groups: The value of ``--counters`` for each run.
        reporter: Shows messages and progress.

    Raises:
        InputError: The program succeeded, but nothing was recorded; or the result cannot be written.
    """
    folder = RunFolder(options.output)
    folder.clear()
    folder.clear_runs()
    for number, counters in enumerate(groups, 1):
        reporter.say(f"run {number} of {len(groups)} counts {', '.join(_names(counters))}")
        with same_input():
            last = measured(options_of_part(options, counters, number), command, None, reporter)
        if last.failed or last.interrupted:
            stopped = f"stopped after {number - 1} of {many(len(groups), 'run')}"
            reporter.say(f"{stopped}; the recorded data are in {folder.path}")
            return Measured(None, failed=True)
    from ..runtime.merged_runs import save_merged  # noqa: PLC0415 - seldom needed

    return Measured(save_merged(folder, len(groups)))


def _names(counters: str) -> list[str]:
    return [each.removesuffix(KERNEL_PART) for each in events_of(counters)]


def options_of_part(options: RunOptions, counters: str, number: int) -> RunOptions:
    """Return the options of one run; only the first run records metrics other than the named events.

    Args:
        options: Options of all runs.
        counters: The value of ``--counters`` for this run.
        number: Number of the run, from 1.
    """
    output = RunFolder(options.output).run(number).path
    part = replace(options, output=output, counters=counters)
    return part if number == 1 else replace(part, events="none", usage="")
