"""How much each region weighs: CRNM, CPI or wall time (paper 001, sections 4.2.2 and 6.4)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...experiment import Experiment
from ..program_time import program_times
from ..selection import Selection, complete

__all__ = ["DISPARITY_METRICS", "cycles_metric", "cycles_per_instruction", "weights"]

Values = npt.NDArray[np.float64]

DISPARITY_METRICS: Final = ("crnm", "cpi", "wall_time")

_LEAST_PART: Final = 0.01  # of the program's instructions: below, cycles are the kernel's rather than the region's
_IO: Final = 0.9  # of the time of a call path, in file I/O: cycles leave it out, instructions that format do not


def cycles_metric(experiment: Experiment) -> str | None:
    """Name the metric that CPI takes its cycles from; None where there can be no CPI."""
    if not complete(experiment, "instructions"):
        return None
    return next((name for name in ("cycles", "ref_cycles") if complete(experiment, name)), None)


def weights(selection: Selection, *, metric: str = "crnm") -> Values:
    """Give what the regions are classed by: ``float64[region]``, a mean over the ranks.

    Args:
        selection: The regions, and all ranks.
        metric: ``crnm`` (Eq. 2, definitions 13), the wall time's share where there is no CPI; ``cpi``; or
            ``wall_time`` in seconds.

    Raises:
        InputError: ``cpi`` is asked for where there is none.
    """
    experiment = selection.experiment
    wall = _of_processes(selection, "wall_time")
    if metric == "wall_time":
        return np.asarray(wall.mean(axis=1))
    cycles = cycles_metric(experiment)
    if metric == "cpi" and cycles is None:
        raise InputError("cpi needs counts of instructions and cycles, found none")
    program = float(program_times(experiment).mean())
    if cycles is None:
        # A process that starts and ends takes its time, which is no part of the program's.
        return np.minimum(1.0, wall.mean(axis=1) / program) if program > 0 else np.zeros(len(wall))
    by_rank = experiment.notes.counts_by_rank
    of_region, of_program = _cpi(selection, cycles, together=not by_rank)
    if metric == "cpi":
        return _cpi(selection, cycles, together=True, files=True)[0]
    others = sum((_of_processes(selection, each) for each in ("mpi_time", "io_time")), np.zeros_like(wall))
    own = np.maximum(wall - others, 0.0)
    crnm = own * (of_region if by_rank else of_region[:, None]) + others * of_program
    return np.asarray(crnm.mean(axis=1) / program) if program > 0 else np.zeros(len(wall))


def cycles_per_instruction(selection: Selection) -> tuple[tuple[float | None, ...], float] | None:
    """Give the CPI of each region, all ranks together, and that of the program; None where there is none.

    None for a region that executes next to nothing: its cycles are the kernel's.
    """
    cycles = cycles_metric(selection.experiment)
    if cycles is None:
        return None
    of_regions, of_program = _cpi(selection, cycles, together=True)
    executed = selection.by_rank(selection.experiment.exclusive("instructions")).sum(axis=1)
    enough = executed > _LEAST_PART * executed[list(selection.top)].sum()
    return tuple(cpi if known else None for cpi, known in zip(of_regions.tolist(), enough, strict=True)), of_program


def _cpi(selection: Selection, cycles: str, *, together: bool, files: bool = False) -> tuple[Values, float]:
    """Give the CPI of each region, ``float64[region, rank]`` or, of all ranks together, ``float64[region]``.

    And that of the program, which stands for that of regions where next to nothing was executed. Call paths that are
    file I/O through and through are left out unless ``files``.
    """
    computing = np.True_ if files else _computing(selection.experiment)
    spent = selection.by_rank(np.where(computing, selection.experiment.exclusive(cycles), 0.0))
    executed = selection.by_rank(np.where(computing, selection.experiment.exclusive("instructions"), 0.0))
    top = list(selection.top)
    total = float(executed[top].sum())
    program = float(spent[top].sum()) / total if total > 0 else 1.0
    if together:
        spent, executed = spent.sum(axis=1), executed.sum(axis=1)
    else:
        total /= executed.shape[1]
    enough = executed > _LEAST_PART * total
    return np.divide(spent, executed, out=np.full_like(spent, program), where=enough), program


def _computing(experiment: Experiment) -> npt.NDArray[np.bool_]:
    """Tell which call paths are not file I/O through and through; ``bool[call path, 1]``."""
    if not (complete(experiment, "io_time") and complete(experiment, "wall_time")):
        return np.ones((len(experiment.call_paths), 1), dtype=bool)
    io, wall = (experiment.exclusive(name).sum(axis=1, keepdims=True) for name in ("io_time", "wall_time"))
    return np.asarray((io < _IO * wall) | (wall == 0))


def _of_processes(selection: Selection, metric: str) -> Values:
    """Give a wall time of each region on each rank: that of its first thread; 0 if there is no such metric."""
    experiment = selection.experiment
    if not complete(experiment, metric):
        return np.zeros((len(selection.regions), len(selection.ranks)))
    first = np.array([place.thread == 0 for place in experiment.locations])
    return selection.by_rank(np.where(first, experiment.exclusive(metric), 0.0))
