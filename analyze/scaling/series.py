"""Runs of one program with different numbers of ranks, over the call paths of all runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod
from pathlib import PurePath
from typing import Final

import numpy as np

from ...errors import InputError, UsageError
from ...experiment import CallPath, Experiment, select
from ...experiment.algebra import integrate, strangers
from ...experiment.metric import TEAM_TIME
from ...experiment.region import changed_file
from ..comparison.compared_runs import check_parts
from ..run.arrays import Values
from ..run.busy import CLOCKS
from ..run.foreign_metrics import as_run
from ..run.preparation import Prepared, prepare
from ..run.summary import is_of_all_runs
from .repeats import Repeats, repeats_of
from .sums import COUNTS, sums_of

__all__ = ["Series", "check_machine", "series_of"]

_INSTRUCTIONS: Final = "instructions"
_THREADS: Final = "OMP_NUM_THREADS"


@dataclass(frozen=True)
class Series:
    """The runs, smallest number of ranks first, and their sums over ranks; ``float64[run, call path]``, exclusive.

    Call paths are the union of all runs' call paths; values of ``MPI_Init`` and ``MPI_Finalize`` are 0.

    Attributes:
        labels: The name of each run.
        ranks: The number of ranks of each run, without processes that ranks started.
        runs: The runs; if runs are repeated, the median run for each number of ranks.
        repeats: The times of all runs with each number of ranks.
        call_paths: The call paths of all runs.
        rows: For each run, the index in ``call_paths`` of each of its own call paths.
        has_same_arguments: Whether all runs had the same arguments, or arguments are unknown.
        busy: Busy time in seconds, including file I/O. In teams of threads, it is the time of the slowest thread in
            each execution or, if some run lacks this time, of the thread that is busiest in all executions together.
        longest: Busy time of the rank that is busy longest in the call path, in seconds.
        busiest: ``float64[run]``: busy time of the busiest rank.
        of_threads: Like ``busy``, but in teams of threads, the sum over all threads of the team.
        files: Time in file I/O, in seconds.
        path: Time on the critical path, in seconds; with one rank, its busy time.
        in_mpi: Time in MPI without waiting for other ranks, in seconds.
        counts: ``instructions``, ``visits`` and ``mpi_bytes_sent``, each only if all runs have it.
        least: Like ``counts``, but for the rank with the smallest count in the call path.
        most: Like ``counts``, but for the rank with the largest count in the call path.
        grids: For each run, the sizes of each grid in which the program arranged all ranks.
        shared: ``bool[run, call path]``: whether each rank executes at least half of the mean number of instructions;
            if instructions were not counted, whether it is busy for at least half of the mean time.
        same: ``bool[run, call path]``: whether all ranks execute the same number of instructions; false if instructions
            were not counted.
        uncounted: The names of the runs in which instructions were not counted, if they were counted in other runs.
    """

    labels: tuple[str, ...]
    ranks: tuple[int, ...]
    runs: tuple[Prepared, ...]
    repeats: tuple[Repeats, ...]
    call_paths: tuple[CallPath, ...]
    rows: tuple[np.ndarray, ...]
    has_same_arguments: bool
    busy: Values
    longest: Values
    busiest: Values
    of_threads: Values
    files: Values
    path: Values
    in_mpi: Values
    counts: dict[str, Values]
    least: dict[str, Values]
    most: dict[str, Values]
    grids: tuple[tuple[tuple[int, ...], ...], ...]
    shared: np.ndarray
    same: np.ndarray
    uncounted: tuple[str, ...]

    @property
    def instructions(self) -> Values | None:
        """Instructions outside MPI; None if they were not counted in all runs."""
        return self.counts.get(_INSTRUCTIONS)

    @property
    def times(self) -> Values:
        """The time of each run in seconds, from ``MPI_Init`` to ``MPI_Finalize``: ``float64[run]``."""
        return np.array([each.program_time for each in self.runs])

    @property
    def lengths(self) -> Values:
        """The length of each run's critical path in seconds: ``float64[run]``."""
        return np.asarray(self.path.sum(axis=1))

    @property
    def judged_times(self) -> Values:
        """``lengths`` if ``is_of_path``, otherwise ``times``."""
        return self.lengths if self.is_of_path else self.times

    @property
    def intervals(self) -> tuple[tuple[float, float], ...]:
        """For each number of ranks, the shortest and longest time in seconds; of critical paths if ``is_of_path``."""
        return tuple(each.interval(of_path=self.is_of_path) for each in self.repeats)

    @property
    def is_of_path(self) -> bool:
        """Whether times are lengths of the critical path, because ranks shared cores."""
        return not all(self.alone)

    @property
    def alone(self) -> tuple[bool, ...]:
        """For each number of ranks, whether each rank had a core to itself in all of these runs."""
        return tuple(each.alone for each in self.repeats)


