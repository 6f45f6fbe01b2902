"""The rank-seconds that a run loses compared with perfect scaling, divided by cause.

With perfect scaling, the total busy time of all ranks is the same as in the first run (strong scaling), or the busy
time per rank is (weak scaling); the total is then called ``ideal``. A run has P ranks and takes B seconds; if its ranks
shared cores, B is the length of its critical path. The loss is

    P B - ideal = P (B - path)  transfer
                + P path - busy  ranks wait for each other, by region
                + busy - ideal   more instructions, more time per instruction, more file I/O, or idle threads, by region
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...experiment import Region
from ..findings import Findings
from ..run.arrays import Values, ratio
from ..run.code_regions import descendants
from ..run.criteria import CRITERIA, SAMPLING, THRESHOLD, TICK
from ..verdict import Finding, Kind
from ..verdict.parts import kind_in_turn
from ..verdict.share import places_of
from .series import Series

__all__ = ["GROWS", "IDLE_THREADS", "NOT_EXPLAINED", "REPLICATED", "Ledger", "ScalingLoss", "ledger_of", "owners_of"]

REPLICATED: Final = "replicated"
GROWS: Final = "grows"
IDLE_THREADS: Final = "idle_threads"
NOT_EXPLAINED: Final = "not_explained"
_OF_RANKS: Final = (Kind.IMBALANCE, Kind.ONE_AFTER_ANOTHER, Kind.LATE, Kind.SLOW_CORE)
_Parts = dict[tuple[str, Region | None], dict[int, float]]  # rank-seconds by call path, by kind and region


@dataclass(frozen=True, slots=True)
class ScalingLoss:
    """A part of the rank-seconds that are lost.

    Attributes:
        kind: ``replicated``, ``grows``, ``idle_threads``, ``not_explained``, or a kind of finding in the verdict.
        region: The region of the loss; None if it is in no single region.
        rank_seconds: The loss in seconds over all ranks; negative if it makes up for other losses.
        by_counts: Whether instructions show the loss; otherwise only times do.
        finding: The index of the run's finding that names the region; None if no finding does.
        paths: Indices of the call paths of the series that lose this time.
        is_uncertain: Whether the kind is uncertain.
    """

    kind: str
    region: Region | None
    rank_seconds: float
    by_counts: bool = False
    finding: int | None = None
    paths: tuple[int, ...] = ()
    is_uncertain: bool = False


@dataclass(frozen=True)
class Ledger:
    """The losses of a run.

    Attributes:
        whole: Rank-seconds of the run, or of its critical path if ranks shared cores.
        ideal: Rank-seconds of perfect scaling.
        losses: The parts of the difference between ``whole`` and ``ideal``, the largest first; the unexplained part
            comes last.
        parts: Rank-seconds by kind and region, including those that are too small for a loss, or negative.
    """

    whole: float
    ideal: float
    losses: tuple[ScalingLoss, ...]
    parts: Mapping[tuple[str, Region | None], float]

    @property
    def lost(self) -> float:
        """The difference between ``whole`` and ``ideal``, in rank-seconds."""
        return self.whole - self.ideal


def ledger_of(series: Series, run: int, growth: float, findings: Findings) -> Ledger:
    """Return the rank-seconds that a run loses compared with perfect scaling, by kind and region.

    Args:
        series: The runs.
        run: Index of the run.
        growth: The total work of this run with perfect scaling, relative to the first run: 1 for strong scaling.
        findings: The findings of this run.
    """
    ranks = series.ranks[run]
    time = float(series.judged_times[run])
    whole, ideal = ranks * time, growth * float(series.busy[0].sum())
    owners = owners_of(series, run, findings)
    parts: _Parts = defaultdict(dict)
    _add_growth(parts, series, run, growth)
    _add_waiting(parts, series, run, findings, owners)
    _add_transfer(parts, series, run, findings, owners)
    shortest, longest = series.intervals[run]
    least, by_times = CRITERIA.least_gain * whole, ranks * max(TICK, (longest - shortest) / 2)
    named = {region: number for number, _, region in _named(findings)}
    sums = {key: sum(by_path.values()) for key, by_path in parts.items()}
    losses = []
    for (kind, region), seconds in sums.items():
        is_work = kind in (REPLICATED, GROWS)
        by_counts = is_work and series.instructions is not None
        is_gain = kind == Kind.SLOW_CORE and region is None and seconds < 0
        if abs(seconds) >= (least if by_counts else max(least, by_times)) and (seconds > 0 or is_gain):
            number = named.get(region) if region and not is_work else None
            finding = None if number is None else findings.verdict.findings[number]
            losses.append(
                ScalingLoss(
                    kind,
                    region,
                    seconds,
                    by_counts=by_counts,
                    finding=number,
                    paths=tuple(parts[kind, region]),
                    is_uncertain=_is_uncertain(series, kind, finding),
                )
            )
    losses.sort(key=lambda each: -each.rank_seconds)
    rest = whole - ideal - sum(each.rank_seconds for each in losses)
    return Ledger(whole, ideal, (*losses, ScalingLoss(NOT_EXPLAINED, None, rest)), sums)


def _is_uncertain(series: Series, kind: str, finding: Finding | None) -> bool:
    """Return whether the kind of a loss is uncertain.

    Without counts, busy time may grow because cores are slower, and ranks may differ or be late by chance.
    """
    if finding and kind in _OF_RANKS:
        return finding.is_doubtful
    return series.instructions is None and kind in (GROWS, Kind.IMBALANCE, Kind.LATE)


def _add(parts: _Parts, kind: str, region: Region | None, path: int, seconds: float) -> None:
    by_path = parts[kind, region]
    by_path[path] = by_path.get(path, 0.0) + seconds


def _add_growth(parts: _Parts, series: Series, run: int, growth: float) -> None:
    """Add the increase in busy time over perfect scaling to ``parts``, in rank-seconds.

    Counts show work exactly. A time that counts do not confirm must increase by more than noise and sampling error.
    """
    first, executed = 0, series.instructions
    files = series.files[run] - growth * series.files[first]
    idle = _idle_threads(series, run)
    more = series.busy[run] - growth * series.busy[first] - files - idle
    for path in np.flatnonzero(np.abs(files) >= CRITERIA.unknown_noise * series.files[run]).tolist():
        _add(parts, Kind.FILE_IO, series.call_paths[path].region, path, float(files[path]))
    for path in np.flatnonzero(idle).tolist():
        _add(parts, IDLE_THREADS, series.call_paths[path].region, path, float(idle[path]))
    slower = np.zeros_like(more)
    if executed is not None:
        work = (executed[run] - growth * executed[first]) * _times_per_instruction(series, executed, run)
        slower = np.where(executed[run] > 0, more - work, 0.0)
        more = more - slower
    else:
        before, after = (series.runs[each].experiment.notes.samples.get("cpu_time", 0.0) for each in (first, run))
        by_sampling = SAMPLING * np.sqrt(growth**2 * before * series.busy[first] + after * series.busy[run])
        more = np.where(more >= np.maximum(CRITERIA.unknown_noise * series.busy[run], by_sampling), more, 0.0)
    for path in np.flatnonzero(more).tolist():
        kind = REPLICATED if _is_replicated(series, run, path) else GROWS
        _add(parts, kind, series.call_paths[path].region, path, float(more[path]))
    if abs(slower.sum()) >= THRESHOLD * series.busy[run].sum():
        for path in np.flatnonzero(slower).tolist():
            _add(parts, Kind.SLOW_CORE, None, path, float(slower[path]))


def _times_per_instruction(series: Series, executed: Values, run: int) -> Values:
    """Return the busy seconds per instruction of each call path, from the first run up to ``run`` in which it matters.

    A call path matters if it executes at least 1 % of a run's instructions. A region that only larger runs execute has
    no earlier time per instruction, so it cannot have become slower. Call paths that never matter get the first run's
    mean time per instruction.
    """
    own, first = series.busy - series.files, 0
    found = np.full(executed.shape[1], float(ratio(own[first].sum(), executed[first].sum())))
    for each in range(run, first - 1, -1):
        matters = executed[each] >= CRITERIA.same_work * executed[each].sum()
        found = np.where(matters, ratio(own[each], executed[each]), found)
    return found


def _idle_threads(series: Series, run: int) -> Values:
    """Return the rank-seconds that teams lose because threads share the work less evenly than in the first run.

    A team's busy time is that of its slowest thread, so it can grow even if the total busy time of its threads does
    not. Differences within the noise count as 0.
    """
    usual = ratio(series.busy[0], series.of_threads[0])
    idle = np.where(usual > 0, series.busy[run] - usual * series.of_threads[run], 0.0)
    return np.where(idle >= CRITERIA.unknown_noise * series.busy[run], idle, 0.0)


def _is_replicated(series: Series, run: int, path: int) -> bool:
    """Return whether each rank does the same work in a call path in all runs up to the given one."""
    executed = series.instructions
    allowed = CRITERIA.same_work if executed is not None else CRITERIA.unknown_noise
    values = (series.busy if executed is None else executed)[: run + 1, path] / np.array(series.ranks[: run + 1])
    return bool(series.shared[: run + 1, path].all()) and float(np.ptp(values)) <= allowed * float(values.max())


def _add_waiting(parts: _Parts, series: Series, run: int, findings: Findings, owners: dict[int, int]) -> None:
    """Add each call path's time on the critical path minus the ranks' mean busy time in it, times the number of ranks.

    Call paths that are mostly file I/O are added as file I/O. If a finding reports that ranks differ or wait, its call
    paths are added under its kind and region. Other call paths are added if the difference exceeds noise; smaller
    differences stay unexplained. If some ranks take longer for the same instructions, their cores are slow. If the path
    is longer than the busiest rank's time, visits and messages show whether ranks work one after another or are slow in
    turn. Otherwise, the loss is reported only as waiting.
    """
    ranks, in_turn = series.ranks[run], _in_turn(series, run, findings)
    path, busy, longest = series.path[run], series.busy[run], series.longest[run]
    for each in np.flatnonzero(ranks * path != busy):
        owner = owners.get(int(each))
        finding = None if owner is None else findings.verdict.findings[owner]
        region: Region | None = series.call_paths[each].region
        if series.files[run, each] * 2 > busy[each]:
            kind = Kind.FILE_IO
        elif finding and finding.region and finding.kind in _OF_RANKS:
            kind, region = finding.kind, findings.experiment.call_paths[finding.region.id].region
        elif ranks * path[each] - busy[each] < CRITERIA.unknown_noise * ranks * path[each]:
            continue
        elif path[each] > (1 + THRESHOLD) * longest[each]:
            kind = in_turn.get(int(each), Kind.LATE)
        elif ranks * longest[each] > (1 + THRESHOLD) * busy[each]:
            kind = Kind.SLOW_CORE if series.same[run, each] else Kind.IMBALANCE
        else:
            kind = Kind.LATE
        _add(parts, kind, region, int(each), float(ranks * path[each] - busy[each]))


def _in_turn(series: Series, run: int, findings: Findings) -> dict[int, Kind]:
    """Map call paths to the kind of their loss if the critical path contains the work of several ranks in them.

    Empty if this is unknown, or if there is a master: its workers continue in the order in which it answers.
    """
    path, regions, rows = findings.explanation.serialisation, findings.run.weighed.regions, series.rows[run]
    if path is None or findings.master is not None:
        return {}
    return {int(rows[region.id]): kind_in_turn(path, index) for index, region in enumerate(regions)}


def _add_transfer(parts: _Parts, series: Series, run: int, findings: Findings, owners: dict[int, int]) -> None:
    """Divide the time outside the critical path among call paths, in proportion to their time in MPI without waiting.

    Time that MPI does not explain, such as sleep, stays unexplained.
    """
    seconds = 0.0 if series.is_of_path else series.ranks[run] * float(series.times[run] - series.lengths[run])
    in_mpi = series.in_mpi[run]
    whole = float(in_mpi.sum())
    if seconds <= 0 or whole <= 0:
        return
    share = min(seconds / whole, 1.0)
    for each in np.flatnonzero(in_mpi):
        owner = owners.get(int(each))
        finding = None if owner is None else findings.verdict.findings[owner]
        kind = finding.kind if finding and finding.kind in (Kind.MESSAGES, Kind.TRANSFER) else Kind.TRANSFER
        _add(parts, kind, series.call_paths[each].region, int(each), share * float(in_mpi[each]))


def owners_of(series: Series, run: int, findings: Findings) -> dict[int, int]:
    """Map each call path of the series to the number of a run's innermost finding whose region contains it."""
    regions, rows = findings.run.weighed.regions, series.rows[run]
    found: dict[int, tuple[int, int]] = {}
    for number, finding, _ in _named(findings):
        for place in places_of(findings, finding):
            for each in (place, *descendants(regions, place)):
                row, depth = int(rows[regions[each].id]), regions[place].depth
                if row not in found or depth > found[row][0]:
                    found[row] = depth, number
    return {row: number for row, (_, number) in found.items()}


def _named(findings: Findings) -> Iterator[tuple[int, Finding, Region]]:
    """Yield the number, finding and region of each finding that has a single region."""
    for number, each in enumerate(findings.verdict.findings):
        if each.region:
            yield number, each, findings.experiment.call_paths[each.region.id].region
