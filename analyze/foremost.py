"""The region that the verdict names first, and how sure a finding is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .code_regions import CodeRegion
from .findings import Findings

__all__ = [
    "Confidence",
    "Foremost",
    "confidence_in_difference",
    "confidence_in_weight",
    "foremost",
    "is_by_counts_alone",
    "is_slight_speed",
    "may_be_chance",
    "may_be_speed",
]


@dataclass(frozen=True, slots=True)
class Foremost:
    """The region that the verdict names first.

    Attributes:
        region: The region.
        core: Its position among those that were compared, or weighed.
        parts: Whether it is named because ranks differ in it; else because it weighs.
    """

    region: CodeRegion
    core: int
    parts: bool


def foremost(findings: Findings) -> Foremost | None:
    """Give the region that the verdict names first: the first real imbalance, else the heaviest; None if none is."""
    same_work = findings.explanation.of_ranks.same_work
    if imbalances := [
        core for core in findings.cores_by_difference if core not in same_work and not is_slight_speed(findings, [core])
    ]:
        return Foremost(findings.performance.regions[imbalances[0]], imbalances[0], parts=True)
    if heavy := findings.cores_by_weight:
        return Foremost(findings.run.weighed.regions[heavy[0]], heavy[0], parts=False)
    return None


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure a finding is.

    Attributes:
        level: ``high``, ``medium`` or ``low``.
        reason: Why it is no higher, or so high.
    """

    level: str
    reason: str


def confidence_in_difference(findings: Findings, regions: Sequence[int]) -> Confidence:
    """Judge that ranks differ in some regions, a core alone or all together.

    Args:
        findings: What was found.
        regions: Positions among the regions that were compared.
    """
    causes = findings.explanation.of_ranks
    same_work = causes.same_work.issuperset(regions) if findings.dissimilarity.cccr else causes.noise
    doubts = {
        "the ranks did the same work": same_work,
        "measuring may have made the difference": findings.differences.may_be_measuring(regions),
        "the ranks that executed most took hardly longer by the clock": is_by_counts_alone(findings, regions),
        "these ranks are slower nearly everywhere, and no counts vouch for it": may_be_speed(findings, regions),
        "the difference is small, and no counts vouch for it": may_be_chance(findings, regions),
    }
    if said := [reason for reason, holds in doubts.items() if holds]:
        return Confidence("low", said[0])
    if _counts_differ(findings, regions):
        return Confidence("high", "what the ranks do differs, too")
    if "instructions" in findings.run.lacking:
        return Confidence("medium", "nothing was counted")
    return Confidence("medium", "no counter explains it")


def may_be_chance(findings: Findings, regions: Sequence[int]) -> bool:
    """Whether a noisy machine can have made a difference: it is small, and what the ranks do does not differ, too."""
    return not _counts_differ(findings, regions) and findings.differences.may_be_chance(regions)


def may_be_speed(findings: Findings, regions: Sequence[int]) -> bool:
    """Whether a slower or shared processor may have made a difference: the same ranks are slower elsewhere, too."""
    return not _counts_differ(findings, regions) and findings.differences.may_be_speed(regions)


def is_slight_speed(findings: Findings, regions: Sequence[int]) -> bool:
    """Whether that is so, and it is a matter of moments."""
    return may_be_speed(findings, regions) and findings.differences.is_brief(regions)


def is_by_counts_alone(findings: Findings, regions: Sequence[int]) -> bool:
    """Whether ranks differ by what they executed, the clock does not agree, and it is the cause of nothing."""
    return not _counts_differ(findings, regions) and findings.differences.is_by_counts_alone(regions)


def _counts_differ(findings: Findings, regions: Sequence[int]) -> bool:
    causes = findings.explanation.of_ranks
    if not findings.dissimilarity.cccr:
        return bool(causes.differences)
    return any(causes.of_core.get(core) for core in regions)


def confidence_in_weight(findings: Findings, core: int) -> Confidence:
    """Judge that a region weighs: times are no matter of doubt, its cause may be.

    Args:
        findings: What was found.
        core: Position among the regions that were weighed.
    """
    causes = findings.explanation.of_regions
    if causes.causes.get(core):
        return Confidence("high", "it has a cause that was measured")
    if core in causes.waiting:
        return Confidence("high", "its time in MPI was measured")
    if "instructions" in findings.run.lacking:
        return Confidence("medium", "nothing was counted")
    return Confidence("medium", "no counter explains it")
