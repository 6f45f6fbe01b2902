"""How sure a finding is, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .findings import Findings

__all__ = ["Confidence", "confidence_in_difference", "confidence_in_weight"]


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
    if same_work:
        return Confidence("low", "the ranks did the same work")
    if findings.differences.may_be_measuring(regions):
        return Confidence("low", "measuring may have made the difference")
    if findings.differences.may_be_chance(regions):
        return Confidence("low", "the difference is small, and no counts vouch for it")
    differences = [causes.of_core.get(core, ()) for core in regions] if findings.dissimilarity.cccr else []
    if any(differences) or (not findings.dissimilarity.cccr and causes.differences):
        return Confidence("high", "what the ranks do differs, too")
    if "instructions" in findings.run.lacking:
        return Confidence("medium", "nothing was counted")
    return Confidence("medium", "no counter explains it")


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
