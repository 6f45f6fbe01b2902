"""Findings of regions in which ranks differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..dissimilarity.dissimilarity import clusters_in
from .analysis import Analysis
from .causes import with_causes_of_difference
from .confidence import confidence_in_difference, doubt_of_difference, is_slight_speed
from .finding import Cause, Doubt, Finding, Group, Kind
from .gain import gain_of_balance
from .share import share_of

__all__ = ["uneven_regions"]


def uneven_regions(analysis: Analysis) -> list[Finding]:
    """Return a finding for each core in which ranks differ; one for all regions together if they differ in no core."""
    return with_causes_of_difference(analysis, [*_uneven_regions(analysis)])


def _uneven_regions(analysis: Analysis) -> Iterator[Finding]:
    found, causes = analysis.dissimilarity, analysis.explanation.of_ranks
    if not found.exists:
        return
    for core in analysis.cores_by_difference:
        if not _is_master_alone(analysis, [core]):
            yield _finding(analysis, core, [core], [each.attribute for each in causes.of_core[core]])
    if not found.cccr and not _is_master_alone(analysis, analysis.performance.top):
        yield _finding(analysis, None, analysis.performance.top, [each.attribute for each in causes.differences])


def _finding(analysis: Analysis, core: int | None, regions: Sequence[int], causes: Sequence[str]) -> Finding:
    doubt = doubt_of_difference(analysis, regions)
    confidence = confidence_in_difference(analysis, regions)
    is_speed = doubt is Doubt.SAME_WORK or is_slight_speed(analysis, regions)
    return Finding(
        Kind.SLOW_CORE if is_speed else Kind.IMBALANCE,
        None if core is None else analysis.performance.regions[core],
        difference=core,
        groups=groups_in(analysis, regions),
        causes=tuple(map(Cause, causes)),
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
    return is_slight or len(groups_in(analysis, regions)) < 2


def groups_in(analysis: Analysis, regions: Sequence[int]) -> tuple[Group, ...]:
    """Return what each cluster was measured to do in some regions, but a master, and threads with no part in any."""
    performance = analysis.performance
    measured = performance.measured(regions)
    values = np.where(np.isnan(measured).all(axis=0), np.nan, np.nansum(measured, axis=0))
    if analysis.master is not None:
        values[analysis.master] = np.nan
    groups = []
    for columns in map(np.asarray, clusters_in(performance, analysis.dissimilarity, regions)):
        present = columns[~np.isnan(values[columns])].tolist()
        if present:
            labels = tuple(performance.labels[column] for column in present)
            groups.append(Group(labels, float(values[present].mean())))
    return tuple(groups)
