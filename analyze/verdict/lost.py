"""What is lost, and the findings that account for it.

The base is what ranks are busy on average, and two losses: what the busiest rank has more than that, and what the
critical path has more than the busiest rank. Both are sums over regions, so each region has its part of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..run.costs import is_mostly
from ..run.criteria import CRITERIA, THRESHOLD
from .analysis import Analysis
from .finding import IN_MPI, Finding
from .share import places_of

__all__ = ["Lost", "LostTo", "find_lost"]


class LostTo(StrEnum):
    """To what time is lost."""

    UNEQUAL_WORK = "unequal_work"
    WAITING = "waiting"  # for each other, although sums may be equal
    TRANSFER = "transfer"  # beside the base: in MPI


@dataclass(frozen=True, slots=True)
class Lost:
    """Time in which ranks are not busy, on average.

    Attributes:
        to: To what.
        seconds: Of the base, or of transfer beside it.
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

    Where ranks share cores, the time of transfer is that of the findings alone.
    """
    found, path, on = analysis.efficiency, analysis.critical_path, analysis.explanation.serialisation
    if found is None or path is None or on is None:
        return ()
    mean = on.mean * len(analysis.run.weighed.ranks) / analysis.workers  # a master computes next to nothing
    numbered = dict(enumerate(findings, start=1))
    places = {number: places_of(analysis, each) for number, each in numbered.items() if each.is_of_waiting}
    parts = {number: each.gain.parts for number, each in numbered.items() if each.gain}
    moved = {number: sum(each.before - each.after for each in of if each.why in IN_MPI) for number, of in parts.items()}
    whole = analysis.run.program_time - path.length if "transfer" in found.reliable else sum(moved.values())
    unequal, in_turn = on.busiest - mean, on.on_path - on.busiest
    losses = (
        (LostTo.UNEQUAL_WORK, found.serialisation * (1 - found.load_balance) * path.length, unequal),
        (LostTo.WAITING, (1 - found.serialisation) * path.length, in_turn),
        (LostTo.TRANSFER, whole, None),
    )
    lost = []
    for to, seconds, of in losses:
        by = moved if of is None else {number: float(of[each].sum()) for number, each in places.items()}
        large = {number: each for number, each in by.items() if each >= THRESHOLD * seconds}
        numbers = tuple(sorted(large, key=large.__getitem__, reverse=True))
        share = seconds / analysis.base.seconds
        lost.append(Lost(to, seconds, share, numbers, is_mostly(sum(large.values()), seconds)))
    return tuple(each for each in lost if each.share >= CRITERIA.least_gain)
