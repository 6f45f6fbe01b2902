"""The first stage of the analysis: check that a run can be analysed, find its regions, and compute their costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...errors import InputError
from ...experiment import Experiment
from .code_regions import recursive, within_shells
from .costs import Cost, program_times, region_costs, times_outside
from .criteria import CRITERIA
from .foreign_metrics import as_run, expected_times
from .overhead import Overhead, measuring_cost
from .oversubscription import WaitForCore, longest_wait_for_core, oversubscription, waits_for_cores_unknown
from .selection import Selection
from .summary import summary
from .threads import has_nested_teams

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True)
class Prepared:
    """The common input of all analyses.

    Attributes:
        experiment: The run, with metrics under our own names.
        compared: The ranks and regions that are compared.
        costs: Cost of each code region.
        weighed: All ranks, and the regions of ``compared`` in the same order, for comparing regions with each other: a
            region around the whole program counts only with its own code.
        weighed_costs: Cost of each region in ``weighed``.
        program_time: W_program in seconds, of the slowest process.
        mean_time: W_program in seconds, mean over the processes.
        outside: The part of W_program before MPI_Init and after MPI_Finalize, in seconds, for the process in which it
            is longest.
        overhead: The overhead of the measurement.
        oversubscription: The number of ranks (or of busy threads, if there are more) that share a smaller number of
            cores; 0 if each had a core, or if this is unknown.
        wait_for_core: The longest wait of a process for a core, if it took a tenth of the process's time.
        waits_for_cores_unknown: Whether ranks may have waited for cores that other programs used, without a report from
            the kernel.
        nested_teams: Whether there are threads of nested teams, which are not compared.
        least: The value of both ``least_gain`` and ``least_weight``; None for their defaults.
    """

    experiment: Experiment
    compared: Selection
    costs: tuple[Cost, ...]
    weighed: Selection
    weighed_costs: tuple[Cost, ...]
    program_time: float
    mean_time: float
    outside: float
    overhead: Overhead
    oversubscription: int
    wait_for_core: WaitForCore | None
    waits_for_cores_unknown: bool
    nested_teams: bool
    least: float | None = None

    @property
    def least_gain(self) -> float:
        """The minimum share of the run that a fix must save to be reported."""
        return CRITERIA.least_gain if self.least is None else self.least

    @property
    def least_seconds(self) -> float:
        """The number of seconds that a difference or a cost must reach to be reported."""
        return min(self.least_gain * self.program_time, CRITERIA.resolution)

    @property
    def least_weight(self) -> float:
        """The minimum share of the run that a critical region must take."""
        return CRITERIA.least_weight if self.least is None else self.least


def prepare(
    experiment: Experiment,
    *,
    metric: str = "compute_time",
    exclude_ranks: Sequence[int] = (),
    exclude_regions: Sequence[str] = (),
    least: float | None = None,
) -> Prepared:
    """Check that an experiment can be analysed, select what is compared, and compute the costs of its regions.

    Args:
        experiment: A measured, derived or imported experiment.
        metric: The metric to compare ranks by.
        exclude_ranks: Ranks to leave out; see ``Selection.of``.
        exclude_regions: Regions to leave out; see ``Selection.of``.
        least: The minimum share of the run that a fix must save, or that a critical region must take; None for the
            defaults in ``Criteria``.

    Raises:
        InputError: The experiment is not a run (see ``as_run``), lacks a metric, or lacks a value of a metric.
        UsageError: An excluded rank or region does not exist.
    """
    as_measured, experiment = experiment, as_run(experiment)
    _check_metrics(experiment, metric, as_measured)
    everything = Selection.of(experiment)
    costs = region_costs(experiment, everything.regions)
    recursion = recursive(experiment, everything.regions)
    weighed = replace(everything, regions=within_shells(everything.regions, [each.share for each in costs], recursion))
    times = program_times(experiment)
    return Prepared(
        experiment=experiment,
        compared=Selection.of(experiment, exclude_ranks=exclude_ranks, exclude_regions=exclude_regions),
        costs=tuple(costs),
        weighed=weighed,
        weighed_costs=tuple(region_costs(experiment, weighed.regions)),
        program_time=float(times.max()),
        mean_time=float(times.mean()),
        outside=float(times_outside(experiment).max()),
        overhead=measuring_cost(experiment),
        oversubscription=oversubscription(experiment),
        wait_for_core=longest_wait_for_core(experiment),
        waits_for_cores_unknown=waits_for_cores_unknown(experiment),
        nested_teams=has_nested_teams(experiment),
        least=least,
    )


def _check_metrics(experiment: Experiment, metric: str, as_measured: Experiment) -> None:
    """Raise an error if an experiment lacks the metrics of a comparison, or has missing values."""
    parts = ["cpu_time", "mpi_cpu_time"]
    if "omp_cpu_time" in experiment.notes.left_out and any(place.thread for place in experiment.locations):
        parts.append("omp_cpu_time")  # a single thread never waits for others
    needed = dict.fromkeys(["wall_time", *(parts if metric == "compute_time" else [metric])])
    absent = [name for name in needed if name not in experiment]
    if absent:
        if said := expected_times(as_measured, absent):
            raise InputError(said)
        found = ", ".join(each.name for each in experiment.metrics[:8]) or "none"
        raise InputError(f"expected metrics {', '.join(needed)}, found {found}; missing: {', '.join(absent)}")
    for name in needed:
        lacking = summary(experiment, name).missing
        if lacking is not None:
            place = experiment.locations[lacking]
            raise InputError(f"expected {name} on every rank, found no value on rank {place.process}")
