"""The region that the verdict names first, where something else was asked for."""

from __future__ import annotations

from ..analyze import Findings
from ..analyze.foremost import Foremost
from .place import Place
from .units import percent
from .verdict import cluster_times

__all__ = ["foremost_sentence"]


def foremost_sentence(findings: Findings, named: Foremost) -> str:
    """Say what the verdict names first, and why: ``loop in trace (rays.c:41): ranks 0-1 compute 83 ms, …``."""
    place = Place.of(findings.experiment, named.region)
    where = f"{place.title} ({place.source})" if place.file else place.title
    if named.parts:
        return f"The verdict names {where}: {cluster_times(findings, [named.core])}."
    return f"The verdict names {where}: {percent(100 * findings.run.weighed_costs[named.core].share)} of the run."
