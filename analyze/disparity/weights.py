"""The third stage of an analysis: which regions weigh more than others."""

from __future__ import annotations

from dataclasses import dataclass

from ..preparation import Prepared
from ..region_seconds import RegionSeconds
from .crnm import cycles_metric, cycles_per_instruction, weights
from .disparity import Disparity, find_disparity

__all__ = ["Weights", "find_weights"]


@dataclass(frozen=True)
class Weights:
    """How much the regions weigh.

    Attributes:
        metric: What they are classed by: one of ``DISPARITY_METRICS``.
        disparity: Their classes, and those that are critical.
        cycles: The metric that cycles were taken from; None if CPI is 1 everywhere for lack of counts.
        cpi: Cycles per instruction of each region, and of the program; None without counts.
    """

    metric: str
    disparity: Disparity
    cycles: str | None
    cpi: tuple[tuple[float | None, ...], float] | None


def find_weights(prepared: Prepared, seconds: RegionSeconds, metric: str = "crnm") -> Weights:
    """Class the regions by one of ``DISPARITY_METRICS``, and add those whose causes cost enough to be worth a fix.

    Args:
        prepared: The run.
        seconds: What the time of the regions went into.
        metric: What they are classed by.
    """
    disparity = find_disparity(
        prepared.weighed.regions,
        values=weights(prepared.weighed, metric=metric).tolist(),
        shares=[each.share for each in prepared.weighed_costs],
        additive=metric != "cpi",
        least=prepared.least_weight,
        costly=seconds.costly(prepared.least_gain),
    )
    cycles = cycles_metric(prepared.experiment)
    return Weights(metric, disparity, cycles, cycles_per_instruction(prepared.weighed))
