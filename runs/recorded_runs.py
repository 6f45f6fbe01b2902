"""Implement ``record``: record several runs with time lines in one folder, each run with some of the events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import UsageError
from ..experiment.run_folder import TRACE_FILE
from ..runtime.folder import RunFolder
from ..runtime.simulated_events import is_simulated
from ..view.units import many
from .counting_run import counting_run
from .event_groups import by_papi, one_group
from .measured_run import measured
from .options import INTERVAL, RunOptions
from .reporter import Reporter

__all__ = ["PlannedRun", "groups_of", "planned_runs", "recorded"]


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run to carry out.

    Attributes:
        options: Options of the run.
        about: A description of the run for the user.
    """

    options: RunOptions
    about: str


def recorded(
    options: RunOptions, command: list[str], *, runs: int, per_run: int, reporter: Reporter
) -> list[Path] | None:
    """Run a program several times, each time with time lines and some of the events.

    Args:
        options: Options of all runs; each run has its own folder inside ``options.output``.
        command: The launcher and the program.
        runs: Number of repetitions.
        per_run: Number of events per run.
        reporter: Shows messages and progress.

    Returns:
        The folders of the runs; None if a run failed, after which no more runs follow.

    Raises:
        UsageError: Options exclude each other, or events cannot be counted.
        InputError: The program succeeded, but nothing was recorded.
    """
    plans = [*planned_runs(one_group(options, "record"), runs=runs, per_run=per_run)]
    for number, plan in enumerate(plans, 1):
        with counting_run(plan.options, command, reporter) as counting:
            if number == 1:
                _clear(options.output)
            reporter.say(f"run {number} of {len(plans)}: {plan.about}")
            done = measured(plan.options, command, counting, reporter)
        if done.failed:
            stopped = f"stopped after {number - 1} of {many(len(plans), 'run')}"
            reporter.say(f"{stopped}; the recorded data are in {options.output}")
            return None
    return [plan.options.output for plan in plans]


def planned_runs(options: RunOptions, *, runs: int, per_run: int) -> Iterator[PlannedRun]:
    """Yield the runs to carry out: in each repetition, one run per group of events.

    Only the first repetition simulates counts, because simulated counts do not differ between runs.

    Raises:
        UsageError: Events are named, but PAPI does not count; or ``per_run`` is too small.
    """
    if options.events is not None and not by_papi(options.counters):
        raise UsageError(f"--events needs --counters papi, found {options.counters}")
    traced = replace(options, trace=INTERVAL if options.trace is None else options.trace)
    simulated = is_simulated(options.counters)
    uncounted = replace(traced, counters="none", cache=None, counting_dir=None, scratch=None, no_copy=False)
    groups = [*groups_of(options.events, per_run)]
    for repeat in range(runs):
        for number, events in enumerate(groups):
            counts = simulated and not repeat
            about = "time lines, then simulated counts" if counts else "time lines"
            output = options.output / f"run-{repeat * len(groups) + number + 1}"
            mine = replace(uncounted if simulated and repeat else traced, output=output, events=events)
            yield PlannedRun(mine, f"{about} with {events}" if events else about)


def groups_of(events: str | None, most: int) -> Iterator[str | None]:
    """Yield groups of at most ``most`` events; each group contains the first event, so that runs can be compared.

    Raises:
        UsageError: ``most`` is too small.
    """
    if events is None:
        yield None
        return
    first, *others = events.split(",")
    if most < 2 and others:
        raise UsageError(f"--per-run {most}: expected at least 2, because the first event is counted in each run")
    for start in range(0, max(len(others), 1), max(most - 1, 1)):
        yield ",".join([first, *others[start : start + most - 1]])


def _clear(output: Path) -> None:
    """Remove earlier runs from the folder."""
    for trace in output.glob(f"run-*/{TRACE_FILE}"):
        RunFolder(trace.parent).clear()
        if not any(trace.parent.iterdir()):
            trace.parent.rmdir()
