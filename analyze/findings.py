"""All that the analyses find in one experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ..errors import InputError
from ..experiment import Experiment
from .attributes import BYTES_PER_SECOND, Attribute, attributes_of, lacking
from .code_regions import CodeRegion, within_shells
from .costs import Cost, region_costs
from .disparity.causes import DisparityCauses, find_disparity_causes
from .disparity.crnm import cycles_metric, cycles_per_instruction, weights
from .disparity.disparity import Disparity, find_disparity
from .disparity.waiting import late_cores, waiting_times
from .dissimilarity.causes import DissimilarityCauses, find_dissimilarity_causes
from .dissimilarity.dissimilarity import Dissimilarity, find_dissimilarity
from .dissimilarity.network import differing_volumes
from .dissimilarity.off_processor import differing_time_off
from .dissimilarity.performance import DISSIMILARITY_METRICS, Performance
from .dissimilarity.thread_roles import differing_jobs
from .imported import as_run
from .overhead import Overhead, measuring_cost
from .program_time import program_times, times_outside
from .selection import Selection
from .threads import busy_threads, has_nested_teams

__all__ = ["Findings", "analyze"]

_LEAST_SHARE: Final = 0.01  # a difference under 1 % of the program's time is not worth a look
_RESOLUTION: Final = 0.01  # seconds: what the scheduler's ticks and cold caches alone can part ranks by


@dataclass(frozen=True)
class Findings:
    """What was found, and of what.

    Attributes:
        experiment: The experiment.
        performance: The performance vectors; positions below are positions in its ``regions``.
        costs: Cost of each code region.
        dissimilarity: Ranks that differ.
        dissimilarity_causes: Why they do.
        weighed: The code regions as they are weighed against each other, in the same order: of regions around the
            whole program their own code.
        weighed_costs: Cost of each.
        disparity: Regions that weigh.
        disparity_causes: Why they do.
        late: For regions that wait in MPI, where there is one, the core of dissimilarity whose slower ranks they wait
            for.
        disparity_metric: What the regions are classed by: one of ``DISPARITY_METRICS``.
        cycles: The metric that cycles were taken from; None if CPI is 1 everywhere for want of counts.
        cpi: Cycles per instruction of each of ``weighed``, and of the program; None without counts.
        lacking: Attributes that could not be had, so that no cause is looked for among them.
        program_time: W_program in seconds, of the slowest process.
        outside: What of that is before MPI_Init and after MPI_Finalize, of the process with most.
        floor: What ranks may part by and still be alike, in the unit of what is compared.
        overhead: The cost of measuring.
        taking_turns: How many ranks, or busy threads if these are more, share fewer processors; 0 if each had one, or
            it is not known.
        not_judged: Times off the processor by which ranks differ, that taking turns can have made.
        nested_teams: Whether there are threads of teams within teams, which are not compared.
    """

    experiment: Experiment
    performance: Performance
    costs: tuple[Cost, ...]
    dissimilarity: Dissimilarity
    dissimilarity_causes: DissimilarityCauses
    weighed: tuple[CodeRegion, ...]
    weighed_costs: tuple[Cost, ...]
    disparity: Disparity
    disparity_causes: DisparityCauses
    late: Mapping[int, int]
    disparity_metric: str
    cycles: str | None
    cpi: tuple[tuple[float | None, ...], float] | None
    lacking: tuple[str, ...]
    program_time: float
    outside: float
    floor: float
    overhead: Overhead
    taking_turns: int
    not_judged: tuple[Performance, Dissimilarity] | None
    nested_teams: bool


def analyze(
    experiment: Experiment,
    *,
    metric: str | None = None,
    disparity_metric: str = "crnm",
    exclude_ranks: Sequence[int] = (),
    exclude_regions: Sequence[str] = (),
) -> Findings:
    """Run every analysis.

    Args:
        experiment: Measured here, derived or imported.
        metric: What is compared across ranks: one of ``DISSIMILARITY_METRICS``. By default ``compute_time`` and,
            where that is one cluster, time off the processor, or ``mpi_bytes``, if they matter; see
            ``off_processor.differing_time_off`` and ``network.differing_volumes``.
        disparity_metric: What regions are classed by: one of ``DISPARITY_METRICS``.
        exclude_ranks: Ranks that are not compared; see ``Selection.of``.
        exclude_regions: Regions that are not compared; see ``Selection.of``.

    Raises:
        InputError: The experiment lacks what the analyses need.
        UsageError: What is excluded does not exist.
    """
    experiment = as_run(experiment)
    compare = metric or DISSIMILARITY_METRICS[0]
    _check_metrics(experiment, compare)
    everything = Selection.of(experiment)
    compared = Selection.of(
        experiment, exclude_ranks=exclude_ranks, exclude_regions=exclude_regions, by_thread=compare != "mpi_bytes"
    )
    performance = Performance.selected(compared, metric=compare)
    times = program_times(experiment)
    mean_time = float(times.mean())
    costs = region_costs(experiment, everything.regions)
    weighed = replace(everything, regions=within_shells(everything.regions, [each.share for each in costs]))
    weighed_costs = region_costs(experiment, weighed.regions)
    floor = max(_LEAST_SHARE * mean_time, _RESOLUTION)
    if compare == "mpi_bytes":
        floor *= BYTES_PER_SECOND
    dissimilarity = find_dissimilarity(performance, floor=floor)
    if compare == "compute_time" and not dissimilarity.exists and (jobs := differing_jobs(compared, floor=floor)):
        performance, dissimilarity, compared = jobs
    turns, not_judged = _taking_turns(experiment), None
    if metric is None and not dissimilarity.exists:
        ranks = Selection.of(experiment, exclude_ranks=exclude_ranks, exclude_regions=exclude_regions)
        off = differing_time_off(ranks, mean_time, compared.threads)
        if off and turns:
            off, not_judged = None, off
        if differing := off or differing_volumes(ranks, mean_time):
            (performance, dissimilarity), compared = differing, ranks
    disparity = find_disparity(
        weighed.regions,
        values=weights(weighed, metric=disparity_metric).tolist(),
        shares=[each.share for each in weighed_costs],
        additive=disparity_metric != "cpi",
    )
    disparity_causes = find_disparity_causes(
        disparity, weighed.regions, attributes_of(weighed), weighed_costs, waiting_times(weighed)
    )
    dissimilarity_causes = find_dissimilarity_causes(
        dissimilarity, performance, _of_ranks(attributes_of(compared), experiment), program_time=mean_time
    )
    return Findings(
        experiment,
        performance,
        tuple(costs),
        dissimilarity,
        dissimilarity_causes,
        weighed.regions,
        tuple(weighed_costs),
        disparity,
        disparity_causes,
        late_cores(sorted(disparity_causes.waiting), dissimilarity, performance, compared),
        disparity_metric,
        cycles_metric(experiment),
        cycles_per_instruction(weighed),
        lacking(experiment),
        float(times.max()),
        float(times_outside(experiment).max()),
        floor,
        measuring_cost(experiment),
        turns,
        not_judged,
        has_nested_teams(experiment),
    )


def _taking_turns(experiment: Experiment) -> int:
    contenders = max(len({each.process for each in experiment.locations}), busy_threads(experiment))
    processors = experiment.notes.processors
    return contenders if processors is not None and contenders > processors else 0


def _of_ranks(attributes: Mapping[str, Attribute], experiment: Experiment) -> Mapping[str, Attribute]:
    """Leave out counts where a rank's are not of the work that it did when it was timed."""
    if experiment.notes.counts_by_rank:
        return attributes
    return {name: each for name, each in attributes.items() if name.endswith("_bytes")}


def _check_metrics(experiment: Experiment, metric: str) -> None:
    wanted = ["wall_time", *(["cpu_time", "mpi_cpu_time"] if metric == "compute_time" else [metric])]
    wanted = list(dict.fromkeys(wanted))
    lacking = [name for name in wanted if name not in experiment]
    if lacking:
        found = ", ".join(each.name for each in experiment.metrics[:8]) or "none"
        raise InputError(f"metrics {', '.join(wanted)} wanted, not found: {', '.join(lacking)}; found {found}")
    _check_values(experiment, wanted)


def _check_values(experiment: Experiment, metrics: Sequence[str]) -> None:
    """Refuse missing values: what they were is not to be guessed.

    Raises:
        InputError: A location lacks a value.
    """
    for metric in metrics:
        lacking = np.isnan(experiment.exclusive(metric)).any(axis=0)
        if lacking.any():
            place = experiment.locations[int(lacking.argmax())]
            raise InputError(f"{metric} of every rank wanted, some is missing on rank {place.process}")
