"""The verdict on a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...experiment import Region
from ..run.criteria import CRITERIA, TICK
from .analysis import Analysis
from .base import Base
from .finding import Finding, Kind, Wait
from .heavy import heavy_procedures, heavy_regions, late_work
from .lost import Lost, LostTo, find_lost
from .queueing import slow_teams, waiting_threads
from .ranking import each_place_once, ranked
from .uneven import uneven_regions
from .waits import wait_of

__all__ = ["Verdict", "find_verdict"]

_OF_RANKS: Final = (Kind.IMBALANCE, Kind.ONE_AFTER_ANOTHER, Kind.LATE)


@dataclass(frozen=True)
class Verdict:
    """The findings on a run, and the time that it loses.

    Attributes:
        findings: The findings, by decreasing saving, then by decreasing share of busy time.
        base: The time that savings and shares refer to.
        too_short: Whether the run is too short to judge; it then has no findings.
        balanced: Whether no finding reports that ranks differ for certain, or wait for each other.
        master: The rank that hands out the work, which comparisons and savings leave out; None if there is none.
        computes_least: A rank without which all other ranks are alike, and which may be an unrecognised master: it
            computes least wherever ranks differ. None if there is none, or a finding is uncertain.
        longest_wait: The longest wait of ranks for each other. None if the larger of the two losses (to waiting and to
            unequal busy time) is small, if findings account for most of it, or if the critical path is unknown.
        not_followed: The share of the run in MPI if it is unclear which ranks wait for which: at least a quarter of the
            run is in MPI, the run is ``balanced``, and no critical path was recorded. Otherwise 0.
        lost: The losses, and the findings that account for them.
    """

    findings: tuple[Finding, ...]
    base: Base
    too_short: bool
    balanced: bool
    master: int | None = None
    computes_least: int | None = None
    longest_wait: Wait | None = None
    not_followed: float = 0.0
    lost: tuple[Lost, ...] = ()

    @property
    def first(self) -> Finding | None:
        """The first finding; None if there is none, or if it is spread over all regions."""
        return self.findings[0] if self.findings and self.findings[0].region else None

    @property
    def with_mpi(self) -> float:
        """The base plus the time in MPI that is not part of it: about the run's time if each rank had a free core."""
        return self.base.seconds + sum(each.seconds for each in self.lost if each.to is LostTo.TRANSFER)


def find_verdict(analysis: Analysis) -> Verdict:
    """Return the verdict on an analysed run."""
    too_short = analysis.run.program_time < CRITERIA.resolution
    kinds = () if too_short else (uneven_regions, slow_teams, waiting_threads, heavy_regions, heavy_procedures)
    found = [each for findings_of in kinds for each in findings_of(analysis)]
    findings = tuple(ranked(each_place_once(analysis, found)))
    lost = () if too_short else find_lost(analysis, [each for each in findings if each.gain])
    if (longest := _longest_wait(analysis, lost)) and (late := late_work(analysis, longest)):
        findings = tuple(ranked(each_place_once(analysis, [*found, late])))
    lost = () if too_short else find_lost(analysis, findings)
    balanced = not any((each.groups and not each.doubt) or each.kind in _OF_RANKS for each in findings)
    vectors, master = analysis.vectors, analysis.master
    column = analysis.dissimilarity.odd_one
    is_certain = column not in (None, master) and not any(each.doubt for each in findings)
    return Verdict(
        findings,
        analysis.base,
        too_short,
        balanced=balanced,
        master=analysis.master_rank,
        computes_least=vectors.ranks[column]
        if column is not None and is_certain and _computes_least(analysis, column)
        else None,
        longest_wait=_longest_wait(analysis, lost),
        not_followed=_not_followed(analysis) if balanced and not too_short else 0.0,
        lost=lost,
    )


def _longest_wait(analysis: Analysis, lost: Iterable[Lost]) -> Wait | None:
    """Return the longest wait of ranks for each other.

    Only the larger of two losses counts: to waiting, or to unequal busy time. The result is None if findings account
    for most of this loss, or if it is less than 3 % of the base.
    """
    path, idle = analysis.critical_path, [each for each in lost if each.to in (LostTo.UNEQUAL, LostTo.WAITING)]
    most = max(idle, key=lambda each: each.seconds, default=None)
    if path is None or most is None or most.is_explained or most.share < CRITERIA.least_weight:
        return None
    if not any(path.waited.values()):
        return None
    region, seconds = max(path.waited.items(), key=lambda each: each[1])
    for delay in path.delays:
        if delay.waiting == region.descriptor:
            late = Region.from_descriptor(delay.late)
            if late.file:
                seconds = min(delay.seconds / analysis.workers, seconds)  # the delay also contains a master's waiting
                return wait_of(analysis, region, seconds, late) if seconds >= TICK else None
            break
    return wait_of(analysis, region, seconds) if seconds >= TICK else None


def _not_followed(analysis: Analysis) -> float:
    run = analysis.run
    if analysis.critical_path or len(run.weighed.ranks) < 2 or run.mean_time <= 0:
        return 0.0
    share = sum(run.weighed_costs[each].mpi_time or 0.0 for each in run.weighed.top) / run.mean_time
    return share if share >= CRITERIA.part else 0.0


def _computes_least(analysis: Analysis, column: int) -> bool:
    """Return whether no rank computes less than this one, in each culprit and in all regions together."""
    vectors = analysis.vectors
    if vectors.threads or vectors.metric != "compute_time":
        return False
    if vectors.ranks[column] in analysis.experiment.notes.unfinished:
        return False
    values = vectors.values
    compared = np.vstack([values[list(analysis.dissimilarity.culprits)], values[list(vectors.top)].sum(axis=0)])
    return bool((compared[:, column] <= compared.min(axis=1)).all())
