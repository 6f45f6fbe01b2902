"""Runs of one program with different numbers of ranks, over the call paths of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath

import numpy as np

from ...errors import InputError, UsageError
from ...experiment import CallPath, Experiment
from ...experiment.algebra import integrate, strangers
from ..run.arrays import Values
from ..run.busy import CLOCKS, busy_times
from ..run.code_regions import startup_paths
from ..run.foreign_metrics import as_run
from ..run.location_blocks import over_locations
from ..run.preparation import Prepared, prepare
from ..run.selection import complete

__all__ = ["Series", "series_of"]

_COUNTS = ("instructions", "visits", "mpi_bytes_sent")


@dataclass(frozen=True)
class Series:
    """The runs, smallest number of ranks first, and their sums over ranks; ``float64[run, call path]``, exclusive.

    Call paths are those of all runs together; values of ``MPI_Init`` and ``MPI_Finalize`` are 0.

    Attributes:
        labels: The name of each run.
        ranks: The number of ranks of each run.
        runs: The runs.
        call_paths: The call paths of all runs.
        rows: For each run, the row of each of its call paths.
        has_same_arguments: Whether all runs got the same arguments, or these are unknown.
        busy: Busy time in seconds, including file I/O.
        longest: Busy time of the rank that is busy longest in the call path, in seconds.
        busiest: ``float64[run]``: busy time of the busiest rank.
        files: Time in file I/O, in seconds.
        path: Time on the critical path, in seconds; of one rank, its busy time.
        in_mpi: Time in MPI without waiting for other ranks, in seconds.
        counts: ``instructions``, ``visits`` and ``mpi_bytes_sent``, as far as all runs have them.
        shared: ``bool[run, call path]``: whether each rank executes at least half as much as the mean rank.
    """

    labels: tuple[str, ...]
    ranks: tuple[int, ...]
    runs: tuple[Prepared, ...]
    call_paths: tuple[CallPath, ...]
    rows: tuple[np.ndarray, ...]
    has_same_arguments: bool
    busy: Values
    longest: Values
    busiest: Values
    files: Values
    path: Values
    in_mpi: Values
    counts: dict[str, Values]
    shared: np.ndarray

    @property
    def instructions(self) -> Values | None:
        """Instructions, without those of MPI; None if not all runs were counted."""
        return self.counts.get("instructions")

    @property
    def times(self) -> Values:
        """The time of each run in seconds, from ``MPI_Init`` to ``MPI_Finalize``: ``float64[run]``."""
        return np.array([each.program_time for each in self.runs])

    @property
    def lengths(self) -> Values:
        """The length of each run's critical path in seconds: ``float64[run]``."""
        return np.asarray(self.path.sum(axis=1))

    @property
    def alone(self) -> tuple[bool, ...]:
        """For each run, whether each rank had a core to itself."""
        return tuple(not (each.oversubscription or each.wait_for_core) for each in self.runs)


def series_of(experiments: Sequence[Experiment], labels: Sequence[str]) -> Series:
    """Check that runs can be judged together, and add up their values.

    Args:
        experiments: Runs of one program, or means of runs.
        labels: Their names in messages.

    Raises:
        UsageError: There are fewer than two numbers of ranks, or two runs have the same.
        InputError: A run is incomplete, failed, has no critical path, or is of another program.
    """
    sizes = [len({place.process for place in each.locations}) for each in experiments]
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    labels, sizes = [labels[each] for each in order], [sizes[each] for each in order]
    if len({*sizes}) < 2:
        raise UsageError(
            f"expected runs with two or more numbers of ranks, found {len(sizes)} with {sizes[0]}; record the program "
            "with others: autoanalyzer run -o OUT -- mpirun -n RANKS ./app"
        )
    for (label, size), (other, same) in pairwise(zip(labels, sizes, strict=True)):
        if size == same:
            raise UsageError(f"{other}: {label} has {size} ranks, too; name one of them, or their autoanalyzer mean")
    for label, each in zip(labels, (experiments[each] for each in order), strict=True):
        _check(label, each)
    joined = integrate([as_run(experiments[each]) for each in order], system="collapse", labels=labels)
    for number, label in enumerate(labels[1:], start=1):
        programs = [each.notes.program for each in (joined.operands[0], joined.operands[number])]
        if all(programs) and programs[0] != programs[1]:
            raise InputError(f"{label}: expected the program {programs[0]} as in {labels[0]}, found {programs[1]}")
        if strangers(joined, [0], [number]):
            raise InputError(f"{label}: no region in common with {labels[0]}; are they runs of the same program?")
    sums = [_sums(each) for each in joined.operands]
    for label, own in zip(labels, sums, strict=True):
        if own["path"].sum() < (1 - CLOCKS) * own["busiest"] or not own["busiest"]:
            raise InputError(f"{label}: expected a critical path of the whole run; repeat that run with --path always")
    shape = len(sizes), len(joined.call_paths)

    def together(name: str) -> Values:
        found = np.zeros(shape)
        for run, rows in enumerate(joined.rows):
            found[run, rows] = sums[run][name]
        return found

    return Series(
        tuple(labels),
        tuple(sizes),
        tuple(map(prepare, joined.operands)),
        joined.call_paths,
        joined.rows,
        len({_arguments(each) for each in joined.operands} - {None}) < 2,
        busy=together("busy"),
        longest=together("longest"),
        busiest=np.array([float(each["busiest"]) for each in sums]),
        files=together("files"),
        path=together("path"),
        in_mpi=np.maximum(together("in_mpi"), 0.0),
        counts={name: together(name) for name in _COUNTS if all(_has(each, name) for each in sums)},
        shared=together("shared") > 0,
    )


