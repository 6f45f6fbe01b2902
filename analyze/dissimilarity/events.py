"""Counted events that may make the same instructions take longer, such as operations on denormal numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...experiment import Experiment
from ..evidence.attributes import Attribute
from ..run.selection import Selection, complete
from ..run.summary import summary

__all__ = ["LONGEST", "events_of", "is_by_call_path"]

# Event → the most seconds that it can take; longer delays have another reason. Cycles are converted at 3 GHz.
LONGEST: Final[Mapping[str, float]] = {
    "branch_misses": 1e-8,  # up to 25 cycles
    "divisions": 3e-8,  # up to 90 cycles, for 128-bit integers
    "denormals": 1e-7,  # up to 200 cycles
    "allocations": 1e-5,  # with mmap, which also clears the first page
    "page_faults": 5e-5,  # for huge pages, as in ``RankVectors.bursts``
}


def events_of(selection: Selection) -> Mapping[str, Attribute]:
    """Return the counted events by name; empty if a rank's counts do not belong to the work that was timed on it."""
    experiment = selection.experiment
    if not experiment.notes.counts_by_rank:
        return {}
    sums = {name: selection.sums(name) for name in LONGEST if is_by_call_path(experiment, name)}
    return {name: Attribute(name, selection, (name, None), each, each) for name, each in sums.items() if each.any()}


def is_by_call_path(experiment: Experiment, metric: str) -> bool:
    """Return whether a metric was recorded by call path, rather than only per process."""
    if not complete(experiment, metric):
        return False
    sums = summary(experiment, metric).sums
    return bool(sums.sum() > sums[[*experiment.roots]].sum())
