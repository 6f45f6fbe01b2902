"""The options of a measured run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["INTERVAL", "RunOptions"]

INTERVAL: Final = 0.01  # default sampling interval of time lines, in seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of a measured run. Most are named like the command-line options in docs/commands/run.md.

    If a program runs several times, ``dataclasses.replace`` derives the options of each run from the user's.

    Attributes:
        output: The run's folder.
        counters: The source of counts: ``auto``, ``papi``, ``papi:EVENT,…``, ``simulated``,
            ``simulated:EVENT,…`` or ``none``.
        events: ``METRIC=EVENT,…``: the metrics that PAPI counts, and the event for each; ``none``; or None for all
            metrics.
        usage: Metrics of system use, ``METRIC,…``; None to use the environment variable.
        count_in: ``mpi``, ``io`` or ``mpi,io``: PAPI counts only in these calls; None to count everywhere.
        multiplex: Whether events share the hardware counters in time slices.
        papi: The libpapi that counts, as ``named_papi`` returns it; None to use the library that the environment
            variable names, or else the system's library.
        cache: Caches to simulate, ``L1=32K/8/64,L2=1M/8/64``; None for this machine's caches.
        counting_dir: Folder in which the counting run works; None for a copy of the current folder.
        scratch: Folder for this copy; None for the run's folder.
        no_copy: Whether the counting run works in the current folder.
        no_environment: Whether environment variables are not stored in the experiment.
        gather: How the data of all ranks are collected: ``auto``, ``mpi`` or ``plain``.
        max_memory: Maximum memory per process for call paths, such as ``64M``; None for the default.
        max_overhead: Maximum overhead, such as ``5%``, or ``off``; None for the default.
        trace: Sampling interval of time lines in seconds; None for no time lines.
        trace_memory: Maximum memory per process for time lines; None for the default.
        pursue: Seconds per window, after which the metrics in time lines are chosen anew; None to record all metrics.
        policy: File that lists the metrics to record in time lines; None to record all metrics.
        split_waiting: Whether waiting before collectives is measured separately.
        path: When the critical path is recorded: ``never``, ``auto`` or ``always``; None to use the environment
            variable, or the default.
        sample: Samples per second of CPU time, as ``sample_rate`` returns them; None to use the environment variable,
            or the default.
        python_functions: Patterns of Python functions to record as regions.
    """

    output: Path
    counters: str = "auto"
    events: str | None = None
    usage: str | None = None
    count_in: str | None = None
    multiplex: bool = False
    papi: str | None = None
    cache: str | None = None
    counting_dir: Path | None = None
    scratch: Path | None = None
    no_copy: bool = False
    no_environment: bool = False
    gather: str = "auto"
    max_memory: str | None = None
    max_overhead: str | None = None
    trace: float | None = None
    trace_memory: str | None = None
    pursue: float | None = None
    policy: Path | None = None
    split_waiting: bool = False
    path: str | None = None
    sample: str | None = None
    python_functions: tuple[str, ...] = ()
