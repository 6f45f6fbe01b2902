"""The third stage of the analysis: find regions that take more time than others, by CRNM, CPI or wall time.

See Liu et al. 2011, section 4.2.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ...errors import InputError
from ...experiment import Experiment
from ..evidence.time_split import TimeSplit
from ..run.arrays import Flags, Values
from ..run.code_regions import of_recursion
from ..run.costs import program_times
from ..run.criteria import SAMPLING, THRESHOLD
from ..run.preparation import Prepared
from ..run.selection import Selection, complete, over_ranks
from ..run.summary import summary
from .disparity import Disparity, find_disparity

__all__ = ["Weights", "cycles_metric", "cycles_per_instruction", "find_weights", "weights"]


_LEAST_PART: Final = 0.01  # share of the program's instructions; below it, most of a region's cycles are the kernel's


def cycles_metric(experiment: Experiment) -> str | None:
    """Return the metric of the cycles from which CPI is computed; None if CPI is unavailable."""
    if not complete(experiment, "instructions"):
        return None
    return next((name for name in ("cycles", "ref_cycles") if complete(experiment, name)), None)


def weights(selection: Selection, *, metric: str = "crnm") -> Values:
    """Return the values by which regions are classified: ``float64[region]``, mean over the ranks.

    Args:
        selection: The regions, and all ranks.
        metric: ``crnm`` (Eq. 2), which is the share of the program's wall time if CPI is unknown; ``cpi``; or
            ``wall_time`` in seconds.

    Raises:
        InputError: ``cpi`` is requested but unavailable.
    """
    experiment, ranks = selection.experiment, len(selection.ranks)
    wall = selection.sums("wall_time", first=True)
    if metric == "wall_time":
        return wall / ranks
    cycles = cycles_metric(experiment)
    if metric == "cpi" and cycles is None:
        raise InputError("cpi needs counts of instructions and cycles, found none")
    program = float(program_times(experiment).mean())
    if cycles is None:
        # Starting and ending a process takes time that is not part of the program's time, so the share may exceed 1.
        return np.minimum(1.0, wall / ranks / program) if program > 0 else np.zeros(len(wall))
    if metric == "cpi":
        return _Cpi.of(selection, cycles, files=True).of_regions
    others = [name for name in ("mpi_time", "io_time") if complete(experiment, name)]
    cpi = _Cpi.of(selection, cycles)
    total = np.sum([*over_ranks(selection, _crnm, cpi, others, experiment.notes.counts_by_rank)], axis=0)
    return np.asarray(total / ranks / program) if program > 0 else np.zeros(len(wall))


def cycles_per_instruction(selection: Selection) -> tuple[tuple[float | None, ...], float] | None:
    """Return the CPI of each region over all ranks, and the CPI of the program; None if unavailable.

    The CPI of a region that executes almost nothing is None, because its cycles belong to the kernel.
    """
    cycles = cycles_metric(selection.experiment)
    if cycles is None:
        return None
    cpi = _Cpi.of(selection, cycles)
    executed = selection.sums("instructions")
    enough = executed > _LEAST_PART * executed[list(selection.top)].sum()
    of_regions = zip(cpi.of_regions.tolist(), enough, strict=True)
    return tuple(each if known else None for each, known in of_regions), cpi.of_program


@dataclass(frozen=True)
class _Cpi:
    """Cycles per instruction.

    Attributes:
        cycles: The metric that counts the cycles.
        paths: ``bool[call path]``: the call paths that count. If file I/O is left out, call paths that are entirely
            file I/O do not count.
        of_regions: ``float64[region]``: CPI of each region, over all ranks.
        of_program: CPI of the program, used for regions that execute almost nothing.
        least: Number of instructions below which a rank counts as executing almost nothing.
    """

    cycles: str
    paths: Flags
    of_regions: Values
    of_program: float
    least: float

    @classmethod
    def of(cls, selection: Selection, cycles: str, *, files: bool = False) -> _Cpi:
        """Compute the CPI of the regions and of the program.

        Args:
            selection: The regions, and the ranks.
            cycles: The metric that counts the cycles.
            files: Whether call paths that are entirely file I/O count, too.
        """
        experiment = selection.experiment
        paths = np.ones(len(experiment.call_paths), dtype=bool) if files else _computing(experiment)
        spent, executed = (selection.sums(name, paths=paths) for name in (cycles, "instructions"))
        top = list(selection.top)
        total = float(executed[top].sum())
        program = float(spent[top].sum()) / total if total > 0 else 1.0
        least = _LEAST_PART * total
        return cls(cycles, paths, _divided(spent, executed, program, least), program, least / len(selection.ranks))

    def of_ranks(self, selection: Selection) -> Values:
        """Return the CPI of each given rank; ``float64[region, rank]``."""
        names = (self.cycles, "instructions")
        values = (np.where(self.paths[:, None], selection.experiment.exclusive(name), 0.0) for name in names)
        spent, executed = (selection.by_rank(each) for each in values)
        return _divided(spent, executed, self.of_program, self.least)


def _divided(spent: Values, executed: Values, program: float, least: float) -> Values:
    return np.divide(spent, executed, out=np.full_like(spent, program), where=executed > least)


def _crnm(selection: Selection, cpi: _Cpi, others: Sequence[str], by_rank: bool) -> Values:
    """Return CRNM (Eq. 2) times W_program, summed over the given ranks; ``float64[region]``."""
    experiment = selection.experiment
    first = np.array([place.thread == 0 for place in experiment.locations])
    wall, *rest = (
        selection.by_rank(np.where(first, experiment.exclusive(name), 0.0)) for name in ("wall_time", *others)
    )
    elsewhere = sum(rest, np.zeros_like(wall))
    own = np.maximum(wall - elsewhere, 0.0)
    of_region = cpi.of_ranks(selection) if by_rank else cpi.of_regions[:, None]
    return np.asarray((own * of_region + elsewhere * cpi.of_program).sum(axis=1))


def _computing(experiment: Experiment) -> Flags:
    """Return which call paths are not entirely file I/O; ``bool[call path]``."""
    if not (complete(experiment, "io_time") and complete(experiment, "wall_time")):
        return np.ones(len(experiment.call_paths), dtype=bool)
    io, wall = (summary(experiment, name).sums for name in ("io_time", "wall_time"))
    # Instructions that format text are counted in file I/O, but cycles are not.
    return np.asarray((io < (1 - THRESHOLD) * wall) | (wall == 0))


@dataclass(frozen=True)
class Weights:
    """The severity classes of the regions, and their CPI.

    Attributes:
        metric: The metric by which regions are classified: one of ``DISPARITY_METRICS``.
        disparity: The regions' classes, and the critical regions.
        cycles: The metric that counts cycles; None if CPI is 1 everywhere, because nothing was counted.
        cpi: Cycles per instruction of each region, and of the program; None if nothing was counted.
    """

    metric: str
    disparity: Disparity
    cycles: str | None
    cpi: tuple[tuple[float | None, ...], float] | None


def find_weights(prepared: Prepared, seconds: TimeSplit, metric: str = "crnm") -> Weights:
    """Classify the regions by one of ``DISPARITY_METRICS``, and add regions whose causes are worth a fix.

    Args:
        prepared: The run.
        seconds: How the regions spent their time.
        metric: The metric to classify by.

    Raises:
        InputError: ``cpi`` is requested but unavailable.
    """
    values = weights(prepared.weighed, metric=metric)
    enough = _is_sampled_enough(prepared)
    costly = seconds.costly(prepared.least_gain, values, seconds=prepared.least_seconds)
    disparity = find_disparity(
        prepared.weighed.regions,
        values=values.tolist(),
        shares=np.where(enough, [each.share for each in prepared.weighed_costs], 0.0).tolist(),
        additive=metric != "cpi",
        least=prepared.least_weight,
        costly=[each for each in costly if enough[each]],
        in_turn=seconds.in_turn(prepared.least_gain),
        waiting=np.flatnonzero(seconds.is_part(seconds.waited)).tolist(),
    )
    named = sorted(of_recursion(prepared.experiment, prepared.weighed.regions, disparity.culprits))
    disparity = replace(disparity, culprits=tuple(named))
    cycles = cycles_metric(prepared.experiment)
    return Weights(metric, disparity, cycles, cycles_per_instruction(prepared.weighed))


def _is_sampled_enough(prepared: Prepared) -> Flags:
    """Return which regions have more samples than chance explains: ``bool[region]``; all if time was not sampled.

    If samples only divide measured times among regions, the time of MPI and I/O calls is measured, not sampled.
    """
    experiment = prepared.experiment
    sample = experiment.notes.samples.get("wall_time", 0.0)
    seconds = prepared.weighed.sums("wall_time")
    kinds = [experiment.call_paths[each.id].region.kind for each in prepared.weighed.regions]
    measured = np.array([each in ("mpi", "io") for each in kinds], dtype=bool) & bool(experiment.notes.sampled)
    return np.asarray((seconds > SAMPLING**2 * sample) | (sample == 0) | measured)
