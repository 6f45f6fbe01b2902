"""Measure a run, from the launch command to the experiment."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from ..errors import InputError
from ..experiment import Experiment
from .build import probe_library
from .calibration.kept import kept_calibration
from .command import find_program
from .facts import RunFacts
from .folder import RunFolder
from .gather.folder_shards import Told
from .gather.gather import gather as gather_shards
from .launch import kept_environment, launch, measured_environment, overhead_share
from .mpi.detection import find_mpi
from .processor_use import ProcessorUse
from .python_functions import python_environment, read_python_reports
from .throttled_plan import add_throttled
from .usage.names import USAGE_VARIABLE

__all__ = ["Measurement", "measure"]


@dataclass(frozen=True)
class Measurement:
    """The result of a run.

    Attributes:
        experiment: The data; None if no process recorded data.
        file: The experiment's file.
        status: The exit status of the command; if negative, the signal that ended it.
        plan: A sentence about the plan in the folder; empty if nothing was throttled.
        interrupted: Whether a signal asked the command to end early; it may have ended normally nevertheless.
    """

    experiment: Experiment | None
    file: Path
    status: int
    plan: str = ""
    interrupted: bool = False


def measure(
    command: Sequence[str],
    output: Path,
    *,
    counters: str = "none",
    gather: str = "auto",
    keep_environment: bool = True,
    limits: Mapping[str, str] | None = None,
    python_functions: Sequence[str] = (),
    told: Told | None = None,
    beside: AbstractContextManager[object] | None = None,
    hands_over: bool = False,
    say: Callable[[str], object],
) -> Measurement:
    """Run a command with the probe library preloaded, and gather what its processes recorded.

    Args:
        command: The launcher and the program.
        output: The run's folder.
        counters: What the probes count besides time: ``none``, ``papi``, or ``auto``, which is ``papi`` if PAPI can
            count anything.
        gather: ``mpi``, ``plain``, or ``auto``: by MPI if the data of some ranks are not on this disk.
        keep_environment: Whether to keep the few variables that explain a run.
        limits: Environment variables for the probe library, such as the overhead limit and the system use to count.
        python_functions: Patterns of the Python functions to record as regions.
        told: Progress callback for gathering; receives the number of shards read, and their total.
        beside: A context manager that is active while the program runs, until the facts about its end are written.
        hands_over: As for ``launch``; only for a program that is not started again.
        say: Callback that shows the user a message.

    Raises:
        InputError: The program does not exist.
        UsageError: ``AUTOANALYZER_MAX_OVERHEAD`` is not a share.
        BuildError: The probe library cannot be built.
    """
    mpi = find_mpi(command)
    find_program(command, mpi.launcher)
    library = probe_library(mpi, say=say)
    folder = RunFolder(output)
    environment = {
        **measured_environment(library, folder.shards, (limits or {}).get(USAGE_VARIABLE), counters),
        "AUTOANALYZER_COUNTERS": counters,
        **(limits or {}),
        **python_environment(python_functions),
    }
    folder.prepare()
    kept = kept_environment() if keep_environment else {}
    processors = len(os.sched_getaffinity(0))
    calibration = kept_calibration(mpi)
    facts = RunFacts(
        list(command),
        environment=kept,
        processors=processors,
        node=os.uname().nodename,
        max_overhead=overhead_share(environment),
        prices=calibration.prices.known() if calibration else {},
        calibrated=calibration.place if calibration else {},
        start=uuid4().hex,
    )
    facts.write(folder.shards)
    signals: list[int] = []
    before = ProcessorUse.now()
    with beside or nullcontext():
        status = launch(
            command,
            environment,
            launcher=mpi.openmpi_launcher,
            signalled=signals.append,
            hands_over=hands_over,
        )
        after = ProcessorUse.now()
        use = after.since(before) if after else {}
        facts = replace(facts, status=status, ended=time.time(), processor_use=use)
        facts.check_start(folder.shards)
        with suppress(InputError):  # existing data are gathered even if the disk is full
            facts.write(folder.shards)
    for complaint in read_python_reports(folder.shards).complaints(python_functions):
        say(complaint)
    experiment = gather_shards(folder, facts, gather, told=told)
    if experiment is None:
        facts.check_start(folder.shards)
        folder.remove_shards([])
    plan = add_throttled(folder.plan, experiment) if experiment else ""
    return Measurement(experiment, folder.experiment, status, plan, interrupted=bool(signals))
