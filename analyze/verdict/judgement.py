"""Gain and confidence of every region that was compared or weighed, also of those that are no findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..run.code_regions import outermost
from .analysis import Analysis
from .confidence import Confidence, confidence_in_difference, confidence_in_weight, is_slight_speed
from .finding import Gain
from .gain import gain_of_balance, gain_of_weight

__all__ = ["Judgement", "judge_differences", "judge_weights"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is judged of a region, or of all in which ranks differ.

    Attributes:
        gain: What a perfect fix saves at most; None where that is not known.
        confidence: How certain it is; None of what is no core.
        may_be_speed: Whether a slow or shared core may have made the difference.
        may_be_measuring: Whether measuring may have.
    """

    gain: Gain | None
    confidence: Confidence | None
    may_be_speed: bool = False
    may_be_measuring: bool = False


def judge_differences(analysis: Analysis) -> Mapping[int | None, Judgement]:
    """Judge each region in which ranks differ, by position; under None, all of these together, if ranks differ."""
    found, performance = analysis.dissimilarity, analysis.performance

    def of(regions: Sequence[int], *, core: bool) -> Judgement:
        return Judgement(
            gain_of_balance(analysis, regions),
            confidence_in_difference(analysis, regions) if core else None,
            core and is_slight_speed(analysis, regions),
            analysis.differences.may_be_measuring(regions),
        )

    judged: dict[int | None, Judgement] = {
        index: of([index], core=index in found.cccr) for index in {*found.ccr, *found.cccr}
    }
    if found.exists:
        places = found.cccr or performance.top
        together = of(outermost(performance.regions, places), core=True)
        judged[None] = replace(together, may_be_measuring=analysis.differences.may_be_measuring(places))
    return judged


def judge_weights(analysis: Analysis) -> Sequence[Judgement]:
    """Judge each region that was weighed, in their order."""
    cores = analysis.disparity.cccr
    return [
        Judgement(gain_of_weight(analysis, index), confidence_in_weight(analysis, index) if index in cores else None)
        for index in range(len(analysis.run.weighed.regions))
    ]
