"""Findings on regions in which ranks differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..run.selection import complete
from .analysis import Analysis
from .causes import groups_in
from .confidence import confidence_in_difference, doubt_of_difference, is_speed
from .finding import Doubt, Finding, Kind
from .gain import gain_of_balance
from .share import share_of
from .teams import is_minor

__all__ = ["uneven_regions"]


def uneven_regions(analysis: Analysis) -> Iterator[Finding]:
    """Yield a finding for each culprit in which ranks differ; if there is no culprit, one for all regions together."""
    found = analysis.dissimilarity
    if not found.exists:
        return
    for culprit in analysis.culprits_by_difference:
        if not (_is_master_alone(analysis, culprit, [culprit]) or is_minor(analysis, culprit)):
            yield _finding(analysis, culprit, [culprit])
    if not found.culprits and not _is_master_alone(analysis, None, analysis.vectors.top):
        yield _finding(analysis, None, analysis.vectors.top)


def _finding(analysis: Analysis, culprit: int | None, regions: Sequence[int]) -> Finding:
    doubt, gain = doubt_of_difference(analysis, regions), gain_of_balance(analysis, regions)
    confidence = confidence_in_difference(analysis, regions)
    groups = analysis.groups[culprit]
    if gain:
        groups = groups_in(analysis.differences, regions, analysis.master, compared=True)
    return Finding(
        Kind.SLOW_CORE if is_speed(analysis, regions) else Kind.IMBALANCE,
        None if culprit is None else analysis.vectors.regions[culprit],
        difference=culprit,
        groups=groups,
        alone=_alone(analysis, culprit),
        causes=analysis.causes_of_differences.get(culprit, ()),
        gain=gain,
        share=1.0 if culprit is None else share_of(analysis, culprit, compared=True),
        doubt=None if doubt is Doubt.SAME_WORK else doubt,
        level=confidence.level,
        reason=confidence.reason,
        repeatability=analysis.repetition.of_ranks.get(culprit),
    )


def _alone(analysis: Analysis, culprit: int | None) -> tuple[int, ...]:
    """Return the ranks that enter a region if others of the same program never do; empty for threads, or if unknown."""
    vectors = analysis.vectors
    if culprit is None or vectors.threads or not complete(analysis.experiment, "visits"):
        return ()
    entered = vectors.selection.rows("visits", [culprit])[0] > 0
    others = [group[group != analysis.master] for group in vectors.groups if entered[group].any()]
    is_alone = any(not entered[group].all() for group in others)
    return tuple(np.asarray(vectors.ranks)[entered].tolist()) if is_alone else ()


def _is_master_alone(analysis: Analysis, culprit: int | None, regions: Sequence[int]) -> bool:
    """Return whether the other ranks are alike in the given regions, so that only a master differs."""
    if analysis.master is None:
        return False
    others = np.delete(analysis.vectors.values[list(regions)].sum(axis=0), analysis.master)
    is_slight = float(others.max() - others.mean()) < analysis.differences.floor
    return is_slight or len(analysis.groups[culprit]) < 2
