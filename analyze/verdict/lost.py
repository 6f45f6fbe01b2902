"""What is lost, and the findings that account for it.

The base is as long as the ranks are busy on average, and the two losses: what the busiest rank has more than the
average, and what the critical path has more than the busiest rank. Both are sums over regions, so each region has its
part of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..run.arrays import Values
from ..run.costs import is_mostly
from ..run.criteria import CRITERIA, THRESHOLD
from .analysis import Analysis
from .finding import IN_MPI, Finding
from .share import places_of
from .waits import is_of_waiting

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
    found, path = analysis.efficiency, analysis.critical_path
    if found is None or path is None:
        return ()
    by_transfer = {
        number: sum(part.before - part.after for part in each.gain.parts if part.why in IN_MPI)
        for number, each in enumerate(findings, start=1)
        if each.gain
    }
    is_known = "transfer" in found.reliable
    transfer = analysis.run.program_time - path.length if is_known else sum(by_transfer.values())
    unequal, in_turn = _by_finding(analysis, findings)
    lost = [
        _lost(LostTo.UNEQUAL_WORK, path.length * found.serialisation * (1 - found.load_balance), analysis, unequal),
        _lost(LostTo.WAITING, path.length * (1 - found.serialisation), analysis, in_turn),
        _lost(LostTo.TRANSFER, transfer, analysis, by_transfer),
    ]
    return tuple(each for each in lost if each.share >= CRITERIA.least_gain)


def _lost(to: LostTo, seconds: float, analysis: Analysis, by_finding: Mapping[int, float]) -> Lost:
    large = {number: each for number, each in by_finding.items() if each >= THRESHOLD * seconds}
    numbers = tuple(sorted(large, key=lambda number: -large[number]))
    return Lost(to, seconds, seconds / analysis.base.seconds, numbers, is_mostly(sum(large.values()), seconds))


def _by_finding(analysis: Analysis, findings: Sequence[Finding]) -> tuple[dict[int, float], dict[int, float]]:
    """Return the seconds of unequal work, and of waiting for each other, in the regions of findings of these."""
    path = analysis.explanation.serialisation
    if path is None:
        return {}, {}
    mean = path.mean * len(analysis.run.weighed.ranks) / analysis.workers  # a master computes next to nothing

    def sums(values: Values) -> dict[int, float]:
        return {
            number: float(values[places_of(analysis, each)].sum())
            for number, each in enumerate(findings, start=1)
            if is_of_waiting(each)
        }

    return sums(path.busiest - mean), sums(path.on_path - path.busiest)
