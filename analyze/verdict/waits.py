"""Who waits for whom: the ranks that wait, where, and those for whose work."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from ...experiment import Region
from ..run.arrays import Flags, Indices, Values
from ..run.criteria import CRITERIA, TICK
from .analysis import Analysis
from .finding import Finding, Kind, Wait
from .share import places_of

__all__ = ["is_of_waiting", "wait_of", "waits_for"]

_OF_WAITING = (Kind.IMBALANCE, Kind.ONE_AFTER_ANOTHER, Kind.LATE)


def is_of_waiting(finding: Finding) -> bool:
    """Return whether a finding is that ranks differ, or wait for each other."""
    in_turn = finding.gain is not None and finding.gain.is_in_turn
    return bool(finding.groups or finding.waits) or in_turn or finding.kind in _OF_WAITING


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
    """Return where other ranks wait for a finding's work, and who for whom: the longest first, each region once.

    A master that waits for its workers does what it is for.

    Args:
        analysis: What was found.
        finding: With the waits that made it a finding; the critical path shows these, and others from a quarter of its
            gain on.
    """
    path, late = analysis.explanation.serialisation, tuple(each for each in finding.slowest if isinstance(each, int))
    waits = [wait_of(analysis, each.region, each.seconds, without=late) for each in finding.waits]
    if path and is_of_waiting(finding):
        places = places_of(analysis, finding)
        seconds: Counter[Region] = Counter()
        for place in places:
            for (region, _), each in zip(path.delays.pairs, path.delays.because_of(place).tolist(), strict=True):
                seconds[region] += each
        least = CRITERIA.part * finding.gain.seconds if finding.gain else 0.0
        known = {each.region for each in finding.waits}
        followed = (_followed(analysis, region, each) for region, each in seconds.items())
        waits = [each for each in followed if each.region in known or (each.mean or each.seconds) >= least]
        late = _late_ranks(analysis, places)
    master = () if analysis.master is None else (analysis.vectors.ranks[analysis.master],)
    found: dict[Region, Wait] = {}
    for each in sorted(waits, key=lambda each: -each.seconds):
        if each.seconds >= TICK and not (master and each.waiting == master):
            found.setdefault(each.region, replace(each, ranks=late))
    return tuple(found.values())


def _followed(analysis: Analysis, region: Region, seconds: float) -> Wait:
    """Return the wait in a region by the critical path.

    Args:
        analysis: What was found.
        region: Where ranks wait.
        seconds: Of all ranks, a master included.
    """
    whole = float(_times(analysis, region)[1].sum())
    return wait_of(analysis, region, min(seconds, whole) / analysis.workers)


def _late_ranks(analysis: Analysis, places: list[int]) -> tuple[int, ...]:
    """Return the ranks for whose work in some regions others wait, that with most first; empty if they are all."""
    weighed = analysis.run.weighed
    times = weighed.rows("delay_time", places).sum(axis=0)[_workers(analysis)]
    ranks, late = np.array(weighed.ranks)[_workers(analysis)], _much(times)
    order = np.argsort(-times, kind="stable")
    return () if late.all() else tuple(ranks[order][late[order]].tolist())


def _much(times: Values) -> Flags:
    """Return who has a part of what the first of them has at least."""
    return np.asarray((times > 0) & (times >= CRITERIA.part * times.max(initial=0.0)))


def _workers(analysis: Analysis) -> Flags:
    """Return which ranks are no master."""
    master = None if analysis.master is None else analysis.vectors.ranks[analysis.master]
    return np.array([rank != master for rank in analysis.run.weighed.ranks])


def _times(analysis: Analysis, region: Region) -> tuple[Indices, Values]:
    """Return ranks, and how long each waits in a region; if the critical path is unknown, its time in MPI there."""
    experiment, weighed = analysis.experiment, analysis.run.weighed
    ranks, paths = np.array(weighed.ranks), experiment.call_paths
    if analysis.explanation.serialisation is None:
        places = [index for index, each in enumerate(weighed.regions) if paths[each.id].region == region]
        of = np.isin(ranks, analysis.run.compared.ranks)
        return ranks[of], weighed.rows("mpi_time", places).sum(axis=0)[of]
    own = np.array([index for index, each in enumerate(paths) if each.region == region], dtype=np.intp)
    seconds = np.asarray(experiment.rows("wait_time", own).sum(axis=0), dtype=np.float64)
    found, columns = np.unique([place.process for place in experiment.locations], return_inverse=True)
    by_process: Values = np.bincount(columns.ravel(), seconds, len(found)).astype(np.float64)
    of = _workers(analysis)
    return ranks[of], by_process[np.searchsorted(found, ranks)][of]
