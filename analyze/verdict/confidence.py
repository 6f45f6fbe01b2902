"""How certain a finding is, and what else may explain it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from .analysis import Analysis
from .finding import Doubt

__all__ = [
    "REASONS",
    "Confidence",
    "confidence_in_difference",
    "confidence_in_weight",
    "doubt_of_difference",
    "is_by_counts_alone",
    "is_same_work",
    "is_slight_speed",
    "is_speed",
]

REASONS: Final = {
    Doubt.SAME_WORK: "the ranks did the same work",
    Doubt.MEASURING: "measuring may have caused the difference",
    Doubt.COUNTS_ALONE: "the ranks that executed the most instructions hardly took longer",
    Doubt.UNFINISHED: "ranks that did not finish did less work",
    Doubt.SPEED: "these ranks are slower nearly everywhere, and no counts confirm more work",
    Doubt.CHANCE: "the difference is small, and no counts confirm it",
    Doubt.NO_MPI: "time in MPI is unknown, so the slowest ranks may be waiting",
    Doubt.CORES: "the order in which ranks get work depends on which ranks get a core",
}


@dataclass(frozen=True, slots=True)
class Confidence:
    """How certain a finding is.

    Attributes:
        level: ``high``, ``medium`` or ``low``.
        reason: Why the finding has this level.
    """

    level: str
    reason: str


def doubt_of_difference(analysis: Analysis, regions: Sequence[int]) -> Doubt | None:
    """Return the first reason to doubt that ranks do different work in the given regions; None if there is none.

    Args:
        analysis: The results so far.
        regions: Positions among the compared regions: one culprit, or all culprits.
    """
    differences = analysis.differences
    if is_same_work(analysis, regions):
        return Doubt.SAME_WORK
    reasons = {
        Doubt.UNFINISHED: differences.may_be_the_end(regions),
        Doubt.NO_MPI: analysis.is_mpi_unknown,
        Doubt.MEASURING: differences.may_be_measuring(regions),
        Doubt.COUNTS_ALONE: is_by_counts_alone(analysis, regions),
    }
    if any(reasons.values()):
        return next(doubt for doubt, holds in reasons.items() if holds)
    if _counts_differ(analysis, regions):
        return None
    everyone = range(len(analysis.vectors.labels))
    if differences.may_be_speed(regions) and not analysis.work.executed_alike(regions, everyone):
        return Doubt.SPEED
    return Doubt.CHANCE if differences.may_be_chance(regions) else None


def is_same_work(analysis: Analysis, regions: Sequence[int]) -> bool:
    """Return whether all ranks did the same work in the given regions, or everywhere if there is no culprit."""
    same = analysis.same_work
    return same.culprits.issuperset(regions) if analysis.dissimilarity.culprits else same.everywhere


def is_by_counts_alone(analysis: Analysis, regions: Sequence[int]) -> bool:
    """Return whether ranks differ in the given regions only in their counts, and neither in time nor in a cause."""
    return not _counts_differ(analysis, regions) and analysis.differences.is_by_counts_alone(regions)


def is_slight_speed(analysis: Analysis, regions: Sequence[int]) -> bool:
    """Return whether a difference is as brief as a burst of load, so that a slow or shared core may explain it."""
    if _counts_differ(analysis, regions):
        return False
    return analysis.differences.may_be_speed(regions) and analysis.differences.is_brief(regions)


def is_speed(analysis: Analysis, regions: Sequence[int]) -> bool:
    """Return whether ranks differ, certainly or possibly, only in the speed of their cores."""
    return is_same_work(analysis, regions) or is_slight_speed(analysis, regions)


def confidence_in_difference(analysis: Analysis, regions: Sequence[int]) -> Confidence:
    """Return how certain it is that ranks do different work in the given regions; see ``doubt_of_difference``."""
    if doubt := doubt_of_difference(analysis, regions):
        found = Confidence("low", REASONS[doubt])
    elif _counts_differ(analysis, regions):
        found = Confidence("high", "the ranks also do different work")
    elif _is_measured(analysis, regions):
        found = Confidence("high", "the cause was measured")
    else:
        found = _without_a_cause(analysis)
    return replace(found, reason=found.reason.replace("ranks", "threads")) if analysis.vectors.threads else found


def confidence_in_weight(analysis: Analysis, culprit: int) -> Confidence:
    """Return how certain the cause of a hot spot's time is; the time itself was measured.

    Args:
        analysis: The results so far.
        culprit: Position of the hot spot among the weighed regions.
    """
    causes = analysis.parts.causes(culprit)
    if causes and causes[0].attribute in analysis.parts.unpriced(culprit):
        return Confidence("low", "the time per cache miss is not known")
    if analysis.parts.is_explained(culprit):
        return Confidence("high", "the cause was measured")
    if analysis.explanation.seconds.waits[culprit]:
        return Confidence("high", "the time in MPI was measured")
    return _without_a_cause(analysis)


def _without_a_cause(analysis: Analysis) -> Confidence:
    if "instructions" in analysis.lacking:
        return Confidence("medium", "nothing was counted")
    return Confidence("medium", "no count explains the time")


def _is_measured(analysis: Analysis, regions: Sequence[int]) -> bool:
    """Return whether the main cause of the difference in each given region is known, with its time."""
    causes = [analysis.main_cause(each) for each in regions]
    return all(each and each.seconds is not None and each.attribute != "unexplained" for each in causes)


def _counts_differ(analysis: Analysis, regions: Sequence[int]) -> bool:
    culprits = regions if analysis.dissimilarity.culprits else [None]
    return any(analysis.differing_attributes.get(culprit) for culprit in culprits)
