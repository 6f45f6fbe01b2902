"""Regions in which ranks work one after another: each waits in it for what another computes there."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .criteria import CRITERIA
from .selection import Selection, complete
from .taking_turns import taking_turns

__all__ = ["find_chains"]

Values = npt.NDArray[np.float64]

_NEEDED = (
    "mpi_bytes_sent",
    "mpi_bytes_received",
    "mpi_collective_time",
    "mpi_barrier_time",
    "cpu_time",
    "mpi_cpu_time",
)


def find_chains(ranks: Selection, waited: Values) -> Values:
    """Tell what it would save if the ranks of a region worked at the same time: ``float64[region]``, in seconds.

    0 unless data go one way, from as many ranks that only send to as many that only receive, and by no collectives;
    what ranks wait, beyond the least of any and beyond late ranks, is a part of what they compute there; and those that
    wait longer wait for those before them: no longer than these compute there. What a rank is not on a processor may be
    others' turns, as far as the kernel says that it was ready to run.

    Ranks that work at the same time take what they compute; where there are fewer processors, what these take for it.

    Args:
        ranks: All of them, and the regions.
        waited: What of each region's time in MPI is waiting for ranks that come late.
    """
    saved = np.zeros(len(ranks.regions))
    if not all(complete(ranks.experiment, each) for each in ("mpi_time", *_NEEDED)):
        return saved
    in_mpi, *_, collective, barrier, cpu, polled = (
        ranks.sums(each) / len(ranks.ranks) for each in ("mpi_time", *_NEEDED)
    )
    alone = collective + barrier <= CRITERIA.same_work * in_mpi
    for region in np.flatnonzero(alone & (in_mpi - waited >= CRITERIA.part * (cpu - polled)) & (in_mpi > 0)).tolist():
        if _one_way(ranks, region):
            saved[region] = _saved(ranks, region, float(waited[region]))
    return saved


def _one_way(ranks: Selection, region: int) -> bool:
    """Whether as many ranks only send as only receive, and there are any."""
    sends, receives = (ranks.rows(each, [region])[0] > 0 for each in ("mpi_bytes_sent", "mpi_bytes_received"))
    first, last = np.count_nonzero(sends & ~receives), np.count_nonzero(receives & ~sends)
    return bool(first == last > 0)


def _saved(ranks: Selection, region: int, waited: float) -> float:
    time, cpu, polled = (ranks.rows(each, [region])[0] for each in ("mpi_time", "cpu_time", "mpi_cpu_time"))
    order = np.argsort(time, kind="stable")
    computing = (cpu - polled)[order]
    waits = np.minimum(time[order] - time.min(), np.cumsum(computing) - computing)
    own = np.maximum(polled, time - _others_turns(ranks))[order]
    if np.minimum(waits, own).mean() - waited < CRITERIA.part * computing.mean():
        return 0.0
    turns = max(len(time) / (ranks.experiment.notes.processors or len(time)), 1.0) - 1.0
    return max(float(waits.max() - waited - turns * computing.mean()), 0.0)


def _others_turns(ranks: Selection) -> Values:
    """Give how long each rank was ready to run while others had the processor; without end where it may have been."""
    delay = ranks.experiment.notes.run_delay
    unknown = np.inf if taking_turns(ranks.experiment) else 0.0
    return np.array([delay.get(str(rank), unknown) for rank in ranks.ranks])
