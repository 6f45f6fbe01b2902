"""The time that a run loses, by reason, and the findings that account for each loss.

The critical path consists of the mean busy time of the ranks and two losses. One loss is the busy time of the busiest
rank minus that mean; the other is the length of the path minus the busy time of the busiest rank. The two losses
together also equal a sum over regions: the time of each region on the path minus its mean over the ranks. The parts of
a finding's saving show how its region's share of this sum is divided between the two losses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..dissimilarity.off_processor import METRIC as OFF_PROCESSOR
from ..run.code_regions import descendants, outermost
from ..run.costs import is_mostly
from ..run.criteria import CRITERIA, THRESHOLD
from .analysis import Analysis
from .finding import Finding, Why
from .share import places_of

__all__ = ["Lost", "LostTo", "find_lost"]
_Parts = dict[int, float]  # number of a finding → its part of a loss, in seconds


class LostTo(StrEnum):
    """The reason for a loss."""

    UNEQUAL = "unequal_busy_time"
    WAITING = "waiting"  # for each other, beyond what unequal busy times explain
    TRANSFER = "transfer"  # in MPI, other than waiting; not part of the base
    ASLEEP = "asleep"  # neither busy nor in MPI; not part of the base


@dataclass(frozen=True, slots=True)
class Lost:
    """Time in which ranks are not busy, mean over the ranks.

    Attributes:
        to: The reason.
        seconds: The time in seconds.
        share: ``seconds`` divided by the verdict's base.
        findings: Numbers, from 1, of the findings that account for at least a tenth of the loss, the largest part
            first.
        is_explained: Whether these findings account for more than half of the loss.
        is_all: Whether these findings account for at least nine tenths of the loss.
    """

    to: LostTo
    seconds: float
    share: float
    findings: tuple[int, ...] = ()
    is_explained: bool = False
    is_all: bool = False


def find_lost(analysis: Analysis, findings: Sequence[Finding]) -> tuple[Lost, ...]:
    """Return the losses of at least 1 % of the base; empty if the critical path is unknown.

    If ranks may have waited for cores, only the transfer that findings report is counted, and the time asleep is
    unknown.
    """
    found, path, run = analysis.efficiency, analysis.critical_path, analysis.run
    if found is None or path is None or analysis.explanation.serialisation is None:
        return ()
    unequal = found.serialisation * (1 - found.load_balance) * path.length
    waiting = (1 - found.serialisation) * path.length
    numbered = dict(enumerate(findings, start=1))
    moved = {number: _saved(each, Why.TRANSFER, Why.MESSAGES) for number, each in numbered.items()}
    transfer, asleep = sum(moved.values()), 0.0
    sleeps = {n: each for n, each in numbered.items() if each.is_of_ranks and analysis.vectors.metric == OFF_PROCESSOR}
    slept = {number: _left(each, Why.EVEN, Why.FASTEST) for number, each in sleeps.items()}  # while other ranks wait
    if "transfer" in found.reliable:
        moved |= {number: moved[number] + _saved(each, Why.EVEN, Why.FASTEST) for number, each in sleeps.items()}
        in_mpi = sum(run.weighed_costs[each].mpi_time or 0.0 for each in run.weighed.top)
        beside = max(run.program_time - path.length, 0.0)
        transfer = min(beside, max(in_mpi - unequal - waiting, 0.0))  # both losses are waiting in MPI
        asleep = beside - transfer
    idle = {
        number: _most_of(each, unequal, waiting)
        for number, each in numbered.items()
        if each.is_of_waiting and number not in sleeps and unequal + waiting > 0
    }
    by_unequal, by_waiting = (
        _of_idle(analysis, numbered, {number: each[which] for number, each in idle.items()}) for which in (0, 1)
    )
    evened = {n: each for n, each in by_unequal.items() if _saved(numbered[n], Why.EVEN, Why.FASTEST)}
    if (known := sum(evened.values())) > unequal:  # ranks with less work in one region have more in another
        for number, seconds in evened.items():
            by_unequal[number] = seconds * unequal / known
            by_waiting[number] = by_waiting.get(number, 0.0) + seconds - by_unequal[number]
    losses: tuple[tuple[LostTo, float, _Parts], ...] = (
        (LostTo.UNEQUAL, unequal, by_unequal),
        (LostTo.WAITING, waiting, by_waiting),
        (LostTo.TRANSFER, transfer, moved),
        (LostTo.ASLEEP, asleep, slept),
    )
    lost = []
    for to, seconds, by in losses:
        large = {number: each for number, each in by.items() if each > 0 and each >= THRESHOLD * seconds}
        numbers = tuple(sorted(large, key=large.__getitem__, reverse=True))
        share, known = seconds / analysis.base.seconds, sum(large.values())
        is_all = known >= (1 - THRESHOLD) * seconds > 0
        lost.append(Lost(to, seconds, share, numbers, is_mostly(known, seconds), is_all))
    return tuple(each for each in lost if each.share >= CRITERIA.least_gain)


def _of_idle(analysis: Analysis, findings: Mapping[int, Finding], most: Mapping[int, tuple[float, float]]) -> _Parts:
    """Map each finding's number to the seconds of a loss that the finding accounts for.

    Args:
        analysis: The results so far.
        findings: The findings by number. Time in a region counts for the first finding that contains it.
        most: Number of a finding → the most seconds that the finding can account for, and the fraction of them that
            belongs to this loss.
    """
    path, regions = analysis.explanation.serialisation, analysis.run.weighed.regions
    assert path is not None
    idle = path.on_path - path.mean * len(analysis.run.weighed.ranks) / analysis.workers  # a master is hardly busy
    counted, by = set[int](), dict[int, float]()
    for number, (seconds, part) in most.items():
        if seconds * part <= 0:
            continue
        below = {each: [*descendants(regions, each)] for each in places_of(analysis, findings[number])}
        around = {each for place in counted for each in (place, *descendants(regions, place))}
        new = below.keys() - around
        inner = {each for place in new for each in below[place]} & counted
        here = float(idle[[*new]].sum()) - float(idle[outermost(regions, inner)].sum())
        counted |= new
        by[number] = part * min(max(here, 0.0), seconds)
    return by


def _most_of(finding: Finding, unequal: float, waiting: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return how much a finding may account for: first of the loss to unequal busy time, then of the loss to waiting.

    Each result has the form of ``most`` in ``_of_idle``. A finding accounts for no more than it saves. If its saving
    does not show which of the two losses it reduces, its seconds are divided in proportion to the two.

    Args:
        finding: The finding.
        unequal: Seconds lost to unequal busy time.
        waiting: Seconds lost to waiting.
    """
    even, at_once = _saved(finding, Why.EVEN, Why.FASTEST), _saved(finding, Why.AT_ONCE)
    if even and finding.gain:
        return (min(even, finding.gain.seconds), 1.0), (min(at_once, finding.gain.seconds), 1.0)
    if not finding.region and not finding.gain:  # ranks differ over all regions together
        return (np.inf, 1.0), (0.0, 1.0)
    most, whole = finding.gain.seconds if finding.gain else np.inf, unequal + waiting
    return (most, unequal / whole), (most, waiting / whole)


def _saved(finding: Finding, *reasons: Why) -> float:
    """Return the sum of the parts of a finding's saving that have one of the given reasons, in seconds."""
    parts = finding.gain.parts if finding.gain else ()
    return sum(each.before - each.after for each in parts if each.why in reasons)


def _left(finding: Finding, *reasons: Why) -> float:
    """Return the seconds that remain after a perfect fix, over the parts that have one of the given reasons."""
    return sum(each.after for each in (finding.gain.parts if finding.gain else ()) if each.why in reasons)
