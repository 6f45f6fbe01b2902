"""Implement ``scale -o DIR --ranks 2,4,8``: run a program once per number of ranks, each time in its own folder."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from ..errors import InputError, UsageError
from ..experiment import load
from ..runtime.folder import RunFolder
from ..view.units import many
from .changed_program import changed_source
from .counting_run import counting_run
from .measured_run import measured
from .options import RunOptions
from .repeated_runs import measured_repeatedly
from .reporter import Reporter
from .standard_input import same_input

__all__ = ["RANKS", "recorded_with_ranks"]

RANKS: Final = "{ranks}"
"""The placeholder for the number of ranks in a command."""

_SOURCES: Final = {"simulated": "simulated:", "papi": "measured:"}  # --counters → prefix of a count's source


def recorded_with_ranks(
    options: RunOptions, command: Sequence[str], numbers: Sequence[int], reporter: Reporter, repeat: int = 1
) -> list[Path] | None:
    """Run a program with different numbers of ranks; complete runs of the same command are not repeated.

    The data of an interrupted run are removed, so that it is repeated next time.

    Args:
        options: Options of all runs; each run has its own folder inside ``options.output``.
        command: The launcher and the program, with ``{ranks}`` for the number of ranks.
        numbers: Numbers of ranks.
        reporter: Shows messages and progress.
        repeat: The number of runs with each number of ranks.

    Returns:
        The folders of the runs; None if a run failed, after which no more runs follow.

    Raises:
        UsageError: The command has no ``{ranks}``, or a folder contains a run of a different command, or of a program
            whose sources have changed.
        InputError: The program succeeded, but nothing was recorded.
    """
    if not any(RANKS in word for word in command):
        raise UsageError(f"expected {RANKS} in the command, such as mpirun -n {RANKS} ./app, found {' '.join(command)}")
    commands = {number: [word.replace(RANKS, str(number)) for word in command] for number in numbers}
    folders = {number: RunFolder(options.output / f"ranks-{number}") for number in numbers}
    there = {number for number in numbers if _is_there(folders[number], commands[number], options.counters, repeat)}
    for place, number in enumerate(numbers, 1):
        folder = folders[number]
        if number in there:
            reporter.say(f"run {place} of {len(numbers)}: already in {folder.path}")
            continue
        reporter.say(f"run {place} of {len(numbers)}: {many(number, 'rank')}")
        with same_input():
            is_whole = _is_recorded(replace(options, output=folder.path), commands[number], repeat, reporter)
        if not is_whole:
            reporter.say(f"stopped; to continue with {many(number, 'rank')}, repeat the command")
            return None
    return [each.path for each in folders.values()]


def _is_recorded(options: RunOptions, command: list[str], repeat: int, reporter: Reporter) -> bool:
    """Run the program ``repeat`` times; return whether all runs succeeded. Data of interrupted runs are removed."""
    done = None
    try:
        with counting_run(options, command, reporter) as counting:
            if repeat > 1:
                done = measured_repeatedly(options, command, repeat, counting, reporter)
            else:
                done = measured(options, command, counting, reporter)
    finally:
        if done is None or done.interrupted:
            RunFolder(options.output).clear()
            RunFolder(options.output).clear_runs()
            with suppress(OSError):  # the folder contains other files
                options.output.rmdir()
    if done.interrupted:
        raise KeyboardInterrupt
    return not done.failed


def _is_there(folder: RunFolder, command: list[str], counters: str, repeat: int) -> bool:
    """Return whether a folder contains at least ``repeat`` complete runs with counts from the given source.

    Raises:
        UsageError: The folder contains a run of a different command, or of a program whose sources have changed.
    """
    if not folder.experiment.exists():
        return False
    try:
        experiment = load(folder.experiment)
    except InputError:
        return False
    notes = experiment.notes
    if list(notes.command) != command:
        raise UsageError(
            f"{folder.path}: expected a run of {' '.join(command)}, found {' '.join(notes.command)}; choose another "
            "folder with -o"
        )
    is_whole = not (notes.program_status or notes.missing or notes.unfinished)
    source = experiment.metric("instructions").source if "instructions" in experiment else ""
    if not (is_whole and notes.runs >= repeat and source.startswith(_SOURCES.get(counters, ""))):
        return False
    if changed := changed_source(command, experiment):
        raise UsageError(
            f"{folder.path}: {changed} has changed since this run of {notes.program}; choose another folder with -o to "
            "record the new version"
        )
    return True
