"""The region that the verdict names first."""

from __future__ import annotations

from dataclasses import dataclass

from .code_regions import CodeRegion
from .findings import Findings

__all__ = ["Foremost", "foremost"]


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
    if imbalances := [core for core in findings.cores_by_difference if core not in same_work]:
        return Foremost(findings.performance.regions[imbalances[0]], imbalances[0], parts=True)
    if heavy := findings.cores_by_weight:
        return Foremost(findings.run.weighed.regions[heavy[0]], heavy[0], parts=False)
    return None
