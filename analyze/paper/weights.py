"""Find regions that take more time than others, as in Liu et al. 2011 (sections 4.2.2, 4.3 and 6.4; Fig. 2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..disparity.classes import HIGH, LABELS, optimal_split
from ..disparity.disparity import Disparity
from ..disparity.weights import Weights, cycles_metric, cycles_per_instruction, weights
from ..run.arrays import Values, ratio
from ..run.code_regions import CodeRegion
from ..run.costs import program_times
from ..run.preparation import Prepared
from ..run.selection import Selection, complete, over_ranks

__all__ = ["class_regions", "severity_classes", "weigh"]


def severity_classes(values: Sequence[float]) -> list[int] | None:
    """Return the severity class of each value, from 0, very low, to 4, very high.

    The k-means is exact, so it needs no initial clusters. Liu et al. do not define the classes of fewer than five
    different values; here, these classes are numbered from the top. They do not define the class of 0 either; here it
    is very low, as in their Table 4.

    Args:
        values: One value per region, not negative.

    Returns:
        The classes in the order of the values; None if there are fewer than two different values.
    """
    ordered = sorted(values)  # smallest first, so that sums of small values are exact
    different = len(set(ordered))
    if different < 2:
        return None
    starts = optimal_split(ordered, min(len(LABELS), different))
    top = len(LABELS) - len(starts)
    of_value: dict[float, int] = {}
    for number, (start, end) in enumerate(pairwise([*starts, len(ordered)])):
        for value in ordered[start:end]:
            of_value.setdefault(value, top + number)
    return [of_value[value] if value > 0 else 0 for value in values]


def weigh(prepared: Prepared, metric: str) -> Weights:
    """Classify the regions by one of ``DISPARITY_METRICS``.

    Raises:
        InputError: ``cpi`` is requested but unavailable.
    """
    ranks, cycles = prepared.weighed, cycles_metric(prepared.experiment)
    known = cycles is None or metric == "wall_time"
    values = weights(ranks, metric=metric) if known else _by_cycles(ranks, str(cycles), metric)
    disparity = class_regions(ranks.regions, values.tolist())
    return Weights(metric, disparity, cycles, cycles_per_instruction(ranks))


def class_regions(regions: tuple[CodeRegion, ...], values: list[float]) -> Disparity:
    """Find the critical regions, which are of class high or very high, and their culprits.

    A culprit is a critical leaf, or a critical region of a higher class than each of its children.
    """
    classes = severity_classes(values)
    if classes is None:
        return Disparity(tuple(values))
    critical = tuple(index for index in range(len(regions)) if classes[index] >= HIGH)
    culprits = tuple(
        index for index in critical if all(classes[index] > classes[child] for child in regions[index].children)
    )
    return Disparity(tuple(values), tuple(classes), critical, culprits)


def _by_cycles(ranks: Selection, cycles: str, metric: str) -> Values:
    """Return CRNM (Eq. 2) or CPI, mean over the ranks; ``float64[region]``.

    Liu et al. also count the instructions and cycles of MPI and the kernel. Here these are left out; in CRNM, the time
    in MPI and file I/O has the program's CPI. Regions that execute nothing also have the program's CPI.
    """
    experiment = ranks.experiment
    others = [name for name in ("mpi_time", "io_time") if complete(experiment, name)]
    spent, executed = (ranks.sums(name) for name in (cycles, "instructions"))
    top = list(ranks.top)
    together = ratio(spent, executed), float(ratio(spent[top].sum(), executed[top].sum()))
    crnm, cpi, there = np.sum([*over_ranks(ranks, _of_block, cycles, others, *together)], axis=0)
    if metric == "cpi":
        return ratio(cpi, there)
    return ratio(crnm, len(ranks.ranks) * float(program_times(experiment).mean()))


def _of_block(ranks: Selection, cycles: str, others: Sequence[str], of_regions: Values, of_program: float) -> Values:
    """Return sums over ranks, ``float64[3, region]``: CRNM times W_program, CPI, and 1 if a rank executes anything."""
    experiment = ranks.experiment
    first = np.array([place.thread == 0 for place in experiment.locations])
    wall, *rest = (ranks.by_rank(np.where(first, experiment.exclusive(name), 0.0)) for name in ("wall_time", *others))
    spent, executed = (ranks.by_rank(experiment.exclusive(name)) for name in (cycles, "instructions"))
    there, elsewhere = executed > 0, sum(rest, np.zeros_like(wall))
    cpi = ratio(spent, executed) if experiment.notes.counts_by_rank else np.where(there, of_regions[:, None], 0.0)
    weight = (wall - elsewhere) * np.where(there, cpi, of_program) + elsewhere * of_program
    return np.array([each.sum(axis=1) for each in (weight, cpi, there)])
