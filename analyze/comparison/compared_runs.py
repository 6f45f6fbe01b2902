"""Check that runs can be compared, and compute the values of the program and of each call path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Literal

import numpy as np

from ...errors import InputError
from ...experiment import Experiment
from ...experiment.algebra import Integration, strangers
from ...experiment.metric import MPI_PARTS, MPI_WAIT, WEIGHING_TIMES
from ..run.arrays import Values
from ..run.busy import BUSY_PARTS, CLOCKS, busy_times
from ..run.code_regions import startup_paths
from ..run.compute_time import compute_time
from ..run.criteria import CRITERIA
from ..run.foreign_metrics import negative_rank

__all__ = [
    "BUSY_TIME",
    "PATH_TIME",
    "OfRanks",
    "check_parts",
    "check_run",
    "check_runs",
    "check_values",
    "least_to_judge",
    "metrics_to_compare",
    "of_ranks",
    "repeats",
    "unit_of",
    "value_of_program",
    "values_by_path",
    "values_of_groups",
    "values_of_paths",
    "waiting_by_path",
]

OfRanks = Literal["mean", "sum", "max"]

_COMPUTE_TIME: Final = "compute_time"
BUSY_TIME: Final = "busy_time"
PATH_TIME: Final = "path_time"
_COMPUTED: Final[dict[str, Callable[[Experiment], Values]]] = {
    _COMPUTE_TIME: compute_time,
    BUSY_TIME: partial(busy_times, of_path=False),
}
_NEEDED: Final = dict.fromkeys(_COMPUTED, ("cpu_time", "mpi_cpu_time"))
_WALL: Final = frozenset(
    {"wall_time", "mpi_time", *(part.name for part in (*MPI_PARTS, MPI_WAIT)), "io_time", "program_time", "time"}
)
_WITH_WAITING: Final = frozenset({"wall_time", "time"})
_WAITING: Final = ("mpi_time", "omp_time")
_POLLING: Final = "mpi_instructions"


def metrics_to_compare(runs: Sequence[Experiment]) -> tuple[str, ...]:
    """Return the metrics by which to compare runs: wall time, compute time, and path time or busy time, if available.

    Wall time includes waiting. Compute time is CPU time outside MPI: the work of all ranks. The length of the critical
    path (or, if it is unknown, the busy time of the busiest rank) also falls if the same work is balanced better. Other
    programs on the machine hardly affect CPU times. Experiments of other tools are compared by ``time``, or by CPU time
    if they have no other time.
    """
    base = PATH_TIME if all(map(_has_whole_path, runs)) else BUSY_TIME
    there = [each for each in ("wall_time", _COMPUTE_TIME, base) if all(_has(run, each) for run in runs)]
    others = ((name,) for name in WEIGHING_TIMES if all(name in run for run in runs))
    return tuple(there) or next(others, ("wall_time",))


def _has(experiment: Experiment, metric: str) -> bool:
    return all(name in experiment for name in _stored(metric))


def _has_whole_path(experiment: Experiment) -> bool:
    """Return whether the critical path and busy time are known, and the path was recorded to the end."""
    if not all(map(partial(_has, experiment), (PATH_TIME, BUSY_TIME))):
        return False
    return not _is_partial_path(experiment) and value_of_program(experiment, BUSY_TIME) > 0


def _is_partial_path(experiment: Experiment) -> bool:
    """Return whether the critical path was not recorded to the end, so that it may be shorter than busy time."""
    if experiment.notes.path_is_partial or not _has(experiment, BUSY_TIME):
        return experiment.notes.path_is_partial
    busy = value_of_program(experiment, BUSY_TIME)
    is_whole = value_of_program(experiment, PATH_TIME) >= (1 - CLOCKS) * busy
    return not is_whole


def _stored(metric: str) -> tuple[str, ...]:
    """Return the stored metrics from which a metric is computed."""
    return _NEEDED.get(metric, (metric,))


def check_runs(joined: Integration, count: int, metric: str) -> None:
    """Raise an error if runs cannot be compared.

    Args:
        joined: The runs; the first ``count`` of them are the base runs.
        count: The number of base runs.
        metric: The metric to compare.

    Raises:
        InputError: An experiment is not a complete run, or its values of the metric are absent, missing or negative; or
            the runs' ranks, programs, units, barriers or exit statuses differ.
    """
    for label, each in zip(joined.labels, joined.operands, strict=True):
        check_run(label, each)
        _check_metric(label, each, metric)
        check_values(label, each, metric)
        if metric == PATH_TIME and _is_partial_path(each):
            raise InputError(
                f"{label}: expected the critical path of the whole run, found only its beginning; use another metric "
                f"(--metric {BUSY_TIME})"
            )
    _check_barriers(joined)
    _check_units(joined, metric)
    _check_endings(joined)
    check_parts(joined)
    first, *_ = ranks = [sorted({place.process for place in each.locations}) for each in joined.operands]
    for label, found in zip(joined.labels, ranks, strict=True):
        if found != first:
            raise InputError(
                f"{label}: expected the same ranks as in {joined.labels[0]} ({_size(first)}), "
                f"found different ones ({_size(found)}); compare runs with the same ranks"
            )
    if strangers(joined, range(count), range(count, len(joined.operands))):
        raise InputError(
            f"{joined.labels[count]}: no region in common with {joined.labels[0]}; are they runs of the same program?"
        )


def check_run(label: str, experiment: Experiment) -> None:
    """Raise an error if an experiment is not a run but computed from runs, or if the run is unfinished.

    Args:
        label: Name of the experiment in the message.
        experiment: The experiment.

    Raises:
        InputError: The experiment is not a complete run.
    """
    notes = experiment.notes
    if notes.derived_by:
        raise InputError(
            f"{label}: expected a run, found the result of {notes.derived_by[0]}; name the runs themselves"
        )
    if notes.missing:
        raise InputError(
            f"{label}: expected a complete run, but no data came back from {_ranks(notes.missing)}; repeat that run"
        )
    if notes.unfinished:
        raise InputError(
            f"{label}: expected a complete run, but {_ranks(notes.unfinished)} never entered MPI_Finalize; repeat that "
            "run"
        )


def _size(ranks: Sequence[int]) -> str:
    return f"{len(ranks)} rank{'s' * (len(ranks) != 1)}"


def _ranks(ranks: Sequence[int]) -> str:
    listed = ", ".join(map(str, ranks[:8])) + " …" * (len(ranks) > 8)
    return f"rank {listed}" if len(ranks) == 1 else f"ranks {listed}"


def _check_metric(label: str, experiment: Experiment, metric: str) -> None:
    for name in _stored(metric):
        if name not in experiment:
            known = ", ".join(one.name for one in experiment.metrics)
            raise InputError(f"{label}: no metric {name!r}; its metrics are {known}")
        if experiment.metric(name).aggregation != "sum":
            raise InputError(
                f"{label}: metric {name!r} cannot be summed over call paths and ranks; choose another metric"
            )


def _check_units(joined: Integration, metric: str) -> None:
    """Raise an error if the metric's unit differs between runs; a run without a unit is accepted."""
    for name in _stored(metric):
        units = zip(joined.labels, (each.metric(name).unit for each in joined.operands), strict=True)
        (first, expected), *others = [(label, unit) for label, unit in units if unit] or [("", "")]
        for label, unit in others:
            if unit != expected:
                raise InputError(
                    f"{label}: expected {name} in {expected}, as in {first}, found {unit}; choose another metric "
                    "with --metric"
                )


