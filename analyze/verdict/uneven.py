"""Findings of regions in which ranks differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .analysis import Analysis
from .causes import groups_in
from .confidence import confidence_in_difference, doubt_of_difference, is_slight_speed
from .finding import Doubt, Finding, Kind
from .gain import gain_of_balance
from .share import share_of

__all__ = ["uneven_regions"]


def uneven_regions(analysis: Analysis) -> Iterator[Finding]:
    """Yield a finding for each core in which ranks differ; one for all regions together if they differ in no core."""
    found = analysis.dissimilarity
    if not found.exists:
        return
    for core in analysis.cores_by_difference:
        if not _is_master_alone(analysis, [core]):
            yield _finding(analysis, core, [core])
    if not found.cccr and not _is_master_alone(analysis, analysis.performance.top):
        yield _finding(analysis, None, analysis.performance.top)


def _finding(analysis: Analysis, core: int | None, regions: Sequence[int]) -> Finding:
    doubt = doubt_of_difference(analysis, regions)
    confidence = confidence_in_difference(analysis, regions)
    is_speed = doubt is Doubt.SAME_WORK or is_slight_speed(analysis, regions)
    return Finding(
        Kind.SLOW_CORE if is_speed else Kind.IMBALANCE,
        None if core is None else analysis.performance.regions[core],
        difference=core,
        groups=groups_in(analysis.differences, regions, analysis.master),
        causes=analysis.causes_of_differences.get(core, ()),
        gain=gain_of_balance(analysis, regions),
        share=1.0 if core is None else share_of(analysis, core, compared=True),
        doubt=None if doubt is Doubt.SAME_WORK else doubt,
        level=confidence.level,
        reason=confidence.reason,
        repeatability=analysis.repetition.of_ranks.get(core),
    )


def _is_master_alone(analysis: Analysis, regions: Sequence[int]) -> bool:
    """Return whether nobody but a master differs from the others by enough to matter."""
    if analysis.master is None:
        return False
    others = np.delete(analysis.performance.values[list(regions)].sum(axis=0), analysis.master)
    is_slight = float(others.max() - others.mean()) < analysis.differences.floor
    return is_slight or len(groups_in(analysis.differences, regions, analysis.master)) < 2
