"""The estimated saving of a perfect fix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ..dissimilarity.events import LONGEST
from ..dissimilarity.off_processor import METRIC as OFF_PROCESSOR
from ..evidence.attributes import MISS_RATES
from ..run.overhead import TIMES
from .analysis import Analysis
from .confidence import is_by_counts_alone, is_speed
from .finding import Gain, Saved, Why
from .share import inclusive
from .teams import beyond_totals

__all__ = ["gain_of", "gain_of_balance", "gain_of_weight"]

_SHARED: Final = frozenset({Why.EVEN, Why.AT_ONCE, Why.EACH_TIME})  # the fix only divides the work differently
_NOTHING: Final = 1e-6  # share of the base: a smaller saving is the rounding error of a difference


def gain_of(analysis: Analysis, parts: Iterable[Saved]) -> Gain | None:
    """Return the saving with the given parts, adding up parts with the same reason; None if nothing is saved.

    The saving is at most the time of the run. Work that is shared evenly, or done at the same time, saves at most
    ``Analysis.idle``, because the ranks have to do the other work as well.
    """
    together: dict[Why, Saved] = {}
    for each in parts:
        known = together.get(each.why, Saved(each.why, 0.0))
        before, after = known.before + each.before, known.after + each.after
        together[each.why] = Saved(each.why, before, after, each.on_path or known.on_path)
    spent = sorted(
        (each for each in together.values() if each.before > each.after), key=lambda each: each.after - each.before
    )
    base, whole = analysis.base.seconds, sum(each.before - each.after for each in spent)
    if whole <= _NOTHING * base:
        return None
    kept = sum(each.before - each.after for each in spent if each.why in _SHARED)
    saved = min(whole - max(kept - analysis.idle, 0.0), analysis.run.program_time)
    if saved <= _NOTHING * base:
        return None
    cut = min(whole, analysis.run.program_time) / whole
    cut_parts = (replace(each, before=cut * each.before, after=cut * each.after) for each in spent)
    return Gain(saved, saved / base, tuple(cut_parts))


def gain_of_balance(analysis: Analysis, regions: Sequence[int]) -> Gain | None:
    """Return the saving if all ranks were busy for the same time in the given regions.

    The saving is the time before a perfect fix minus the time after it, plus the time that teams lose because their
    slowest thread differs between executions.

    - Before: the regions' time on the critical path. It can be shorter than the slowest rank's time, or longer if ranks
      are busy there at different times.
    - After: the mean over the ranks, because work can be shared evenly, although only among ranks of one program; or
      the fastest rank's time, if only avoidable cache misses, events or stalls make the other ranks slow.

    Args:
        analysis: The results so far.
        regions: Positions among the compared regions; none is below another.

    Returns:
        The saving; None if the compared metric is not a time, if ranks did the same work at different speeds, or jobs
        that differ by design, or if it is uncertain which rank is slowest.
    """
    vectors = analysis.vectors
    if vectors.metric not in (*TIMES, OFF_PROCESSOR) or analysis.dissimilarity.jobs:
        return None
    if is_by_counts_alone(analysis, regions) or is_speed(analysis, regions):
        return None
    times = vectors.values[list(regions)].sum(axis=0)
    everyone = [group[group != analysis.master] for group in vectors.groups]  # all except a master
    main = [analysis.main_cause(culprit) for culprit in regions]
    slow: set[str | None] = {*MISS_RATES}
    if analysis.work.executed_alike(regions, np.concatenate(everyone)):
        slow |= {"unexplained", None, *LONGEST}
    avoidable = all((cause.attribute if cause else None) in slow for cause in main)
    groups, why = [times[group] for group in everyone], Why.FASTEST if avoidable else Why.EVEN
    found = [Saved(why, float(each.max()), float(each.min() if avoidable else each.mean())) for each in groups]
    saved = max(found, key=lambda each: each.before - each.after)
    serialisation = analysis.explanation.serialisation
    if serialisation is None or vectors.metric == OFF_PROCESSOR or not _is_followed(analysis):
        return gain_of(analysis, [saved])
    on_path = sum(inclusive(analysis, serialisation.on_path, each) for each in regions)
    is_whole = vectors.metric == "compute_time" and len(groups) == 1 and not analysis.compares_a_part
    in_turn = is_whole and bool(analysis.in_turn[list(regions)].any())
    if in_turn and not avoidable and on_path > saved.before:
        return gain_of(analysis, [saved, Saved(Why.AT_ONCE, on_path, saved.before, on_path=True)])
    if in_turn or on_path < saved.before:
        # For metrics other than compute time, the ranks' difference is saved, but at most the time on the path.
        after = saved.after if vectors.metric == "compute_time" else max(on_path - saved.before + saved.after, 0.0)
        saved = Saved(why, on_path, after, on_path=True)
    beyond = min(beyond_totals(analysis, regions), max(on_path - saved.before, 0.0))
    each_time = Saved(Why.EACH_TIME, saved.before + beyond, saved.before, on_path=True)
    return gain_of(analysis, [saved, each_time])


def _is_followed(analysis: Analysis) -> bool:
    """Return whether the critical path covers everything that is compared: ranks, or OpenMP threads."""
    return not analysis.vectors.threads or "omp_time" in analysis.experiment


def gain_of_weight(analysis: Analysis, culprit: int) -> Gain | None:
    """Return the saving if the causes of a hot spot that have a remedy took no time; None if no cause has a remedy.

    Args:
        analysis: The results so far.
        culprit: Position of the hot spot among the weighed regions.
    """
    return gain_of(analysis, analysis.parts.remedies(culprit).values())
