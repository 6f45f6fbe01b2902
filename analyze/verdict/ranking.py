"""Merge findings so that each place has only one, and sort them by their savings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ...experiment import Experiment, Region
from ..dissimilarity.off_processor import METRIC as OFF_PROCESSOR
from ..run.costs import is_mostly
from ..run.criteria import THRESHOLD, TICK
from ..run.overhead import TIMES
from .analysis import Analysis
from .finding import Finding, Kind, Wait
from .gain import gain_of
from .heavy import late_region
from .share import bound_of
from .waits import is_for_master, waits_for

__all__ = ["each_place_once", "ranked"]


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by decreasing saving, then by decreasing share of busy time, then by call path."""
    return sorted(findings, key=lambda each: (-_seconds(each), -each.share, each.region.id if each.region else -1))


def each_place_once(analysis: Analysis, findings: Iterable[Finding]) -> list[Finding]:
    """Merge findings so that each place has only one, and add waiting for a region to the finding on that region.

    Findings that are too small to name, that may only be waiting for cores, that only report a master's waiting, or
    that merely enclose another finding are left out.

    Args:
        analysis: The results so far.
        findings: The findings, one per call path and kind; a place may have several.
    """
    by_place: dict[Region | None, list[Finding]] = {}
    for each in findings:
        by_place.setdefault(_place(analysis.experiment, each), []).append(each)
    places = {place: _of_place(analysis, found) for place, found in by_place.items()}
    of_masters = {place for place, each in places.items() if is_for_master(analysis, each)}
    late = {place: found for place, each in places.items() if (found := late_region(analysis, each))}
    awaited = {place: _place(analysis.experiment, found) for place, (found, _) in late.items()}
    for place, (waited_for, wait) in late.items():
        last, seen = awaited[place], {place}
        while last in awaited and last not in seen:  # ranks wait there, too, so continue with what they wait for
            seen.add(last)
            last = awaited[last]
        gain = waited_for.gain
        if last in seen:  # a cycle: no region is the origin of the waiting, unless only a master waits there
            origin = [each for each in awaited if each in seen & of_masters]
            if not origin or place in of_masters:
                continue
            last, gain = origin[0], places[place].gain
        del places[place]
        known = places.setdefault(last, waited_for)
        places[last] = replace(known, gain=known.gain or gain, waits=(*known.waits, wait))
    kept = [each for place, each in places.items() if place not in of_masters or each.waits]
    kept = [each for each in kept if each.gain or not _may_be_for_cores(analysis, each)]
    kept = [each for each in kept if not any(_is_merely_around(analysis, each, other) for other in kept)]
    kept = [each for each in kept if _time(analysis, each) >= TICK]
    kept = [replace(each, waits=waits_for(analysis, each), bound=bound_of(analysis, each)) for each in kept]
    return [replace(each, waits=_waits_without(each, _inside(analysis, each, kept))) for each in kept]


