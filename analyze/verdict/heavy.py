"""Findings on regions that take much time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ...experiment import Region
from ..run.costs import is_mostly
from ..run.criteria import THRESHOLD
from .analysis import Analysis
from .confidence import REASONS, confidence_in_weight
from .finding import Doubt, Finding, Kind, Saved, Wait, Why
from .gain import gain_of, gain_of_weight
from .share import share_of
from .waits import wait_of

__all__ = ["heavy_procedures", "heavy_regions", "late_region", "late_work"]

_AWAITED: Final = "ranks wait for this region"


def heavy_regions(analysis: Analysis) -> Iterator[Finding]:
    """Yield a finding for each hot spot that the verdict names."""
    seconds = analysis.explanation.seconds
    for culprit in analysis.culprits_by_weight:
        confidence = confidence_in_weight(analysis, culprit)
        kind = analysis.parts.kind(culprit)
        of_run = kind is Kind.LATE and not seconds.turns and not analysis.in_turn[culprit]
        yield Finding(
            kind,
            analysis.run.weighed.regions[culprit],
            weight=culprit,
            causes=analysis.parts.causes(culprit),
            gain=gain_of_weight(analysis, culprit),
            share=analysis.run.weighed_costs[culprit].share if of_run else share_of(analysis, culprit),
            of_run=of_run,
            level=confidence.level,
            reason=confidence.reason,
            repeatability=analysis.repetition.of_regions.get(culprit),
        )


def heavy_procedures(analysis: Analysis) -> Iterator[Finding]:
    """Yield a finding for each procedure that takes much time over all its call paths, but is not a hot spot."""
    files = analysis.explanation.seconds.of["io_bytes"]
    positions = {region.id: index for index, region in enumerate(analysis.run.weighed.regions)}
    for each in analysis.procedures.heavy:
        kind = Kind.LATE if is_mostly(each.mpi_time, each.wall_time) else Kind.HOT_SPOT
        gain = None
        if is_mostly(each.io_time, each.wall_time):
            kind = Kind.FILE_IO
            places = [positions[path] for path in each.paths if path in positions]
            spent = (analysis.parts.followed(place, {0: Saved(Why.FILES, float(files[place]))}) for place in places)
            gain = gain_of(analysis, [saved for each_path in spent for saved in each_path.values()])
        of_run = kind is Kind.LATE or each.compute_share is None
        share = each.with_small if of_run or each.compute_share is None else each.compute_share
        region = analysis.run.weighed.regions[each.region]
        yield Finding(
            kind,
            region,
            procedure=each,
            others=tuple(path for path in each.paths if path != region.id),
            causes=analysis.parts.causes(each.region),
            gain=gain,
            share=share,
            of_run=of_run,
            reason="the region's time over all call paths was measured",
        )


def late_region(analysis: Analysis, finding: Finding) -> tuple[Finding, Wait] | None:
    """Return a finding on the region that ranks wait for, and the wait itself; None if this region is unknown.

    Args:
        analysis: The results so far.
        finding: The finding on the region in which ranks mostly wait.
    """
    position = finding.procedure.region if finding.procedure and finding.weight is None else finding.weight
    if position is None or finding.kind is not Kind.LATE or finding.waits or finding.is_in_turn:
        return None
    waiting, regions = analysis.explanation.waiting, analysis.run.weighed.regions
    own = analysis.experiment.call_paths[regions[position].id].region
    if awaited := waiting.awaited.get(position):
        late = _busiest(analysis, awaited)
        if late is None:
            return None
        wait = wait_of(analysis, own, float(waiting.seconds[position]))
        return _late(analysis, late, analysis.parts.at_once(late)), wait
    if position in waiting.late:
        culprit = waiting.late[position]
        region, share = analysis.vectors.regions[culprit], share_of(analysis, culprit, compared=True)
        known = Finding(Kind.LATE, region, share=share, reason=_AWAITED)
        return known, wait_of(analysis, own, waiting.shares[position][culprit])
    return None


def late_work(analysis: Analysis, wait: Wait) -> Finding | None:
    """Return a finding on work that ranks do at different times, so that other ranks wait for it.

    The finding's saving is the time of that work on the critical path minus its mean over the ranks (without a master).

    Args:
        analysis: The results so far.
        wait: The longest wait that no other finding explains.

    Returns:
        The finding. None if it is unknown what ranks wait for, if the saving is less than ``least_gain``, or if such
        waiting takes less than a tenth of the run: ranks are never equally fast all the time.
    """
    found, path = analysis.efficiency, analysis.explanation.serialisation
    place = _busiest(analysis, wait.late) if wait.late else None
    if found is None or path is None or place is None or found.lost_in_turn < THRESHOLD:
        return None
    mean = float(path.mean[place]) * len(analysis.run.weighed.ranks) / analysis.workers
    late = _late(analysis, place, Saved(Why.AT_ONCE, float(path.on_path[place]), mean, on_path=True))
    if late.gain is None or late.gain.share < analysis.run.least_gain:
        return None
    doubt = Doubt.CORES if analysis.master is not None and analysis.explanation.seconds.turns else None
    level, reason = ("low", REASONS[doubt]) if doubt else (late.level, late.reason)
    return replace(late, doubt=doubt, level=level, reason=reason, waits=(wait,))


def _late(analysis: Analysis, place: int, saved: Saved) -> Finding:
    region, share = analysis.run.weighed.regions[place], share_of(analysis, place)
    return Finding(Kind.LATE, region, gain=gain_of(analysis, [saved]), share=share, level="high", reason=_AWAITED)


def _busiest(analysis: Analysis, region: Region) -> int | None:
    """Return the position of a region's call path with the most time on the critical path; None if there is none."""
    serialisation, paths = analysis.explanation.serialisation, analysis.experiment.call_paths
    places = [index for index, each in enumerate(analysis.run.weighed.regions) if paths[each.id].region == region]
    if not places or serialisation is None:
        return None
    return max(places, key=lambda index: serialisation.on_path[index])
