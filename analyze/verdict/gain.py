"""The gain of a finding: the most that a perfect fix would save."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ..dissimilarity.off_processor import METRIC as OFF_PROCESSOR
from ..evidence.attributes import MISS_RATES
from ..run.overhead import TIMES
from .analysis import Analysis
from .confidence import is_by_counts_alone, is_speed
from .finding import Gain, Saved, Why
from .share import inclusive

__all__ = ["gain_of", "gain_of_balance", "gain_of_weight"]

_NOTHING: Final = 1e-6  # of the base: a rounding


def gain_of(analysis: Analysis, parts: Iterable[Saved]) -> Gain | None:
    """Return a gain with its parts, one for each reason; None if nothing is to save.

    It is no more than the run. Nor does work that is shared or done at once save more than the critical path has beyond
    what ranks are busy on average: they have to do the other work as well.
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
    kept = sum(each.before - each.after for each in spent if each.why in (Why.EVEN, Why.AT_ONCE))
    saved = min(whole - max(kept - analysis.idle, 0.0), analysis.run.program_time)
    if saved <= _NOTHING * base:
        return None
    cut = min(whole, analysis.run.program_time) / whole
    cut_parts = (replace(each, before=cut * each.before, after=cut * each.after) for each in spent)
    return Gain(saved, saved / base, tuple(cut_parts))


def gain_of_balance(analysis: Analysis, regions: Sequence[int]) -> Gain | None:
    """Return the saving if all ranks computed equally long in some regions; None if the metric is not a time.

    That is what the critical path has more of them than the ranks on average, or, where misses make a rank slow or all
    execute equally many instructions and no other cause is known, than the fastest: work can be shared evenly, misses
    and stalls can be avoided. It is no more than what the slowest rank has more, unless ranks are late in turn; and
    that where the path is not known. Ranks of different programs have nothing to share. None where the ranks did the
    same work, or different jobs, or it is doubtful who is slowest.

    Args:
        analysis: What was found.
        regions: Positions among the regions that were compared; none is below another.
    """
    vectors = analysis.vectors
    if vectors.metric not in (*TIMES, OFF_PROCESSOR) or analysis.dissimilarity.jobs:
        return None
    if is_by_counts_alone(analysis, regions) or is_speed(analysis, regions):
        return None
    times = vectors.values[list(regions)].sum(axis=0)
    everyone = [group[group != analysis.master] for group in vectors.groups]  # but a master
    main = [analysis.main_cause(culprit) for culprit in regions]
    slow: set[str | None] = {*MISS_RATES}
    if analysis.work.executed_alike(regions, np.concatenate(everyone)):
        slow |= {"unexplained", None}
    avoidable = all((cause.attribute if cause else None) in slow for cause in main)
    groups, why = [times[group] for group in everyone], Why.FASTEST if avoidable else Why.EVEN
    found = [Saved(why, float(each.max()), float(each.min() if avoidable else each.mean())) for each in groups]
    saved = max(found, key=lambda each: each.before - each.after)
    serialisation = analysis.explanation.serialisation
    if serialisation and vectors.metric == "compute_time" and len(groups) == 1 and not analysis.compares_a_part:
        on_path = sum(inclusive(analysis, serialisation.on_path, each) for each in regions)
        if on_path < saved.before or analysis.in_turn[list(regions)].any():
            if analysis.in_turn[list(regions)].any() and not avoidable and on_path > saved.before:
                return gain_of(analysis, [saved, Saved(Why.AT_ONCE, on_path, saved.before, on_path=True)])
            saved = Saved(why, on_path, saved.after, on_path=True)
    return gain_of(analysis, [saved])


def gain_of_weight(analysis: Analysis, culprit: int) -> Gain | None:
    """Return the time of causes with a remedy in a hot spot; None if no fix is known.

    Args:
        analysis: What was found.
        culprit: Position among the regions that were weighed.
    """
    return gain_of(analysis, analysis.parts.remedies(culprit).values())