def series_of(runs: Sequence[Sequence[Experiment]], labels: Sequence[str]) -> Series:
    """Check that runs can be judged together, and add up their values.

    Args:
        runs: Runs of one program, or means of runs: one or more for each number of ranks.
        labels: Names of the runs in messages, one per number of ranks.

    Raises:
        UsageError: There are fewer than two numbers of ranks, or two elements of ``runs`` have the same number of
            ranks.
        InputError: A run is incomplete, failed, or has no critical path; or runs differ in their program, build, kind
            of machine, number of threads per rank, source of counts, or the part of the program to which they were cut.
    """
    runs = _of_ranks(runs)
    sizes = [_size(each[0]) for each in runs]
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    labels, sizes = [labels[each] for each in order], [sizes[each] for each in order]
    if len({*sizes}) < 2:
        raise UsageError(
            f"expected runs with different numbers of ranks, found only runs with {_ranks(sizes[0])}; to record more: "
            "autoanalyzer scale -o DIR --ranks 2,4,8 -- mpirun -n {ranks} ./app"
        )
    for (label, size), (other, same) in pairwise(zip(labels, sizes, strict=True)):
        if size == same:
            raise UsageError(
                f"{other} has {size} ranks, like {label}; give only one of the two, or their mean (autoanalyzer mean)"
            )
    for label, repeated in zip(labels, (runs[each] for each in order), strict=True):
        for each in repeated:
            _check(label, each)
    repeats = tuple(repeats_of(runs[each]) for each in order)
    of_path = not all(each.alone for each in repeats)
    medians = [runs[each][some.median(of_path=of_path)] for each, some in zip(order, repeats, strict=True)]
    for label, each in zip(labels, medians, strict=True):
        _check_same(labels[0], medians[0], label, each)
    joined = integrate([as_run(each) for each in medians], system="collapse", labels=labels)
    for number, label in enumerate(labels[1:], start=1):
        if strangers(joined, [0], [number]):
            raise InputError(f"{label}: no region in common with {labels[0]}; are they runs of the same program?")
    check_parts(joined)
    of_path = all(is_of_all_runs(each, TEAM_TIME.name) for each in medians)
    sums = [sums_of(each, of_path=of_path) for each in joined.operands]
    _check_threads(labels, medians, [int(each["team"]) for each in sums])
    for label, run, own in zip(labels, medians, sums, strict=True):
        is_partial = run.notes.path_is_partial
        if is_partial or own["path"].sum() < (1 - CLOCKS) * own["busiest"] or not own["busiest"]:
            raise InputError(f"{label}: expected a critical path of the whole run; repeat that run with --path always")
    shape = len(sizes), len(joined.call_paths)

    def together(name: str) -> Values:
        found = np.zeros(shape)
        for run, rows in enumerate(joined.rows):
            found[run, rows] = sums[run][name]
        return found

    counts = [name for name in COUNTS if all(_has(each, name) for each in sums)]
    return Series(
        tuple(labels),
        tuple(sizes),
        tuple(map(prepare, joined.operands)),
        repeats,
        joined.call_paths,
        joined.rows,
        len({_arguments(each) for each in joined.operands} - {None}) < 2,
        busy=together("busy"),
        longest=together("longest"),
        busiest=np.array([float(each["busiest"]) for each in sums]),
        of_threads=together("of_threads"),
        files=together("files"),
        path=together("path"),
        in_mpi=np.maximum(together("in_mpi"), 0.0),
        counts={name: together(name) for name in counts},
        least={name: together(f"least {name}") for name in counts},
        most={name: together(f"most {name}") for name in counts},
        grids=tuple(_grids_of(each, size) for each, size in zip(medians, sizes, strict=True)),
        shared=together("shared") > 0,
        same=together("same") > 0,
        uncounted=tuple(
            label
            for label, each in zip(labels, sums, strict=True)
            if not _has(each, _INSTRUCTIONS) and any(_has(other, _INSTRUCTIONS) for other in sums)
        ),
    )


def _size(experiment: Experiment) -> int:
    return len({place.process for place in experiment.locations})


def _of_ranks(runs: Sequence[Sequence[Experiment]]) -> Sequence[Sequence[Experiment]]:
    """Return the runs without the processes that ranks started, unless runs would then differ less in size."""
    of_ranks = [[_without_started(each) for each in repeated] for repeated in runs]
    different, before = (len({_size(repeated[0]) for repeated in each}) for each in (of_ranks, runs))
    return runs if different < before else of_ranks


