"""All that the analyses find in one experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ..errors import InputError
from ..experiment import Experiment
from .attributes import attributes_of, lacking
from .code_regions import CodeRegion, program_times, within_shells
from .costs import Cost, region_costs
from .crnm import cycles_metric, weights
from .disparity import Disparity, find_disparity
from .disparity_causes import DisparityCauses, find_disparity_causes
from .dissimilarity import Dissimilarity, find_dissimilarity
from .dissimilarity_causes import DissimilarityCauses, find_dissimilarity_causes
from .imported import as_run
from .performance import Performance
from .selection import Selection
from .waiting import late_cores

__all__ = ["Findings", "Overhead", "analyze"]

_LEAST_SHARE: Final = 0.01  # a difference under 1 % of the program's time is not worth a look
_RESOLUTION: Final = 0.01  # seconds: what the scheduler's ticks and cold caches alone can part ranks by


@dataclass(frozen=True, slots=True)
class Overhead:
    """The cost of measuring: probes and wrappers passed, the cost of one pair, their share of the run."""

    probe_ns: float | None
    visits: int
    percent: float | None


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
        lacking: Attributes that could not be had, so that no cause is looked for among them.
        program_time: W_program in seconds, of the slowest process.
        floor: Seconds by which ranks may part and still be alike.
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
    lacking: tuple[str, ...]
    program_time: float
    floor: float
    overhead: Overhead


def analyze(
    experiment: Experiment,
    *,
    metric: str = "compute_time",
    disparity_metric: str = "crnm",
    exclude_ranks: Sequence[int] = (),
    exclude_regions: Sequence[str] = (),
) -> Findings:
    """Run every analysis.

    Args:
        experiment: Measured here, derived or imported.
        metric: What is compared across ranks: one of ``DISSIMILARITY_METRICS``.
        disparity_metric: What regions are classed by: one of ``DISPARITY_METRICS``.
        exclude_ranks: Ranks that are not compared; see ``Selection.of``.
        exclude_regions: Regions that are not compared; see ``Selection.of``.

    Raises:
        InputError: The experiment lacks what the analyses need.
        UsageError: What is excluded does not exist.
    """
    experiment = as_run(experiment)
    _check_metrics(experiment, metric)
    everything = Selection.of(experiment)
    compared = Selection.of(experiment, exclude_ranks=exclude_ranks, exclude_regions=exclude_regions)
    performance = Performance.selected(compared, metric=metric)
    times = program_times(experiment)
    mean_time = float(times.mean())
    costs = region_costs(experiment, everything.regions)
    weighed = replace(everything, regions=within_shells(everything.regions, [each.share for each in costs]))
    weighed_costs = region_costs(experiment, weighed.regions)
    floor = max(_LEAST_SHARE * mean_time, _RESOLUTION)
    dissimilarity = find_dissimilarity(performance, floor=floor)
    disparity = find_disparity(
        weighed.regions,
        values=weights(weighed, metric=disparity_metric).tolist(),
        shares=[each.share for each in weighed_costs],
        additive=disparity_metric != "cpi",
    )
    disparity_causes = find_disparity_causes(disparity, weighed.regions, attributes_of(weighed), weighed_costs)
    dissimilarity_causes = find_dissimilarity_causes(
        dissimilarity,
        attributes_of(compared),
        ranks=compared.ranks,
        top=compared.top,
        program_time=mean_time,
        speed=metric == "compute_time",
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
        lacking(experiment),
        float(times.max()),
        floor,
        _overhead(experiment),
    )


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
    probe_ns = experiment.notes.probe_ns
    wall = float(experiment.exclusive("wall_time").sum())
    percent = 100 * visits * probe_ns * 1e-9 / wall if probe_ns is not None and wall > 0 else None
    return Overhead(probe_ns, int(visits), percent)
