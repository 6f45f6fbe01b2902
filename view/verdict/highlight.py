"""Where in an experiment a finding is seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...analyze import Findings
from ...analyze.verdict import Finding
from ...experiment import Experiment

__all__ = ["Highlight", "highlight_of"]


@dataclass(frozen=True)
class Highlight:
    """Where in an experiment a finding is seen.

    Attributes:
        metric: The metric that shows it; None if the experiment has none.
        without_parts: Whether it is what the metric's parts do not hold: compute time is CPU time without MPI's.
        path: Index of the call path; None where it is spread over several.
        locations: Indices of those that have most of it; empty where all have.
    """

    metric: str | None
    without_parts: bool = False
    path: int | None = None
    locations: Sequence[int] = ()

    def within(self, experiment: Experiment) -> Highlight:
        """Return where it is seen in an experiment that was not measured here, and calls its times otherwise."""
        if self.metric is None or self.metric in experiment:
            return self
        return replace(self, metric=_first_time(experiment), without_parts=False)


def highlight_of(findings: Findings, finding: Finding) -> Highlight:
    """Return where a finding is seen: a difference on the ranks that have most, a weight in the wall time of all."""
    path = finding.region.id if finding.region else None
    if len(finding.groups) < 2:
        return Highlight(*_shown(findings.experiment, "wall_time"), path)
    labels, by_thread = set(finding.slowest), bool(findings.vectors.threads)
    locations = [
        index
        for index, place in enumerate(findings.experiment.locations)
        if (f"{place.process}.{place.thread}" if by_thread else place.process) in labels
    ]
    return Highlight(*_shown(findings.experiment, findings.vectors.metric), path, locations)


def _shown(experiment: Experiment, metric: str) -> tuple[str | None, bool]:
    """Find a stored metric that shows one by which something was compared."""
    if metric in experiment:
        return metric, False
    if metric == "compute_time" and "cpu_time" in experiment:
        return "cpu_time", True
    return _first_time(experiment), False


def _first_time(experiment: Experiment) -> str | None:
    return next((each.name for each in experiment.metrics if each.unit == "sec" and each.parent is None), None)
