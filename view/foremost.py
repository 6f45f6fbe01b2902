"""The region that the verdict names first, where something else was asked for."""

from __future__ import annotations

import numpy as np

from ..analyze import Findings
from ..analyze.code_regions import CodeRegion
from ..analyze.foremost import Foremost
from ..analyze.overhead import TIMES
from .finding import time_of
from .place import Place
from .units import percent, ranks
from .verdict import cluster_times

__all__ = ["foremost_sentence"]


def foremost_sentence(findings: Findings, named: Foremost) -> str:
    """Say what the verdict names first, and why: ``loop in trace (rays.c:41): ranks 0-1 compute 83 ms, …``."""
    place = Place.of(findings.experiment, named.region)
    where = f"{place.title} ({place.source})" if place.file else place.title
    if named.parts:
        return f"The verdict names {where}: {cluster_times(findings, [named.core])}."
    share = percent(100 * findings.run.weighed_costs[named.core].share)
    return f"The verdict names {where}: {share} of the run{_slowest(findings, named.region)}."


def _slowest(findings: Findings, region: CodeRegion) -> str:
    """Name who computes longest in a region, and how it compares with all; nothing if nobody was compared there."""
    performance = findings.performance
    rows = [row for row, each in enumerate(performance.regions) if each.id == region.id]
    times = performance.measured(rows[:1]).sum(axis=0)
    if performance.metric not in TIMES or len(times) < 2 or not np.nanmax(times, initial=0.0) > 0:
        return ""
    most, middle = float(np.nanmax(times)), float(np.nanmedian(times))
    longest, median = (time_of(findings.experiment, each) for each in (most, middle))
    if longest == median:
        return ""
    label = performance.labels[int(np.nanargmax(times))]
    return f"; {ranks([label])} computes longest there, {longest}, the median is {median}"