def _without_started(experiment: Experiment) -> Experiment:
    ranks = {place.process for place in experiment.locations}.difference(experiment.notes.started)
    if not experiment.notes.started or not ranks:
        return experiment
    found = select(experiment, processes=ranks)
    return found.replaced(notes=replace(found.notes, history=experiment.notes.history))  # it is still a run


def _has(sums: dict[str, Values], count: str) -> bool:
    """Return whether a run has a count; if all instructions are 0, they were not counted."""
    return count in sums and (count != _INSTRUCTIONS or bool(sums[count].any()))


def _grids_of(experiment: Experiment, ranks: int) -> tuple[tuple[int, ...], ...]:
    """Return the sizes of each topology that contains all ranks."""
    whole = [each for each in experiment.topologies if len({process for process, _ in each.coordinates}) == ranks]
    grids = (tuple(size for _, size, _ in each.dimensions) for each in whole)
    return tuple(each for each in grids if prod(each) == ranks)


def _ranks(number: int) -> str:
    return f"{number} rank{'s' * (number != 1)}"


def _check(label: str, experiment: Experiment) -> None:
    notes = experiment.notes
    others = [each for each in notes.derived_by if each != "mean"]
    if others:
        raise InputError(f"{label}: expected a run, found the result of {others[0]}; name the runs themselves")
    if lost := len({*notes.missing, *notes.unfinished}):
        raise InputError(
            f"{label}: expected a complete run, but {_ranks(lost)} did not reach MPI_Finalize; repeat that run"
        )
    if notes.program_status:
        raise InputError(f"{label}: expected exit status 0, found {notes.program_status}; repeat that run")
    if "path_time" not in experiment and _size(experiment) > 1:
        raise InputError(f"{label}: expected a critical path, found none; repeat that run with --path always")


def _check_same(first: str, base: Experiment, label: str, other: Experiment) -> None:
    """Raise an error if a run differs from the first one in program, build, kind of machine, or source of counts."""
    programs = [each.notes.program for each in (base, other)]
    if all(programs) and programs[0] != programs[1]:
        raise InputError(f"{label}: expected the program {programs[0]}, as in {first}, found {programs[1]}")
    if changed := changed_file(*((path.region for path in each.call_paths) for each in (base, other))):
        file = PurePath(changed).name
        raise InputError(f"{label}: {file} has changed since {first}; record both runs with the same build")
    check_machine(first, base, label, other)
    how = [
        each.metric(_INSTRUCTIONS).source.partition(":")[0] if _INSTRUCTIONS in each else "" for each in (base, other)
    ]
    if {*how} == {"measured", "simulated"}:
        raise InputError(
            f"{label}: expected {how[0]} instruction counts, as in {first}, found {how[1]} counts; record all runs "
            "with the same --counters"
        )


def _check_threads(labels: Sequence[str], runs: Sequence[Experiment], teams: Sequence[int]) -> None:
    """Raise an error if ranks have more threads in one run than in another, unless the same number was requested."""
    for label, run, found in zip(labels, runs, teams, strict=True):
        requested = {each.notes.environment.get(_THREADS) for each in (runs[0], run)}
        if found != teams[0] and (len(requested) > 1 or None in requested):
            raise InputError(
                f"{label}: expected {teams[0]} thread{'s' * (teams[0] != 1)} per rank, as in {labels[0]}, found "
                f"{found}; record all runs with the same {_THREADS}"
            )


def check_machine(first: str, base: Experiment, label: str, other: Experiment) -> None:
    """Raise an error if a run was on another kind of machine than the run named ``first``, and both were calibrated.

    Raises:
        InputError: Processors or caches differ.
    """
    machines = [[each.notes.calibrated.get(name) for name in ("processor", "caches")] for each in (base, other)]
    if all(machines[0]) and all(machines[1]) and machines[0] != machines[1]:
        raise InputError(
            f"{label}: expected a machine with {' and '.join(map(str, machines[0]))}, as in {first}, found "
            f"{' and '.join(map(str, machines[1]))}; record all runs on the same kind of machine"
        )


def _arguments(experiment: Experiment) -> tuple[str, ...] | None:
    """Return the arguments of the program on its command line; None if they are unknown."""
    command, program = experiment.notes.command, experiment.notes.program
    for place, word in enumerate(command):
        if PurePath(word).name == program:
            return command[place + 1 :]
    return None
