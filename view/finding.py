"""A finding of the verdict: what is said of it, and where it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..analyze import Findings
from ..analyze.dissimilarity.dissimilarity import clusters_in
from ..analyze.worth import Worth
from ..experiment import Experiment
from .units import amount

if TYPE_CHECKING:
    from ..advise import Advice

__all__ = ["Finding", "Sight", "saves", "seconds_of", "sight_of_ranks", "sight_of_region", "slowest", "time_of"]


@dataclass(frozen=True)
class Sight:
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

    def within(self, experiment: Experiment) -> Sight:
        """Give where it is seen in an experiment that was not measured here, and calls its times otherwise."""
        if self.metric is None or self.metric in experiment:
            return self
        return replace(self, metric=_first_time(experiment), without_parts=False)


@dataclass(frozen=True)
class Finding:
    """What the verdict says.

    Attributes:
        lines: What is said in any case.
        more: What is added where there is room, best first.
        rest: What is added where lines would stay free.
        sight: Where it is seen.
        ranks: Whether it is that ranks differ; else a region weighs.
        speed: Whether ranks differ in speed alone.
        gain: Seconds that a perfect fix saves; None where that is not known.
        weight: The share of the run that a region is, or of computing where ranks take turns on processors.
        advice: What to try in the source, the surest first; ``more`` has it in words.
    """

    lines: list[str]
    more: list[str]
    sight: Sight = field(default_factory=lambda: Sight(None))
    ranks: bool = False
    speed: bool = False
    gain: float | None = None
    weight: float = 0.0
    advice: Sequence[Advice] = ()
    rest: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.lines) + len(self.more) + len(self.rest)


def sight_of_ranks(findings: Findings, regions: Sequence[int]) -> Sight:
    """Say where a difference between ranks is seen: in regions, on those that have most there.

    Args:
        findings: What was found.
        regions: Positions among the regions that were compared.
    """
    performance = findings.performance
    labels, places = set(slowest(findings, regions)), findings.experiment.locations
    by_thread = bool(performance.threads)
    locations = [
        index
        for index, place in enumerate(places)
        if (f"{place.process}.{place.thread}" if by_thread else place.process) in labels
    ]
    path = performance.regions[regions[0]].id if len(regions) == 1 else None
    return Sight(*_shown(findings.experiment, performance.metric), path, locations)


def slowest(findings: Findings, regions: Sequence[int]) -> list[int | str]:
    """Name the ranks, or threads, of the cluster that has most in some regions of those that were compared."""
    performance = findings.performance
    clusters = clusters_in(performance, findings.dissimilarity, regions)
    values = performance.values[list(regions)].sum(axis=0)
    return [performance.labels[column] for column in max(clusters, key=lambda columns: values[columns].mean())]


def sight_of_region(findings: Findings, core: int) -> Sight:
    """Say where it is seen that a region weighs; ``core`` is its position among those that were weighed."""
    return Sight(*_shown(findings.experiment, "wall_time"), findings.run.weighed.regions[core].id)


def _shown(experiment: Experiment, metric: str) -> tuple[str | None, bool]:
    """Find a stored metric that shows one by which something was compared."""
    if metric in experiment:
        return metric, False
    if metric == "compute_time" and "cpu_time" in experiment:
        return "cpu_time", True
    return _first_time(experiment), False


def _first_time(experiment: Experiment) -> str | None:
    return next((each.name for each in experiment.metrics if each.unit == "sec" and each.parent is None), None)


def seconds_of(worth: Worth | None) -> float | None:
    """Give the seconds; None where nothing is saved, or it is not known how much."""
    return None if worth is None else worth.seconds


def time_of(experiment: Experiment, value: float) -> str:
    """Write a time of an experiment that was analysed, in samples if these stand for time."""
    return amount(value, experiment.metric("wall_time").unit)


def saves(findings: Findings, worth: Worth | None) -> str:
    """Say what a perfect fix is worth."""
    if worth is None:
        return ""
    on = " on a processor" if findings.explanation.seconds.turns else ""
    saved, whole = (time_of(findings.experiment, each) for each in (worth.seconds, worth.whole))
    return f"      saves at most {saved} of {whole}{on}"