def _inside(analysis: Analysis, finding: Finding, findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings on regions inside the region of a finding."""
    regions = [(each, each.region) for each in findings]
    around, ancestors = finding.region, analysis.experiment.ancestors
    return [each for each, region in regions if around and region and around.id in ancestors(region.id)]


def _waits_without(finding: Finding, inside: Iterable[Finding]) -> tuple[Wait, ...]:
    """Return a finding's waits without those that findings inside it mostly explain; all if its kind is ``LATE``."""
    if finding.kind is Kind.LATE:
        return tuple(finding.waits)
    known = [wait for each in inside for wait in each.waits]
    return tuple(
        wait
        for wait in finding.waits
        if not any(each.region == wait.region and is_mostly(each.seconds, wait.seconds) for each in known)
    )


def _time(analysis: Analysis, finding: Finding) -> float:
    """Return a finding's size in seconds: its saving, otherwise the ranks' difference, otherwise the region's time."""
    if finding.gain:
        return finding.gain.seconds
    if finding.is_of_ranks and analysis.vectors.metric in (*TIMES, OFF_PROCESSOR):
        values = [group.value for group in finding.groups]
        return max(values) - min(values)
    return finding.share * (analysis.run.program_time if finding.of_run else analysis.base.seconds)


def _may_be_for_cores(analysis: Analysis, finding: Finding) -> bool:
    """Return whether the waiting that a finding reports may be waiting for a core."""
    return finding.kind is Kind.LATE and not finding.groups and analysis.explanation.seconds.turns


def _is_merely_around(analysis: Analysis, finding: Finding, other: Finding) -> bool:
    """Return whether a hot spot is only a loop or call around another finding's region, and takes its time there."""
    if not (finding.region and other.region) or finding.region.own_code or finding.groups or finding.waits:
        return False
    if finding.kind is not Kind.HOT_SPOT or other.kind not in (Kind.HOT_SPOT, Kind.LATE) or other.of_run:
        return False
    is_below = finding.region.id in analysis.experiment.ancestors(other.region.id)
    rest = finding.share - other.share
    return is_below and not finding.gain and rest <= THRESHOLD * finding.share  # too little to name


def _place(experiment: Experiment, finding: Finding) -> Region | None:
    return experiment.call_paths[finding.region.id].region if finding.region else None


def _of_place(analysis: Analysis, findings: Sequence[Finding]) -> Finding:
    """Merge the findings on one region: first per call path, then over all paths, whose savings add up.

    In recursion, only the outermost call path counts, because its time contains the time of the other call paths.
    """
    by_path: dict[int, list[Finding]] = {}
    for each in findings:
        by_path.setdefault(each.region.id if each.region else -1, []).append(each)
    ancestors = analysis.experiment.ancestors
    outermost = [path for path in by_path if path < 0 or by_path.keys().isdisjoint(ancestors(path))]
    first, *others = ranked(_of_path(by_path[path]) for path in outermost)
    if not others:
        return first
    every = [first, *others]
    paths = dict.fromkeys(path for each in every for path in (each.region.id if each.region else -1, *each.others))
    procedures = [each for each in every if each.procedure]
    return replace(
        first,
        others=tuple(path for path in paths if not first.region or path != first.region.id),
        procedure=procedures[0].procedure if procedures else None,
        gain=gain_of(analysis, (part for each in every if each.gain for part in each.gain.parts)),
        share=min(_share(procedures, first.of_run, max) or _share(every, first.of_run, sum), 1.0),
        waits=_waits(every),
    )


def _share(findings: Iterable[Finding], of_run: bool, combined: Callable[[Iterable[float]], float]) -> float:
    """Return the combined shares of the findings that have the given ``of_run``; 0 if there are none."""
    return combined([0.0, *(each.share for each in findings if each.of_run == of_run)])


def _of_path(findings: Sequence[Finding]) -> Finding:
    """Merge the findings on one call path, such as an imbalance and a hot spot; the larger saving decides the kind.

    The savings do not add up, because imbalance and slow code may be the same time.
    """
    if len(findings) == 1:
        return findings[0]
    uneven = next((each for each in findings if each.groups), None)
    first = max(findings, key=lambda each: (_seconds(each), each.doubt is None, each is uneven))
    return replace(
        first,
        region=uneven.region if uneven else first.region,
        difference=uneven.difference if uneven else None,
        groups=uneven.groups if uneven else (),
        alone=uneven.alone if uneven else (),
        weight=next((each.weight for each in findings if each.weight is not None), None),
        procedure=next((each.procedure for each in findings if each.procedure), None),
        others=tuple(dict.fromkeys(path for each in findings for path in each.others)),
        causes=first.causes or next((each.causes for each in findings if each.causes), ()),
        doubt=uneven.doubt if uneven else first.doubt,
        share=_share(findings, first.of_run, max),
        waits=_waits(findings),
    )


def _waits(findings: Iterable[Finding]) -> tuple[Wait, ...]:
    return tuple(wait for each in findings for wait in each.waits)


def _seconds(finding: Finding) -> float:
    return finding.gain.seconds if finding.gain else 0.0
