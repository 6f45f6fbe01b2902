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
from .crnm import cycles_metric, cycles_per_instruction, weights
from .disparity import Disparity, find_disparity
from .disparity_causes import DisparityCauses, find_disparity_causes
from .dissimilarity import Dissimilarity, find_dissimilarity
from .dissimilarity_causes import DissimilarityCauses, find_dissimilarity_causes
from .imported import as_run
from .network import differing_volumes
from .performance import DISSIMILARITY_METRICS, Performance, compute_time
from .program_time import program_times, times_outside
from .selection import Selection, complete
from .waiting import late_cores, waiting_times

__all__ = ["Findings", "Overhead", "analyze"]

_LEAST_SHARE: Final = 0.01  # a difference under 1 % of the program's time is not worth a look
_RESOLUTION: Final = 0.01  # seconds: what the scheduler's ticks and cold caches alone can part ranks by


@dataclass(frozen=True, slots=True)
class Overhead:
    """The cost of measuring: probes and wrappers passed, the cost of one pair, their share of the run.

    ``of_computing`` is the share of the CPU time outside MPI, in percent too: ranks that wait pass no probes.
    """

    probe_ns: float | None
    visits: int
    percent: float | None
    of_computing: float | None


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
            where that is one cluster, ``mpi_bytes`` if they matter; see ``network.differing_volumes``.
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
    if metric is None and not dissimilarity.exists:
        ranks = Selection.of(experiment, exclude_ranks=exclude_ranks, exclude_regions=exclude_regions)
        if volumes := differing_volumes(ranks, mean_time):
            (performance, dissimilarity), compared = volumes, ranks
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
        _overhead(experiment),
    )


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


def _overhead(experiment: Experiment) -> Overhead:
    visits = sum(float(np.nansum(experiment.exclusive(name))) for name in ("visits", "mpi_calls") if name in experiment)
    visits -= experiment.notes.untimed
    probe_ns = experiment.notes.probe_ns
    wall = float(experiment.exclusive("wall_time").sum())
    if probe_ns is None:
        return Overhead(None, int(visits), None, None)
    cost = 100 * visits * probe_ns * 1e-9
    computing = 0.0
    if all(complete(experiment, name) for name in ("cpu_time", "mpi_cpu_time")):
        computing = float(compute_time(experiment).sum())
    return Overhead(
        probe_ns, int(visits), cost / wall if wall > 0 else None, cost / computing if computing > 0 else None
    )
