"""The time that a run loses, by reason, and the findings that account for each loss.

The base is what ranks are busy on average, and two losses: what the busiest rank has more than that, and what the
critical path has more than the busiest rank. Together they are a sum over regions: what the critical path has more of
each than the ranks on average. How a region's part is divided between the two, its finding's gain shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..run.code_regions import descendants, outermost
from ..run.costs import is_mostly
from ..run.criteria import CRITERIA, THRESHOLD
from .analysis import Analysis
from .finding import Finding, Why
from .share import places_of

__all__ = ["Lost", "LostTo", "find_lost"]
_Parts = dict[int, float]  # of a loss, in seconds, by the number of a finding


class LostTo(StrEnum):
    """To what time is lost."""

    UNEQUAL = "unequal_busy_time"
    WAITING = "waiting"  # for each other, although sums may be equal
    TRANSFER = "transfer"  # beside the base: in MPI
    ASLEEP = "asleep"  # beside the base: neither busy nor in MPI


@dataclass(frozen=True, slots=True)
class Lost:
    """Time in which ranks are not busy, on average.

    Attributes:
        to: To what.
        seconds: Of the base, or beside it.
        share: The same by the base.
        findings: Numbers, from 1, of the findings that account for a tenth of it at least; that with most first.
        is_explained: Whether they account for most of it.
    """

    to: LostTo
    seconds: float
    share: float
    findings: tuple[int, ...] = ()
    is_explained: bool = False


def find_lost(analysis: Analysis, findings: Sequence[Finding]) -> tuple[Lost, ...]:
    """Return the losses that are worth a look; empty where the critical path is not known.

    Where ranks share cores, the time of transfer is that of the findings alone, and who is asleep is not known.
    """
    found, path, run = analysis.efficiency, analysis.critical_path, analysis.run
    if found is None or path is None or analysis.explanation.serialisation is None:
        return ()
    unequal = found.serialisation * (1 - found.load_balance) * path.length
    waiting = (1 - found.serialisation) * path.length
    numbered = dict(enumerate(findings, start=1))
    moved = {number: _saved(each, Why.TRANSFER, Why.MESSAGES) for number, each in numbered.items()}
    transfer, asleep = sum(moved.values()), 0.0
    if "transfer" in found.reliable:
        in_mpi = sum(run.weighed_costs[each].mpi_time or 0.0 for each in run.weighed.top)
        beside = max(run.program_time - path.length, 0.0)
        transfer = min(beside, max(in_mpi - unequal - waiting, 0.0))  # they wait in MPI
        asleep = beside - transfer
    idle = {
        number: _most_of(each, unequal, waiting)
        for number, each in numbered.items()
        if each.is_of_waiting and unequal + waiting > 0
    }
    by_unequal, by_waiting = (
        _of_idle(analysis, numbered, {number: each[which] for number, each in idle.items()}) for which in (0, 1)
    )
    losses: tuple[tuple[LostTo, float, _Parts], ...] = (
        (LostTo.UNEQUAL, unequal, by_unequal),
        (LostTo.WAITING, waiting, by_waiting),
        (LostTo.TRANSFER, transfer, moved),
        (LostTo.ASLEEP, asleep, {}),
    )
    lost = []
    for to, seconds, by in losses:
        large = {number: each for number, each in by.items() if each > 0 and each >= THRESHOLD * seconds}
        numbers = tuple(sorted(large, key=large.__getitem__, reverse=True))
        share = seconds / analysis.base.seconds
        lost.append(Lost(to, seconds, share, numbers, is_mostly(sum(large.values()), seconds)))
    return tuple(each for each in lost if each.share >= CRITERIA.least_gain)


def _of_idle(analysis: Analysis, findings: Mapping[int, Finding], most: Mapping[int, tuple[float, float]]) -> _Parts:
    """Return the seconds of a loss that are in each finding's regions.

    Args:
        analysis: What was found.
        findings: By number: regions above or below those of one before count without these.
        most: Of each finding the most that it accounts for, and the part of this that is the loss.
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
    """Return the most that a finding accounts for, and the part of this, of unequal busy time and of waiting.

    None accounts for more than it saves. If that is the same for both, or not known, both have their part of it.
    """
    even, at_once = _saved(finding, Why.EVEN, Why.FASTEST), _saved(finding, Why.AT_ONCE)
    if even and finding.gain:
        return (min(even, finding.gain.seconds), 1.0), (min(at_once, finding.gain.seconds), 1.0)
    if not finding.region and not finding.gain:  # in sum
        return (np.inf, 1.0), (0.0, 1.0)
    most, whole = finding.gain.seconds if finding.gain else np.inf, unequal + waiting
    return (most, unequal / whole), (most, waiting / whole)


def _saved(finding: Finding, *reasons: Why) -> float:
    """Return the seconds that a finding's gain has for some reasons."""
    parts = finding.gain.parts if finding.gain else ()
    return sum(each.before - each.after for each in parts if each.why in reasons)