def check_values(label: str, experiment: Experiment, metric: str) -> None:
    """Raise ``InputError`` if values of a metric, or of the metrics it is computed from, are missing or negative."""
    parts = [name for name in BUSY_PARTS if metric == BUSY_TIME and name in experiment]
    for name in dict.fromkeys((*_stored(metric), *parts)):
        if np.isnan(experiment.exclusive(name)).any():
            raise InputError(f"{label}: values of some ranks are missing; repeat that run")
        if (rank := negative_rank(experiment, name)) is not None:
            raise InputError(f"{label}: expected a run, but {name} is negative on rank {rank}")


def _check_barriers(joined: Integration) -> None:
    """Raise an error if only some runs have barriers before collectives, because barriers take time."""
    split = [label for label, each in zip(joined.labels, joined.operands, strict=True) if MPI_WAIT.name in each]
    others = [label for label in joined.labels if label not in split]
    if split and others:
        raise InputError(
            f"{split[0]}: recorded with --split-waiting, which adds barriers that take time, but {others[0]} was not; "
            "compare runs with the same options"
        )


def check_parts(joined: Integration) -> None:
    """Raise ``InputError`` if runs were cut to different parts of the program, or have no region in common."""
    first, root = joined.operands[0], joined.labels[0]
    there = {joined.rows[0][path] for path in first.roots}
    for label, rows, each in zip(joined.labels, joined.rows, joined.operands, strict=True):
        if each.notes.cut_to != first.notes.cut_to:
            expected, found = (" of ".join(reversed(one.notes.cut_to)) or "the whole program" for one in (first, each))
            raise InputError(
                f"{label}: expected {expected}, as in {root}, found {found}; cut all runs to the same part, or none"
            )
        if there.isdisjoint(rows[path] for path in each.roots):
            raise InputError(f"{label}: no region in common with {root}; are they runs of the same program?")


