"""``run --repeat N``: the same command several times, and what its runs come to in the mean."""

from __future__ import annotations

import argparse
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING

from ..experiment import load
from ..runtime.folder import RunFolder
from ..runtime.throttled_plan import add_throttled
from ..view.units import many
from .run_arguments import Measured, measured, say, with_counts

if TYPE_CHECKING:
    from ..runtime.counting.run import CountingRun

__all__ = ["measured_repeatedly", "same_input"]


def measured_repeatedly(arguments: argparse.Namespace, command: list[str], counting: CountingRun | None) -> Measured:
    """Run the program ``--repeat`` times, each time into a folder of its own, and a last time if it is to be counted.

    The first run that fails, or is interrupted, is the last one.

    Returns:
        The mean of the runs that did not fail; no experiment if there are less than two.

    Raises:
        InputError: As for ``measured``; or the mean cannot be written.
    """
    folder = RunFolder(arguments.output)
    folder.clear()
    folder.clear_runs()
    ended, last = 0, Measured(None)
    try:
        for number in range(1, arguments.repeat + 1):
            say(f"run {number} of {arguments.repeat}")
            with same_input():
                last = measured(_of_one_run(arguments, folder.run(number)), command, None)
            ended += not last.failed
            if last.failed or last.interrupted:
                break
    except KeyboardInterrupt:
        if ended < 2:
            raise
        last = Measured(None, failed=True, cut_short="interrupted")
    if ended < arguments.repeat:
        say(f"stopped after {many(ended, 'run')} of {arguments.repeat}; {folder.path} keeps what was recorded")
    if ended < 2:
        return Measured(None, failed=True)
    failed, not_counted = last.failed, ""
    if counting and ended < arguments.repeat:
        not_counted = last.cut_short or "the runs were stopped"
        say(f"no counting run, because {not_counted}")
    elif counting:
        runs = [folder.run(number) for number in range(1, ended + 1)]
        _, not_counted = with_counts(counting, {each: load(each.experiment) for each in runs})
        failed = bool(not_counted)
    from ..runtime.mean_of_runs import save_mean  # noqa: PLC0415 - few runs are repeated

    experiment = save_mean(folder, ended)
    return Measured(experiment, failed, not_counted=not_counted, plan=add_throttled(folder.plan, experiment))


def _of_one_run(arguments: argparse.Namespace, folder: RunFolder) -> argparse.Namespace:
    """Give the arguments of one run, which does not count if counting takes a run of its own."""
    mine = copy(arguments)
    mine.output = folder.path
    if arguments.counters == "simulated":
        mine.counters = "none"
    return mine


@contextmanager
def same_input() -> Iterator[None]:
    """Let the program that runs in the block leave standard input as it was, if it is a file."""
    try:
        place = os.lseek(0, 0, os.SEEK_CUR) if stat.S_ISREG(os.fstat(0).st_mode) else None
    except OSError:  # it is closed
        place = None
    yield
    if place is not None:
        os.lseek(0, place, os.SEEK_SET)
