"""Find the metric, call path and locations to highlight for a finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ...analyze import Findings
from ...analyze.verdict import Finding, Kind
from ...experiment import Experiment
from ...experiment.metric import TEAM_TIME

__all__ = ["Highlight", "highlight_of"]

# The metric to highlight if ranks do not differ, by kind of finding; compute time for all other kinds.
_METRICS: Final = {
    Kind.FILE_IO: "io_time",
    Kind.MESSAGES: "mpi_time",
    Kind.TRANSFER: "mpi_time",
    **dict.fromkeys((Kind.LATE, Kind.LOCK, Kind.BARRIERS), "wall_time"),
}


@dataclass(frozen=True)
class Highlight:
    """What to highlight in an experiment to show a finding.

    Attributes:
        metric: The metric; None if the experiment has no suitable metric.
        without_parts: Whether to exclude child metrics; for example, compute time is CPU time without CPU time in MPI.
        path: Index of the call path; None if the difference between ranks is spread over all regions.
        locations: Indices of the locations that take longest; empty for all.
    """

    metric: str | None
    without_parts: bool = False
    path: int | None = None
    locations: Sequence[int] = ()

    def within(self, experiment: Experiment) -> Highlight:
        """Return this highlight for another experiment, with its first time metric if it does not have this metric."""
        if self.metric is None or self.metric in experiment:
            return self
        return replace(self, metric=_first_time(experiment), without_parts=False)


def highlight_of(findings: Findings, finding: Finding) -> Highlight:
    """Return what to highlight for a finding.

    If ranks differ, these are the slowest ranks and the compared metric, otherwise all ranks and the metric for this
    kind of finding.
    """
    path = finding.region.id if finding.region else None
    if len(finding.groups) < 2:
        of_kind = TEAM_TIME.name if finding.is_of_teams else _METRICS.get(finding.kind, "compute_time")
        metric = "wall_time" if finding.of_run else of_kind
        return Highlight(*_shown(findings.experiment, metric), path)
    labels, by_thread = set(finding.slowest), bool(findings.vectors.threads)
    locations = [
        index
        for index, place in enumerate(findings.experiment.locations)
        if (f"{place.process}.{place.thread}" if by_thread else place.process) in labels
    ]
    return Highlight(*_shown(findings.experiment, findings.vectors.metric), path, locations)


def _shown(experiment: Experiment, metric: str) -> tuple[str | None, bool]:
    """Return the stored metric that shows ``metric``, and whether to exclude its child metrics.

    If ``metric`` is not stored, the result is CPU time without its child metrics, or the first root metric in seconds;
    None if the experiment stores none of these.
    """
    if metric in experiment:
        return metric, False
    if metric == "compute_time" and "cpu_time" in experiment:
        return "cpu_time", True
    return _first_time(experiment), False


def _first_time(experiment: Experiment) -> str | None:
    return next((each.name for each in experiment.metrics if each.unit == "sec" and each.parent is None), None)