def _check_endings(joined: Integration) -> None:
    """Raise an error if some runs failed and others did not, because a failed run may have done less."""
    statuses = [each.notes.program_status for each in joined.operands]
    if len({*statuses} - {None}) < 2:
        return
    label, status = next(each for each in zip(joined.labels, statuses, strict=True) if each[1])
    raise InputError(f"{label}: expected exit status 0, found {status}; repeat that run")


def unit_of(runs: Sequence[Experiment], metric: str) -> str:
    """Return the unit of the compared metric, from the runs that have a unit."""
    return next(filter(None, (run.metric(_stored(metric)[0]).unit for run in runs)), "")


def of_ranks(metric: str) -> OfRanks:
    """Return how values are combined over ranks: mean over first threads, sum over threads, or the busiest rank's."""
    return "mean" if metric in _WALL else "max" if metric == BUSY_TIME else "sum"


def least_to_judge(runs: Sequence[Experiment], metric: str) -> float:
    """Return the shortest time that is judged, in seconds; 0 if the metric is not a time."""
    if unit_of(runs, metric) != "sec":
        return 0.0
    is_of_one = of_ranks(metric) != "sum" or metric == PATH_TIME
    return CRITERIA.resolution * (1 if is_of_one else len({place.process for place in runs[0].locations}))


def repeats(runs: Sequence[Experiment], metric: str) -> bool:
    """Return whether repeated runs of the same program have identical values of the metric.

    They do for simulated counts, except for instructions in MPI, because MPI libraries poll.
    """
    return metric != _POLLING and all(
        run.metric(name).source.startswith("simulated:") for run in runs for name in _stored(metric)
    )


def values_by_path(joined: Integration, run: int, metric: str) -> Values:
    """Return a run's exclusive value in each call path of the joined runs; ``float64[call path]``."""
    experiment = joined.operands[run]
    found = np.zeros(len(joined.call_paths))
    found[joined.rows[run]] = values_of_paths(experiment, metric)
    return found


def values_of_paths(experiment: Experiment, metric: str) -> Values:
    """Return the exclusive value of each call path, with 0 for MPI_Init and MPI_Finalize; ``float64[call path]``."""
    return _over_locations(_without_startup(experiment, metric), experiment, metric)


def values_of_groups(experiment: Experiment, metric: str, groups: Sequence[int]) -> Values:
    """Return the exclusive values of groups of call paths, each group as one region; ``float64[group]``.

    Args:
        experiment: A run.
        metric: The metric.
        groups: The group of each call path, numbered from 0.
    """
    values = _without_startup(experiment, metric)
    sums = np.zeros((max(groups) + 1, values.shape[1]))
    np.add.at(sums, groups, values)
    return _over_locations(sums, experiment, metric)


def waiting_by_path(joined: Integration, run: int, metric: str) -> Values:
    """Return the part of ``values_by_path`` that is time in MPI calls or OpenMP waits; ``float64[call path]``.

    This is 0 for metrics that do not include waiting.
    """
    experiment = joined.operands[run]
    found = np.zeros(len(joined.call_paths))
    if metric in _WITH_WAITING:
        waits = [
            _over_locations(experiment.exclusive(name), experiment, metric) for name in _WAITING if name in experiment
        ]
        found[joined.rows[run]] = sum(waits, np.zeros(len(experiment.call_paths)))
        calls = [path for path, each in enumerate(joined.call_paths) if each.region.kind == "mpi"]
        found[calls] = values_by_path(joined, run, metric)[calls]
    return found


@np.errstate(over="ignore", invalid="ignore")
def value_of_program(experiment: Experiment, metric: str) -> float:
    """Return the value of the whole program, over all call paths except MPI_Init and MPI_Finalize.

    Work before and after MPI always counts, even if it is little: with a limit, it might count in only one of two
    equal runs.
    """
    return float(_over_locations(_without_startup(experiment, metric).sum(axis=0)[None], experiment, metric)[0])


def _without_startup(experiment: Experiment, metric: str) -> Values:
    """Return exclusive values, with 0 for MPI_Init and MPI_Finalize; ``float64[call path, location]``."""
    computed = _COMPUTED.get(metric)
    values = computed(experiment) if computed else experiment.exclusive(metric).copy()
    values[list(startup_paths(experiment))] = 0.0
    return values


def _over_locations(values: Values, experiment: Experiment, metric: str) -> Values:
    """Combine the values of all locations as ``of_ranks`` requires; ``float64[call path]``."""
    of = of_ranks(metric)
    if of != "mean":
        return np.asarray(values.sum(axis=1) if of == "sum" else values.max(axis=1))
    first: dict[int, int] = {}
    for column, place in enumerate(experiment.locations):
        known = first.get(place.process)
        if known is None or place.thread < experiment.locations[known].thread:
            first[place.process] = column
    return np.asarray(values[:, [*first.values()]].mean(axis=1))
