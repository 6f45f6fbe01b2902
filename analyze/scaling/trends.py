"""How losses, and the times of regions, change with the number of ranks."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from ...experiment import Region
from ..findings import analyze
from ..run.criteria import THRESHOLD
from ..verdict import Kind
from .losses import Ledger, ledger_of, owners_of
from .scaling import Scaling

__all__ = ["Curve", "curves", "ledgers"]


@dataclass(frozen=True, slots=True)
class Curve:
    """The time that a region takes on the critical path of each run.

    Attributes:
        region: The region; None for time outside the critical path, in which ranks communicate.
        seconds: The time in each run, in seconds.
    """

    region: Region | None
    seconds: tuple[float, ...]


def ledgers(scaling: Scaling) -> tuple[Ledger, ...]:
    """Return the losses of each run compared with perfect scaling, in the order of the runs."""
    series = scaling.series
    earlier = (
        ledger_of(series, run, float(scaling.growth[run]), analyze(each.experiment))
        for run, each in enumerate(series.runs[:-1])
    )
    return *earlier, scaling.ledger


def curves(scaling: Scaling, most: int) -> tuple[Curve, ...]:
    """Return the times of the regions that matter in the last run, longest first.

    These are the regions with the largest losses and, if there are fewer than ``most``, regions that take at least a
    tenth of the critical path. If a call path has no loss of its own, its time is added to the region of the finding
    that contains it, provided that this region has a loss.

    Args:
        scaling: How the program scales.
        most: The maximum number of regions.
    """
    series = scaling.series
    lost: dict[Region | None, float] = defaultdict(float)
    for loss in scaling.ledger.losses:
        if loss.region and loss.rank_seconds > 0:
            lost[loss.region] += loss.rank_seconds
    owners = owners_of(series, len(series.ranks) - 1, scaling.last)
    times: dict[Region | None, np.ndarray] = defaultdict(lambda: np.zeros(len(series.ranks)))
    for number, path in enumerate(series.call_paths):
        region: Region = path.region
        if region not in lost and number in owners:
            found = scaling.last.verdict.findings[owners[number]].region
            owner = scaling.last.experiment.call_paths[found.id].region if found else region
            region = owner if owner in lost else region
        times[region] += series.path[:, number]
    least = THRESHOLD * float(series.lengths[-1])
    messages = [each for each in scaling.ledger.losses if each.kind in (Kind.MESSAGES, Kind.TRANSFER)]
    if messages and not scaling.is_of_path:
        times[None] = series.times - series.lengths
        lost[None] = sum(each.rank_seconds for each in messages)
    shown = [region for region, each in times.items() if each[-1] > 0 and (region in lost or each[-1] >= least)]
    shown.sort(key=lambda region: (-lost.get(region, 0.0), -times[region][-1]))
    longest = sorted(shown[:most], key=lambda region: -times[region][-1])
    return tuple(Curve(region, tuple(times[region].tolist())) for region in longest)
