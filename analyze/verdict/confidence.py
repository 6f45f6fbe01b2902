"""The confidence in a finding, and its alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
    Doubt.MEASURING: "measuring may have made the difference",
    Doubt.COUNTS_ALONE: "the ranks that executed most took hardly longer by the clock",
    Doubt.SPEED: "these ranks are slower nearly everywhere, and no counts confirm more work",
    Doubt.CHANCE: "the difference is small, and no counts confirm it",
    Doubt.CORES: "which rank gets work first depends on who gets a core",
}


@dataclass(frozen=True, slots=True)
class Confidence:
    """The confidence in a finding.

    Attributes:
        level: ``high``, ``medium`` or ``low``.
        reason: Why it is no higher, or so high.
    """

    level: str
    reason: str


def doubt_of_difference(analysis: Analysis, regions: Sequence[int]) -> Doubt | None:
    """Return the first reason to doubt that work differs between ranks in some regions; None if there is none.

    Args:
        analysis: What was found.
        regions: Positions among the regions that were compared: a culprit alone, or all together.
    """
    differences = analysis.differences
    if is_same_work(analysis, regions):
        return Doubt.SAME_WORK
    if differences.may_be_measuring(regions):
        return Doubt.MEASURING
    if is_by_counts_alone(analysis, regions):
        return Doubt.COUNTS_ALONE
    if _counts_differ(analysis, regions):
        return None
    everyone = range(len(analysis.vectors.labels))
    if differences.may_be_speed(regions) and not analysis.work.executed_alike(regions, everyone):
        return Doubt.SPEED
    return Doubt.CHANCE if differences.may_be_chance(regions) else None


def is_same_work(analysis: Analysis, regions: Sequence[int]) -> bool:
    """Return whether all ranks did the same work in some regions."""
    same = analysis.same_work
    return same.culprits.issuperset(regions) if analysis.dissimilarity.culprits else same.everywhere


def is_by_counts_alone(analysis: Analysis, regions: Sequence[int]) -> bool:
    """Return whether ranks differ by what they executed, the clock does not agree, and it is the cause of nothing."""
    return not _counts_differ(analysis, regions) and analysis.differences.is_by_counts_alone(regions)


def is_slight_speed(analysis: Analysis, regions: Sequence[int]) -> bool:
    """Return whether a slower or shared core may have made a difference, which is no longer than a burst of load."""
    if _counts_differ(analysis, regions):
        return False
    return analysis.differences.may_be_speed(regions) and analysis.differences.is_brief(regions)


def is_speed(analysis: Analysis, regions: Sequence[int]) -> bool:
    """Return whether ranks differ in the speed of their cores alone, as they did the same work, or may differ so."""
    return is_same_work(analysis, regions) or is_slight_speed(analysis, regions)


def confidence_in_difference(analysis: Analysis, regions: Sequence[int]) -> Confidence:
    """Judge that ranks differ in some regions; see ``doubt_of_difference``."""
    if doubt := doubt_of_difference(analysis, regions):
        return Confidence("low", REASONS[doubt])
    if _counts_differ(analysis, regions):
        return Confidence("high", "the ranks also do different work")
    return _without_a_cause(analysis)


def confidence_in_weight(analysis: Analysis, culprit: int) -> Confidence:
    """Judge that a region takes much time: its time is certain, its cause may not be.

    Args:
        analysis: What was found.
        culprit: Position among the regions that were weighed.
    """
    causes = analysis.parts.causes(culprit)
    if causes and causes[0].attribute in analysis.parts.unpriced(culprit):
        return Confidence("low", "the price of a cache miss is not known")
    if analysis.parts.is_explained(culprit):
        return Confidence("high", "it has a cause that was measured")
    if analysis.explanation.seconds.waits[culprit]:
        return Confidence("high", "its time in MPI was measured")
    return _without_a_cause(analysis)


def _without_a_cause(analysis: Analysis) -> Confidence:
    if "instructions" in analysis.lacking:
        return Confidence("medium", "nothing was counted")
    return Confidence("medium", "no counter explains it")


def _counts_differ(analysis: Analysis, regions: Sequence[int]) -> bool:
    culprits = regions if analysis.dissimilarity.culprits else [None]
    return any(analysis.told_apart.get(culprit) for culprit in culprits)