def _has(sums: dict[str, Values], count: str) -> bool:
    """Return whether a run has a count; a program that executes no instructions was not counted."""
    return count in sums and (count != "instructions" or bool(sums[count].any()))


def _check(label: str, experiment: Experiment) -> None:
    notes = experiment.notes
    others = [each for each in notes.derived_by if each != "mean"]
    if others:
        raise InputError(f"{label}: expected a run, found the result of {others[0]}; name the runs themselves")
    if lost := len({*notes.missing, *notes.unfinished}):
        raise InputError(f"{label}: expected a complete run, but {lost} ranks did not reach MPI_Finalize; repeat it")
    if notes.program_status:
        raise InputError(f"{label}: expected exit status 0, found {notes.program_status}; repeat that run")
    if "path_time" not in experiment and len({place.process for place in experiment.locations}) > 1:
        raise InputError(f"{label}: expected a critical path, found none; repeat that run with --path always")


def _arguments(experiment: Experiment) -> tuple[str, ...] | None:
    """Return the arguments of the program on its command line; None if they are unknown."""
    command, program = experiment.notes.command, experiment.notes.program
    for place, word in enumerate(command):
        if place and PurePath(word).name == program:
            return command[place + 1 :]
    return None


def _sums(experiment: Experiment) -> dict[str, Values]:
    """Return the sums and maxima over ranks by name; see ``Series``."""
    names = [name for name in _COUNTS if complete(experiment, name)]
    blocks = [*over_locations(experiment, _of_block, names)]
    found: dict[str, Values] = {}
    for name in blocks[0]:
        join = {"longest": np.max, "busiest": np.max, "least": np.min}.get(name, np.sum)
        found[name] = np.asarray(join([each[name] for each in blocks], axis=0))
    number = len({place.process for place in experiment.locations})
    if number == 1:  # the path may begin with the first message, which there may not be
        found["path"] = found["busy"]
    executed = found["instructions"] if "instructions" in found else found["busy"]
    found["shared"] = np.where(executed > 0, found["least"] * number >= executed / 2, False).astype(np.float64)
    return found


def _of_block(part: Experiment, _: slice, names: list[str]) -> dict[str, Values]:
    hidden = list(startup_paths(part))
    processes, columns = np.unique([place.process for place in part.locations], return_inverse=True)

    def by_rank(values: Values) -> Values:
        values = np.array(values)
        values[hidden] = 0.0
        found = np.zeros((len(values), len(processes)))
        np.add.at(found.T, columns.ravel(), values.T)
        return found

    def of_metric(name: str, threads: Sequence[bool] | None = None) -> Values:
        if name not in part:
            return np.zeros_like(busy)
        values = np.nan_to_num(part.exclusive(name))
        return by_rank(values if threads is None else values * threads)

    busy = by_rank(busy_times(part))
    counted = {name: of_metric(name) for name in names}
    executed = counted.get("instructions", busy)
    first = [place.thread == 0 for place in part.locations]
    return {
        "busy": busy.sum(axis=1),
        "longest": busy.max(axis=1),
        "least": executed.min(axis=1),
        "busiest": busy.sum(axis=0).max(),
        "files": of_metric("io_time").sum(axis=1),
        "path": of_metric("path_time").sum(axis=1),
        "in_mpi": (of_metric("mpi_time", first) - of_metric("wait_time")).sum(axis=1),
        **{name: values.sum(axis=1) for name, values in counted.items()},
    }
