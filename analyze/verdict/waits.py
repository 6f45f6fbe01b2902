"""Who waits for whom: the ranks that wait, where, and those for whose work."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from ...experiment import Region
from ..run.arrays import Flags, Indices, Values
from ..run.criteria import CRITERIA, TICK
from .analysis import Analysis
from .finding import Finding, Wait
from .share import places_of

__all__ = ["wait_of", "waits_for"]


def wait_of(
    analysis: Analysis, region: Region, seconds: float, late: Region | None = None, *, without: tuple[int, ...] = ()
) -> Wait:
    """Return a wait with the ranks that wait, if not all do.

    Args:
        analysis: What was found.
        region: The region in which they wait.
        seconds: How long: a mean over all ranks but a master if the critical path is known; else over those that are
            compared.
        late: The region for whose work.
        without: Ranks that are known to be late.
    """
    ranks, times = _times(analysis, region)
    times = np.where(np.isin(ranks, without), 0.0, times)
    waits = _much(times)
    number = int(waits.sum())
    if number in (0, len(times)):
        return Wait(region, seconds, late)
    mean = seconds * len(times) / number * float(times[waits].sum() / times.sum())
    return Wait(region, seconds, late, waiting=tuple(ranks[waits].tolist()), mean=mean)


def waits_for(analysis: Analysis, finding: Finding) -> tuple[Wait, ...]:
    """Return where others wait for a finding's work, without a master: the longest first, each region once.

    Args:
        analysis: What was found.
        finding: With the waits that made it a finding; the critical path shows these, and others from a quarter of its
            gain on, or else from the least gain that is worth a look.
    """
    path, late = analysis.explanation.serialisation, tuple(each for each in finding.slowest if isinstance(each, int))
    waits = [wait_of(analysis, each.region, each.seconds, without=late) for each in finding.waits]
    if path and finding.is_of_waiting:
        places, known, seconds = places_of(analysis, finding), {each.region for each in waits}, Counter[Region]()
        for place in places:
            for (region, _), each in zip(path.delays.pairs, path.delays.because_of(place).tolist(), strict=True):
                seconds[region] += each
        least = CRITERIA.part * finding.gain.seconds if finding.gain else CRITERIA.least_gain * analysis.base.seconds
        waits = []
        for region, each in seconds.items():
            whole = float(_times(analysis, region)[1].sum())  # of a delay, a master's waiting is a part
            wait = wait_of(analysis, region, min(each, whole) / analysis.workers)
            waits += [wait] if region in known or (wait.mean or wait.seconds) >= least else []
        late = _late_ranks(analysis, places)
    found: dict[Region, Wait] = {}
    for each in sorted(waits, key=lambda each: -each.seconds):
        if each.seconds >= TICK and (analysis.master is None or each.waiting != (analysis.master_rank,)):
            found.setdefault(each.region, replace(each, ranks=late))
    return tuple(found.values())


def _late_ranks(analysis: Analysis, places: list[int]) -> tuple[int, ...]:
    """Return the ranks for whose work in some regions others wait, that with most first; empty if they are all."""
    ranks = np.array(analysis.run.weighed.ranks)
    times = np.where(ranks == analysis.master_rank, 0.0, analysis.run.weighed.rows("delay_time", places).sum(axis=0))
    late, order = _much(times), np.argsort(-times, kind="stable")
    return () if late.sum() == analysis.workers else tuple(ranks[order][late[order]].tolist())


def _much(times: Values) -> Flags:
    """Return who has a part of what the first of them has at least."""
    return np.asarray((times > 0) & (times >= CRITERIA.part * times.max(initial=0.0)))


def _times(analysis: Analysis, region: Region) -> tuple[Indices, Values]:
    """Return ranks, and how long each waits in a region; if the critical path is unknown, its time in MPI there."""
    weighed, paths = analysis.run.weighed, analysis.experiment.call_paths
    ranks = np.array(weighed.ranks)
    if analysis.explanation.serialisation is None:
        places = [index for index, each in enumerate(weighed.regions) if paths[each.id].region == region]
        of, times = np.isin(ranks, analysis.run.compared.ranks), weighed.rows("mpi_time", places)
    else:
        own = np.array([index for index, each in enumerate(paths) if each.region == region], dtype=np.intp)
        of, times = ranks != analysis.master_rank, weighed.of_ranks(analysis.experiment.rows("wait_time", own))
    return ranks[of], times.sum(axis=0)[of]
