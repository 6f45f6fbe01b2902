"""The third stage: which regions are more expensive than others, by CRNM, CPI or wall time (section 4.2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...errors import InputError
from ...experiment import Experiment
from ..evidence.time_split import TimeSplit
from ..run.arrays import Flags, Values
from ..run.costs import program_times
from ..run.criteria import SAMPLING
from ..run.preparation import Prepared
from ..run.selection import Selection, complete, over_ranks
from ..run.summary import summary
from .disparity import Disparity, find_disparity

__all__ = ["Weights", "cycles_metric", "cycles_per_instruction", "find_weights", "weights"]


_LEAST_PART: Final = 0.01  # of the program's instructions: below, cycles are the kernel's rather than the region's
_IO: Final = 0.9  # of the time of a call path, in file I/O: cycles leave it out, instructions that format do not


def cycles_metric(experiment: Experiment) -> str | None:
    """Return the metric of CPI's cycles; None if CPI is unavailable."""
    if not complete(experiment, "instructions"):
        return None
    return next((name for name in ("cycles", "ref_cycles") if complete(experiment, name)), None)


def weights(selection: Selection, *, metric: str = "crnm") -> Values:
    """Return the values by which regions are classed: ``float64[region]``, a mean over the ranks.

    Args:
        selection: The regions, and all ranks.
        metric: ``crnm`` (Eq. 2, definitions 13), the wall time's share where there is no CPI; ``cpi``; or
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
        # A process that starts and ends takes its time, which is no part of the program's.
        return np.minimum(1.0, wall / ranks / program) if program > 0 else np.zeros(len(wall))
    if metric == "cpi":
        return _Cpi.of(selection, cycles, files=True).of_regions
    others = [name for name in ("mpi_time", "io_time") if complete(experiment, name)]
    cpi = _Cpi.of(selection, cycles)
    total = np.sum([*over_ranks(selection, _crnm, cpi, others, experiment.notes.counts_by_rank)], axis=0)
    return np.asarray(total / ranks / program) if program > 0 else np.zeros(len(wall))


def cycles_per_instruction(selection: Selection) -> tuple[tuple[float | None, ...], float] | None:
    """Return the CPI of each region over all ranks, and that of the program; None if unavailable.

    None for a region that executes next to nothing: its cycles are the kernel's.
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
        cycles: The metric that they are taken from.
        paths: Which call paths count: not those that are file I/O through and through, if these are left out.
        of_regions: ``float64[region]``, all ranks together.
        of_program: Replaces the CPI of regions where almost nothing was executed.
        least: Instructions of a rank that are more than that.
    """

    cycles: str
    paths: Flags
    of_regions: Values
    of_program: float
    least: float

    @classmethod
    def of(cls, selection: Selection, cycles: str, *, files: bool = False) -> _Cpi:
        """Relate the cycles to the instructions.

        Args:
            selection: The regions, and the ranks.
            cycles: The metric that cycles are taken from.
            files: Whether call paths that are file I/O count, too.
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
        """Return the CPI of some ranks; ``float64[region, rank]``."""
        names = (self.cycles, "instructions")
        values = (np.where(self.paths[:, None], selection.experiment.exclusive(name), 0.0) for name in names)
        spent, executed = (selection.by_rank(each) for each in values)
        return _divided(spent, executed, self.of_program, self.least)


def _divided(spent: Values, executed: Values, program: float, least: float) -> Values:
    return np.divide(spent, executed, out=np.full_like(spent, program), where=executed > least)


def _crnm(selection: Selection, cpi: _Cpi, others: Sequence[str], by_rank: bool) -> Values:
    """Return Eq. 2 times W_program, summed over some ranks; ``float64[region]``."""
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
    return np.asarray((io < _IO * wall) | (wall == 0))


@dataclass(frozen=True)
class Weights:
    """The weights of the regions.

    Attributes:
        metric: What they are classed by: one of ``DISPARITY_METRICS``.
        disparity: Their classes, and those that are critical.
        cycles: The metric that cycles were taken from; None if CPI is 1 everywhere for lack of counts.
        cpi: Cycles per instruction of each region, and of the program; None without counts.
    """

    metric: str
    disparity: Disparity
    cycles: str | None
    cpi: tuple[tuple[float | None, ...], float] | None


def find_weights(prepared: Prepared, seconds: TimeSplit, metric: str = "crnm") -> Weights:
    """Class the regions by one of ``DISPARITY_METRICS``, and add those whose causes are worth a fix.

    Args:
        prepared: The run.
        seconds: What the time of the regions went into.
        metric: What they are classed by.
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
    cycles = cycles_metric(prepared.experiment)
    return Weights(metric, disparity, cycles, cycles_per_instruction(prepared.weighed))


def _is_sampled_enough(prepared: Prepared) -> Flags:
    """Return which regions have more samples than chance explains; all if time was not sampled."""
    sample = prepared.experiment.notes.samples.get("wall_time", 0.0)
    seconds = prepared.weighed.sums("wall_time")
    return np.asarray((seconds > SAMPLING**2 * sample) | (sample == 0))
