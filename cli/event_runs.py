"""More events of PAPI than can be counted together: several runs, each with a part of them, made one experiment."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from copy import copy

from ..runtime.folder import RunFolder
from ..runtime.papi.choices import KERNEL_PART
from ..view.units import many
from .papi_events import events_of
from .repeated_runs import same_input
from .run_arguments import Measured, measured, say

__all__ = ["measured_in_parts"]


def measured_in_parts(arguments: argparse.Namespace, command: list[str], groups: Sequence[str]) -> Measured:
    """Run the program once for each part of the events, each time into a folder of its own.

    The first run that fails, or is interrupted, is the last one: then there is no experiment.

    Args:
        arguments: Of the command.
        command: The launcher and the program.
        groups: Where counts come from in each run.

    Raises:
        InputError: As for ``measured``; or what the runs give cannot be written.
    """
    folder = RunFolder(arguments.output)
    folder.clear()
    folder.clear_runs()
    for number, counters in enumerate(groups, 1):
        say(f"run {number} of {len(groups)} counts {', '.join(_names(counters))}")
        with same_input():
            last = measured(_of_one_run(arguments, folder.run(number), counters, number), command, None)
        if last.failed or last.interrupted:
            say(f"stopped after {many(number - 1, 'run')} of {len(groups)}; {folder.path} keeps what was recorded")
            return Measured(None, failed=True)
    from ..runtime.merged_runs import save_merged  # noqa: PLC0415 - most runs count all at once

    return Measured(save_merged(folder, len(groups)))


def _names(counters: str) -> list[str]:
    return [each.removesuffix(KERNEL_PART) for each in events_of(counters)]


def _of_one_run(arguments: argparse.Namespace, folder: RunFolder, counters: str, number: int) -> argparse.Namespace:
    """Give the arguments of one run; the first one alone counts all else, with the counters that are left."""
    mine = copy(arguments)
    mine.output, mine.counters = folder.path, counters
    if number > 1:
        mine.events, mine.usage = "none", ""
    return mine
