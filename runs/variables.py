"""The environment variables that pass a run's options to the probe library."""

from __future__ import annotations

from ..errors import UsageError
from ..runtime.launch import COUNT_IN_VARIABLE, MULTIPLEX_VARIABLE, PATH_VARIABLE, SPLIT_VARIABLE
from ..runtime.papi.library import PAPI_VARIABLE
from ..runtime.sample_rate import SAMPLE_VARIABLE
from ..runtime.usage.names import USAGE_VARIABLE
from .options import RunOptions
from .path_recording import path_recording
from .steering import steered

__all__ = ["probe_variables", "tracing_variables"]


def probe_variables(options: RunOptions) -> dict[str, str]:
    """Return the environment variables for a measured run; the library uses its defaults for options that are None.

    Raises:
        UsageError: Options exclude each other, or the environment has an invalid value.
    """
    given = {
        "AUTOANALYZER_MAX_MEMORY": options.max_memory,
        "AUTOANALYZER_MAX_OVERHEAD": options.max_overhead,
        "AUTOANALYZER_EVENTS": options.events,
        USAGE_VARIABLE: options.usage,
        COUNT_IN_VARIABLE: options.count_in,
        MULTIPLEX_VARIABLE: "1" if options.multiplex else None,
        PAPI_VARIABLE: options.papi,
        SAMPLE_VARIABLE: options.sample,
        SPLIT_VARIABLE: "1" if options.split_waiting else None,
    }
    return {
        **{name: value for name, value in given.items() if value is not None},
        **tracing_variables(options),
        PATH_VARIABLE: path_recording(options.path, counts_in_mpi=_counts_in_mpi(options)),
        **steered(options),
    }


def tracing_variables(options: RunOptions) -> dict[str, str]:
    """Return the environment variables that make processes record time lines.

    Raises:
        UsageError: A memory limit is given, but no time lines are recorded.
    """
    if options.trace is None and options.trace_memory is not None:
        raise UsageError("--trace-memory needs --trace")
    given = {"AUTOANALYZER_TRACE": options.trace, "AUTOANALYZER_TRACE_MEMORY": options.trace_memory}
    return {name: f"{value}" for name, value in given.items() if value is not None}


def _counts_in_mpi(options: RunOptions) -> bool:
    return bool(options.count_in or options.usage or ":" in options.counters)
