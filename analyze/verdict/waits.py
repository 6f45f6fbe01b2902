"""Which ranks wait for which: where they wait, how long, and for whose work."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from ...experiment import Region
from ..run.arrays import Flags, Indices, Values
from ..run.criteria import CRITERIA, THRESHOLD, TICK
from .analysis import Analysis
from .finding import Finding, Kind, Wait
from .share import places_of

__all__ = ["is_for_master", "wait_of", "waits_for"]


def wait_of(
    analysis: Analysis, region: Region, seconds: float, late: Region | None = None, *, without: tuple[int, ...] = ()
) -> Wait:
    """Return a ``Wait`` in a region, with the ranks that wait there.

    Args:
        analysis: The results so far.
        region: The region in which ranks wait.
        seconds: Waiting time in seconds: the mean over all ranks except a master if the critical path is known,
            otherwise over the compared ranks.
        late: The region whose work ranks wait for, if known.
        without: Late ranks, which do not wait themselves.
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
    """Return where other ranks, except a master, wait for the work of a finding: one wait per region, longest first.

    These are the waits that led to the finding. If the critical path is known, other long waits are added: those of at
    least a quarter of the finding's saving, or 1 % of the base if the finding has no saving.

    Args:
        analysis: The results so far.
        finding: A finding whose ``waits`` are the waits that led to it.
    """
    path, late = analysis.explanation.serialisation, tuple(each for each in finding.slowest if isinstance(each, int))
    waits = [wait_of(analysis, each.region, each.seconds, without=late) for each in finding.waits]
    if path and finding.is_of_waiting:
        places, known, seconds = places_of(analysis, finding), {each.region for each in waits}, Counter[Region]()
        for place in places:
            for (region, _), each in zip(path.delays.pairs, path.delays.because_of(place).tolist(), strict=True):
                seconds[region] += each
        least = CRITERIA.part * finding.gain.seconds if finding.gain else CRITERIA.least_gain * analysis.base.seconds
        waits, late = [], _late_ranks(analysis, places)
        alone = late if len(late) == 1 else ()  # a single late rank does not wait for itself
        for region, each in seconds.items():
            whole = float(_times(analysis, region)[1].sum())  # excludes a master's waiting, which the delay includes
            wait = wait_of(analysis, region, min(each, whole) / analysis.workers, without=alone)
            waits += [wait] if region in known or (wait.mean or wait.seconds) >= least else []
    found: dict[Region, Wait] = {}
    for each in sorted(waits, key=lambda each: -each.seconds):
        if each.seconds >= TICK and (analysis.master is None or each.waiting != (analysis.master_rank,)):
            found.setdefault(each.region, replace(each, ranks=late))
    return tuple(found.values())


def is_for_master(analysis: Analysis, finding: Finding) -> bool:
    """Return whether a finding only reports that a master waits for other ranks, which no fix can avoid."""
    if analysis.master is None or finding.kind is not Kind.LATE or finding.groups or finding.is_in_turn:
        return False
    weighed = analysis.run.weighed
    times = weighed.rows("mpi_time", places_of(analysis, finding)).sum(axis=0)
    return bool(_much(times).any()) and np.array(weighed.ranks)[_much(times)].tolist() == [analysis.master_rank]


def _late_ranks(analysis: Analysis, places: list[int]) -> tuple[int, ...]:
    """Return the ranks whose work in the given regions delays others, longest wait first; empty if all are alike."""
    ranks = np.array(analysis.run.weighed.ranks)
    times = np.where(ranks == analysis.master_rank, 0.0, analysis.run.weighed.rows("delay_time", places).sum(axis=0))
    late, order = _much(times), np.argsort(-times, kind="stable")
    alike = late.sum() == analysis.workers and times[late].min() >= (1 - THRESHOLD) * times.max()
    return () if alike else tuple(ranks[order][late[order]].tolist())


def _much(times: Values) -> Flags:
    """Return whether each time is at least a quarter of the longest one: ``bool[rank]``."""
    return np.asarray((times > 0) & (times >= CRITERIA.part * times.max(initial=0.0)))


def _times(analysis: Analysis, region: Region) -> tuple[Indices, Values]:
    """Return ranks, and the seconds that each waits in a region; if the path is unknown, its seconds in MPI there."""
    weighed, paths = analysis.run.weighed, analysis.experiment.call_paths
    ranks = np.array(weighed.ranks)
    if analysis.explanation.serialisation is None:
        places = [index for index, each in enumerate(weighed.regions) if paths[each.id].region == region]
        of, times = np.isin(ranks, analysis.run.compared.ranks), weighed.rows("mpi_time", places)
    else:
        own = np.array([index for index, each in enumerate(paths) if each.region == region], dtype=np.intp)
        of, times = ranks != analysis.master_rank, weighed.of_ranks(analysis.experiment.rows("wait_time", own))
    return ranks[of], times.sum(axis=0)[of]
