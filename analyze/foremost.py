"""The regions that the verdict names, in its order: those that part the ranks, then those that weigh."""

from __future__ import annotations

from dataclasses import dataclass

from .code_regions import CodeRegion
from .findings import Findings

__all__ = ["Foremost", "cores_by_difference", "cores_by_weight", "foremost"]


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


def cores_by_difference(findings: Findings) -> list[int]:
    """List the cores that part the ranks, real imbalance first, widest difference first."""
    values, same_work = findings.performance.values, findings.explanation.of_ranks.same_work
    cores = findings.dissimilarity.cccr
    return sorted(cores, key=lambda core: (core in same_work, values[core].min() - values[core].max()))


def cores_by_weight(findings: Findings) -> list[int]:
    """List the cores that weigh, the heaviest first."""
    found = findings.disparity
    return sorted(found.cccr, key=lambda core: -found.values[core])


def foremost(findings: Findings) -> Foremost | None:
    """Give the region that the verdict names first: the first real imbalance, else the heaviest; None if none is."""
    same_work = findings.explanation.of_ranks.same_work
    if imbalances := [core for core in cores_by_difference(findings) if core not in same_work]:
        return Foremost(findings.performance.regions[imbalances[0]], imbalances[0], parts=True)
    if heavy := cores_by_weight(findings):
        return Foremost(findings.run.weighed.regions[heavy[0]], heavy[0], parts=False)
    return None
