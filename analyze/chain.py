"""Regions in which ranks work one after another: each waits in it for what another computes there."""

from __future__ import annotations

from typing import Final

import numpy as np

from .arrays import Flags, Values
from .criteria import CRITERIA
from .selection import Selection, complete
from .taking_turns import taking_turns

__all__ = ["find_chains"]

_NEEDED = (
    "mpi_bytes_sent",
    "mpi_bytes_received",
    "mpi_collective_time",
    "mpi_barrier_time",
    "cpu_time",
    "mpi_cpu_time",
)
_STEADY: Final = 0.9  # correlation: two kinds of ranks reach 0.894, waves through a cube of ranks 0.97
_ALONG: Final = 0.5  # correlation: waves through a grid reach more, whatever its sides


def find_chains(ranks: Selection, waited: Values) -> tuple[Values, Values]:
    """Tell what it would save if the ranks of a region worked at the same time, and what they wait for those before.

    0 unless data go one way, from as many ranks that only send to as many that only receive, and by no collectives;
    what ranks wait, beyond the least of any and beyond late ranks, is a part of what they compute there; and waits grow
    steadily, as work one after another makes them, to about what one rank computes at least. No rank waits longer for
    those before it than these compute, and this must explain a part of all waiting there. What a rank is not on a
    processor may be others' turns, as far as the kernel says that it was ready to run.

    Ranks that work at the same time take what they compute; where there are fewer processors, what these take for it.

    Args:
        ranks: All of them, and the regions.
        waited: What of each region's time in MPI is waiting for ranks that come late.

    Returns:
        ``float64[region]`` each, in seconds: the longest wait of any rank, and the mean.
    """
    saved, mean = np.zeros(len(ranks.regions)), np.zeros(len(ranks.regions))
    if not all(complete(ranks.experiment, each) for each in ("mpi_time", *_NEEDED)):
        return saved, mean
    in_mpi, *_, collective, barrier, cpu, polled = (
        ranks.sums(each) / len(ranks.ranks) for each in ("mpi_time", *_NEEDED)
    )
    alone = collective + barrier <= CRITERIA.same_work * in_mpi
    candidates = np.flatnonzero(alone & (in_mpi - waited >= CRITERIA.part * (cpu - polled)) & (in_mpi > 0)).tolist()
    turns = _others_turns(ranks) if candidates else np.zeros(0)
    for region in candidates:
        sends, receives = (ranks.rows(each, [region])[0] > 0 for each in ("mpi_bytes_sent", "mpi_bytes_received"))
        first, last = sends & ~receives, receives & ~sends
        if np.count_nonzero(first) == np.count_nonzero(last) > 0:
            saved[region], mean[region] = _of_chain(ranks, region, float(waited[region]), turns, (first, last))
    return saved, mean


def _of_chain(
    ranks: Selection, region: int, waited: float, turns: Values, ends: tuple[Flags, Flags]
) -> tuple[float, float]:
    time, cpu, polled = (ranks.rows(each, [region])[0] for each in ("mpi_time", "cpu_time", "mpi_cpu_time"))
    order = np.argsort(time, kind="stable")
    computing = np.maximum(cpu - polled, 0.0)[order]
    chains = np.count_nonzero(ends[0])
    done = np.append(0.0, np.cumsum(computing)) / chains
    before = done[np.arange(len(time)) // chains * chains]  # as many ranks work at once
    in_all = time[order] - time.min()
    own = np.maximum(polled, time - turns)[order]
    mean = float(np.minimum(np.minimum(in_all, before), own).mean()) - waited
    longest = float(np.minimum(in_all, before).max()) - waited
    if (
        mean <= 0
        or mean < CRITERIA.part * computing.mean()
        or mean < CRITERIA.part * (np.minimum(in_all, own).mean() - waited)
        or longest < (1 - CRITERIA.part) * computing.mean()
        or np.corrcoef(in_all, before)[0, 1] < _STEADY
        or not _in_order(time - time.min(), *ends)
    ):
        return 0.0, 0.0
    at_once = max(len(time) / (ranks.experiment.notes.processors or len(time)), 1.0) - 1.0
    saved = longest - at_once * float(computing.mean())
    return (saved, mean) if saved > 0 else (0.0, 0.0)


def _in_order(waits: Values, first: Flags, last: Flags) -> bool:
    """Whether those that only send hardly wait, and waits grow along the ranks from them to those that only receive.

    Where there are several chains, the ranks of each are next to each other, or those that begin them are.
    """
    if waits[first].mean() > CRITERIA.part * waits.mean():
        return False
    along = np.arange(len(waits))
    ways = (along, along % (len(waits) // np.count_nonzero(first)))
    return any(np.corrcoef(waits, way)[0, 1] * np.sign(way[last].mean() - way[first].mean()) >= _ALONG for way in ways)


def _others_turns(ranks: Selection) -> Values:
    """Give how long each rank was ready to run while others had the processor; without end where it may have been."""
    delay = ranks.experiment.notes.run_delay
    known = np.fromiter(map(int, delay), dtype=np.intp, count=len(delay))
    every = np.array(ranks.ranks)
    unknown = np.inf if taking_turns(ranks.experiment) else 0.0
    turns = np.full(max(int(every.max()), int(known.max(initial=0))) + 1, unknown)
    turns[known] = np.fromiter(delay.values(), dtype=np.float64, count=len(delay))
    return np.asarray(turns[every])
