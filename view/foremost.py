"""Write the verdict's first finding as a sentence, for commands that mainly print something else."""

from __future__ import annotations

import numpy as np

from ..analyze import Findings
from ..analyze.run.code_regions import CodeRegion
from ..analyze.run.overhead import TIMES
from ..analyze.verdict import Finding
from .place import Place
from .times import time_of
from .units import percent, ranks
from .verdict import groups_of

__all__ = ["foremost_sentence"]


def foremost_sentence(findings: Findings, first: Finding) -> str:
    """Return a sentence about the verdict's first finding: ``… the loop in trace (rays.c:41): 54 % of …``."""
    assert first.region
    where = Place.of(findings.experiment, first.region).in_words
    if len(first.groups) > 1:
        return f"The verdict names {where}: {groups_of(findings, first)}."
    base = findings.verdict.base
    share = f"{percent(100 * first.share)} of the run"
    if first.bound is not None and not first.of_run:
        whole = "the critical path" if base.is_path else "the busiest rank's busy time"
        share = f"{percent(100 * first.bound / base.seconds)} of {whole}"
    return f"The verdict names {where}: {share}{_slowest(findings, first.region)}."


def _slowest(findings: Findings, region: CodeRegion) -> str:
    """Return a phrase with the rank or thread that takes longest in a region, its time, and the median time.

    Empty if ranks or threads were not compared by a time metric, or do not differ.
    """
    vectors = findings.vectors
    rows = [row for row, each in enumerate(vectors.regions) if each.id == region.id]
    times = vectors.measured(rows[:1]).sum(axis=0)
    if vectors.metric not in TIMES or len(times) < 2 or not np.nanmax(times, initial=0.0) > 0:
        return ""
    most, middle = float(np.nanmax(times)), float(np.nanmedian(times))
    longest, median = (time_of(findings.experiment, each) for each in (most, middle))
    if longest == median:
        return ""
    label = vectors.labels[int(np.nanargmax(times))]
    return f"; {ranks([label])} takes longest there ({longest}; the median is {median})"
