"""The counting run: a second run of the program, under a simulator that counts instructions and cache misses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import AutoanalyzerError, UsageError
from ..experiment import Experiment
from ..runtime.counting.cache_geometry import parse_geometry, this_machine
from ..runtime.folder import RunFolder
from ..runtime.simulated_events import is_simulated
from .event_groups import check_counting_options
from .options import RunOptions
from .reporter import Reporter
from .variables import tracing_variables

if TYPE_CHECKING:
    from ..runtime.counting.run import CountingRun

__all__ = ["counting_run", "with_counts"]


def counting_run(
    options: RunOptions, command: list[str], reporter: Reporter
) -> AbstractContextManager[CountingRun | None]:
    """Return a context manager that yields the prepared counting run, or None if counts are not simulated.

    Raises:
        UsageError: The caches cannot be parsed or simulated, or options do not fit the source of counts.
    """
    check_counting_options(options)
    if sum([options.no_copy, options.scratch is not None, options.counting_dir is not None]) > 1:
        raise UsageError("only one of --no-copy, --scratch and --counting-dir can be given")
    if is_simulated(options.counters):
        from ..runtime.counting.run import prepared_counting  # noqa: PLC0415 - most runs need no counting run

        geometry = this_machine(say=reporter.say) if options.cache is None else parse_geometry(options.cache)
        return prepared_counting(
            command,
            options.output,
            geometry,
            Path() if options.no_copy else options.counting_dir,
            reporter.say,
            counters=options.counters,
            scratch=options.scratch,
            python_functions=options.python_functions,
            tracing=tracing_variables(options),
        )
    for option, value in (
        ("--cache", options.cache),
        ("--counting-dir", options.counting_dir),
        ("--scratch", options.scratch),
        ("--no-copy", options.no_copy or None),
    ):
        if value is not None:
            raise UsageError(f"{option} needs --counters simulated, found {options.counters}")
    return nullcontext()


def with_counts(
    counting: CountingRun, timings: Mapping[RunFolder, Experiment], reporter: Reporter
) -> tuple[Sequence[Experiment], str]:
    """Do the counting run, and add its counts to the timed runs.

    Returns:
        The experiments with counts, and an empty string; if counting fails, the experiments without counts, and the
        reason.
    """
    try:
        with reporter.progress("counting run"):
            return counting.add_to(timings, reporter.say), ""
    except AutoanalyzerError as error:
        reporter.say(str(error))
        return [*timings.values()], "the counting run failed"
