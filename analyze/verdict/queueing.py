"""Findings on threads that wait for each other in OpenMP: for locks, at too many barriers, and for the slowest."""

from __future__ import annotations

from collections.abc import Iterator

from ..run.code_regions import descendants
from ..run.criteria import CRITERIA, TICK
from ..run.selection import complete
from .analysis import Analysis
from .finding import Cause, Finding, Kind, Saved, Why
from .gain import gain_of
from .share import inclusive, share_of
from .teams import in_total_inside, slow_in_turn

__all__ = ["slow_teams", "threads_that_wait", "waiting_threads"]

_COUNTED = "contended lock entries were counted"
_FEW_CORES = "threads share cores, so part of the waiting may be for a core"
_SHORT = "barriers, and the work between them, were measured"
_SLOWEST = "the slowest thread of each execution was timed"
_NOISE = "a noisy machine can also make a different thread slow each time"


def waiting_threads(analysis: Analysis) -> Iterator[Finding]:
    """Yield a finding for each region with locks at which threads queue, or with too many barriers."""
    found = analysis.thread_waits
    for position, waits in found.queues.items():
        yield _finding(analysis, position, Kind.LOCK, Why.LOCKS, sum(each.per_thread for each in waits))
    for position, barriers in found.barriers.items():
        yield _finding(analysis, position, Kind.BARRIERS, Why.BARRIERS, barriers.waited)


def slow_teams(analysis: Analysis) -> Iterator[Finding]:
    """Yield a finding for each region in which the slowest thread differs between executions.

    A region is left out if the finding on a culprit includes its saving.
    """
    teams, path = analysis.explanation.teams, analysis.explanation.serialisation
    if teams is None or path is None:
        return
    regions = analysis.vectors.regions
    for place in (place for place, culprit in slow_in_turn(analysis).items() if culprit is None):
        around = {*analysis.experiment.ancestors(regions[place].id)}
        nested = [index for index, each in enumerate(regions) if each.id in around]
        nested += [place, *descendants(regions, place)]
        # If ranks work one after another in one of these regions, another finding reports this. It covers the rest of
        # the time on the path.
        is_shared = any(analysis.in_turn[nested])
        mean, on_path = (inclusive(analysis, each, place) for each in (path.mean, path.on_path))
        part = min(mean / on_path, 1.0) if is_shared else 1.0
        after = float(teams.mean[place]) + in_total_inside(analysis, place)
        saved = Saved(Why.EACH_TIME, part * float(teams.on_path[place]), part * after, on_path=True)
        gain = gain_of(analysis, [saved])
        if gain is None or gain.share < analysis.run.least_gain:
            continue
        is_large = teams.beyond[place] >= CRITERIA.unknown_noise * teams.on_path[place]
        level, reason = ("high", _SLOWEST) if is_large else ("medium", _NOISE)
        yield Finding(
            Kind.IMBALANCE,
            regions[place],
            gain=gain,
            share=share_of(analysis, place, compared=True),
            level=level,
            reason=reason,
        )


def threads_that_wait(analysis: Analysis, finding: Finding) -> dict[int | str, float]:
    """Return how long each thread waits for the slowest threads of an imbalance, in seconds; empty for ranks.

    A thread that waits less than a quarter of the longest wait is left out.
    """
    vectors, region = analysis.vectors, finding.difference
    if finding.kind is not Kind.IMBALANCE or not vectors.threads or region is None:
        return {}
    if not complete(analysis.experiment, "omp_time"):
        return {}
    (waited,) = vectors.selection.rows("omp_time", [region])
    times = dict(zip(vectors.labels, waited.tolist(), strict=True))
    others = {label: time for label, time in times.items() if label not in finding.slowest}
    least = max(CRITERIA.part * max(others.values(), default=0.0), TICK)
    return {label: time for label, time in others.items() if time >= least}


def _finding(analysis: Analysis, position: int, kind: Kind, why: Why, seconds: float) -> Finding:
    """Return a finding; without a saving if threads share cores."""
    shared, wall = analysis.thread_waits.shared, analysis.run.program_time
    attribute = {Kind.LOCK: "locks", Kind.BARRIERS: "barriers"}[kind]
    time = max(analysis.run.costs[position].wall_time or 0.0, seconds)
    region, paths = analysis.run.weighed.regions[position], analysis.experiment.call_paths
    same = (path for path in analysis.thread_waits.by_path if paths[path].region == paths[region.id].region)
    return Finding(
        kind,
        region,
        others=tuple(path for path in same if path != region.id) if kind is Kind.LOCK else (),
        causes=(Cause(attribute, seconds, seconds / time),) if seconds > 0 else (),
        gain=None if shared else gain_of(analysis, [Saved(why, seconds)]),
        share=min(max(seconds / wall, analysis.run.weighed_costs[position].share), 1.0) if wall > 0 else 0.0,
        of_run=True,
        level="medium" if shared else "high",
        reason=_FEW_CORES if shared else _COUNTED if kind is Kind.LOCK else _SHORT,
    )
