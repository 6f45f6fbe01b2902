"""Write the reasons for a finding, and general advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...analyze import Findings
from ...analyze.account import EVENTS
from ...analyze.evidence.attributes import MISS_RATES
from ...analyze.refinement.opening import can_be_opened, is_of_a_library
from ...analyze.run.code_regions import CodeRegion
from ...analyze.run.costs import is_mostly
from ...analyze.verdict import Doubt, Finding, Kind, Why
from ..causes import (
    AT_ONCE,
    EACH_TIME,
    FEWER_CALLS,
    FEWER_MESSAGES,
    FEWER_TESTS,
    ON_DEMAND,
    SYNCHRONISED,
    against_weight,
)
from ..place import Place, short
from ..rerun import with_command
from ..times import time_of
from ..units import percent, ranks
from .differences import advice_on_difference, same_work, why_uncertain, why_uneven
from .parts import (
    NO_PROBES,
    NOT_SAMPLED,
    OF_CODE,
    TO_COUNT,
    UNCOUNTED,
    can_be_followed,
    can_be_rerun,
    follow,
    has_no_probes,
    in_files,
    is_in_mpi,
    parts,
)
from .threads import against_waiting, is_of_threads, waits_inside, who_waits_at_barriers, why_threads_wait
from .waiting import waited_in, who_for_whom, why_in_mpi

__all__ = ["general_advice", "more_about", "parts_of_saving", "reasons"]

_DEBUG: Final = "autoanalyzer debug --build 'make'"
_MOST_NAMES: Final = 4
_MOST_OF_RUN: Final = 0.5  # minimum share of the busy time for which a line explains how to measure inside a region
_OF_OTHERS: Final = (Kind.IMBALANCE, Kind.ONE_AFTER_ANOTHER, Kind.LATE, Kind.MESSAGES)
_AGAINST: Final = {
    **dict.fromkeys((Why.EVEN, Why.FASTEST), Kind.IMBALANCE),
    **dict.fromkeys((Why.AT_ONCE, Why.EACH_TIME, Why.WAITING, Why.MESSAGES), Kind.LATE),
    Why.MISSES: Kind.MEMORY,
    Why.ALLOCATION: Kind.ALLOCATION,
    Why.FAULTS: Kind.PAGE_FAULTS,
    Why.FILES: Kind.FILE_IO,
    Why.TRANSFER: Kind.TRANSFER,
    Why.LOCKS: Kind.LOCK,
    Why.BARRIERS: Kind.BARRIERS,
}


def reasons(findings: Findings, finding: Finding) -> list[tuple[str, Kind]]:
    """Return the lines with a finding's reasons, each with its kind of fault, the main one first.

    If the finding is uncertain, the main reason is followed by a line that explains why.
    """
    uneven = [(f"why: {line}", Kind.IMBALANCE) for line in why_uneven(findings, finding)] if finding.groups else []
    heavy = [*_why_heavy(findings, finding)] if finding.weight is not None else [*_why_procedure(findings, finding)]
    is_uneven = finding.kind in (Kind.IMBALANCE, Kind.SLOW_CORE) and bool(finding.groups)
    said = [*uneven, *heavy] if is_uneven else [*heavy, *uneven]
    threads = [*why_threads_wait(findings, finding)]
    said = [*threads, *said] if is_of_threads(finding) else [*said, *threads]
    said = [each for each in said if not each[0].endswith(UNCOUNTED) or (is_uneven and each in uneven)] or said
    known = None if finding.weight is None else waited_in(findings, finding.weight)
    whom = "this region" if finding.region else "each other"
    waits = [who_for_whom(findings, each, whom) for each in finding.waits if each.region != known]
    waits += who_waits_at_barriers(findings, finding)
    if finding.kind is Kind.LATE and waits:
        late = "ranks finish this region at different times, so " * finding.is_in_turn
        said = [(f"why: {late}{waits[0]}", Kind.LATE), *said]
        waits = waits[1:]
    of_doubt = Kind.LATE if finding.doubt is Doubt.CORES else Kind.IMBALANCE
    # There is no advice for slow cores. The line about uncertainty gets the main reason's kind, so it is a main line.
    if finding.kind is Kind.SLOW_CORE and said:
        of_doubt = said[0][1]
    counts = any(line.endswith(TO_COUNT) for line, _ in said)
    doubt = [(why_uncertain(findings, finding.doubt, counts=counts), of_doubt)] if finding.doubt else []
    first = 1 if finding.is_doubtful else len(said)
    found: dict[str, Kind] = {}
    for line, kind in (*said[:first], *doubt, *said[first:], *((each, Kind.LATE) for each in waits)):
        found.setdefault(line, kind)
    return [*found.items()]


def _why_heavy(findings: Findings, finding: Finding) -> list[tuple[str, Kind]]:
    """Return the lines that explain the time of a hot spot, with their kind of fault, the main one first."""
    assert finding.weight is not None
    culprit, split = finding.weight, findings.explanation.seconds
    cost = findings.run.weighed_costs[culprit]
    in_turn = findings.in_turn[culprit] > 0
    waits = (in_turn and finding.is_in_turn) or (split.waits[culprit] and (in_turn or not split.chained[culprit] > 0))
    waiting = [(f"why: {why_in_mpi(findings, finding, culprit)}", Kind.LATE)] if waits else []
    computing = [*parts(findings, finding, culprit)]
    if finding.kind in _OF_OTHERS or is_mostly(cost.mpi_time, cost.wall_time):
        return [*waiting, *computing]
    return [*computing, *waiting]


def parts_of_saving(findings: Findings, finding: Finding) -> dict[Kind, str]:
    """Map kinds of fault to the time saved by removing them, as text; empty if the saving has only one part."""
    parts = finding.gain.parts if finding.gain and len(finding.gain.parts) > 1 else ()
    return {_AGAINST[each.why]: time_of(findings.experiment, each.before - each.after) for each in parts}


def _why_procedure(findings: Findings, finding: Finding) -> Iterator[tuple[str, Kind]]:
    if finding.procedure and finding.kind is Kind.FILE_IO:
        paths, regions = finding.procedure.paths, findings.run.weighed.regions
        if said := in_files(findings, [index for index, each in enumerate(regions) if each.id in paths]):
            yield f"why: {said}", Kind.FILE_IO
    if finding.procedure and finding.kind is Kind.LATE and len(finding.procedure.paths) == 1:
        yield f"why: {why_in_mpi(findings, finding, finding.procedure.region)}", Kind.LATE


def general_advice(findings: Findings, finding: Finding) -> dict[str, Kind]:
    """Map general advice to the kind of fault that it may remove, the main one first; empty for a library's code."""
    if finding.region and is_of_a_library(findings.experiment, finding.region.id):
        return {}
    uneven = advice_on_difference(findings, finding)
    heavy = dict.fromkeys(_against_order(findings, finding), Kind.LATE)
    if finding.weight is not None:
        causes = dict(_against_causes(findings, finding))
        heavy = {**heavy, **causes} if finding.kind in _OF_OTHERS else {**causes, **heavy}
    elif finding.procedure and finding.kind is Kind.FILE_IO:
        heavy = {_against_files(findings, finding.procedure.region): Kind.FILE_IO}
    found = {**uneven, **heavy} if finding.kind is Kind.IMBALANCE else {**heavy, **uneven}
    threads = against_waiting(findings, finding)
    return {**threads, **found} if is_of_threads(finding) else {**found, **threads}


def _against_order(findings: Findings, finding: Finding) -> Iterator[str]:
    """Yield general advice for ranks that are busy at different times, for many small messages, and for polling."""
    culprit, found, split = finding.weight, findings.explanation.serialisation, findings.explanation.seconds
    if culprit is not None and split.has_small_calls[culprit]:
        of_messages = FEWER_CALLS if split.has_empty_calls[culprit] else FEWER_MESSAGES
        yield FEWER_TESTS if split.has_polling[culprit] else of_messages
    elif found is not None and culprit is not None and findings.in_turn[culprit]:
        likely = AT_ONCE if found.passes_on[culprit] else EACH_TIME
        yield f"{AT_ONCE}; or {likely}" if found.in_doubt[culprit] else likely
    elif finding.kind is Kind.LATE and finding.is_in_turn:
        yield EACH_TIME if findings.verdict.master is None else ON_DEMAND
    elif finding.kind is Kind.LATE and not finding.waits and can_be_followed(findings):
        yield follow(findings)


def _against_causes(findings: Findings, finding: Finding) -> Iterator[tuple[str, Kind]]:
    """Yield general advice for each cause of a hot spot's time, with its kind of fault, the largest cause first."""
    culprit = finding.weight
    assert culprit is not None
    advice, remedies = against_weight(findings.run.weighed_costs[culprit]), findings.parts.remedies(culprit)
    events = _events_of(findings, culprit)
    most = {each.attribute for each in findings.parts.causes(culprit) if is_mostly(each.share, 1.0)}
    for name in most.intersection(events):
        yield advice[name], Kind.HOT_SPOT
    if has_no_probes(findings, finding):
        yield NO_PROBES if findings.experiment.notes.samples else NOT_SAMPLED, Kind.HOT_SPOT
    elif finding.kind is Kind.HOT_SPOT and findings.parts.is_steady(culprit) and not waits_inside(findings, finding):
        yield (
            "execute fewer instructions (better algorithm or SIMD): the region hardly waits for memory",
            Kind.HOT_SPOT,
        )
    for name in events:
        yield advice[name], Kind.HOT_SPOT
    to_try = {
        Kind.FILE_IO: _against_files(findings, culprit),
        Kind.TRANSFER: advice["mpi_bytes"],
        Kind.MEMORY: advice[_worst_misses(findings, culprit)],
        Kind.PAGE_FAULTS: advice["page_faults"],
        Kind.ALLOCATION: advice["allocations"],
    }
    for kind in sorted(to_try.keys() & remedies.keys(), key=lambda kind: remedies[kind].after - remedies[kind].before):
        yield to_try[kind], kind


def _events_of(findings: Findings, region: int) -> list[str]:
    """Return the events that take much of a region's time or, if no cause is known, the events that may take it."""
    named = [each.attribute for each in findings.parts.causes(region) if each.attribute in EVENTS]
    if findings.parts.by_paper or named or findings.parts.is_explained(region):
        return named
    return [*(findings.parts.candidates(region) or ())]


def _against_files(findings: Findings, region: int) -> str:
    small = findings.explanation.seconds.has_small_io[region]
    if findings.explanation.seconds.is_slow_io[region]:
        return SYNCHRONISED
    return against_weight(findings.run.weighed_costs[region])["io_calls" if small else "io_bytes"]


def _worst_misses(findings: Findings, culprit: int) -> str:
    parts = findings.parts.of(culprit)
    return max(MISS_RATES, key=lambda name: parts.get(name, 0.0))


def more_about(findings: Findings, finding: Finding, inside: str) -> Iterator[str]:
    """Yield further lines about a finding: its small functions, callers, ranks with the same work, possible master.

    ``inside`` is the line about the code inside the finding's region; empty without samples.
    """
    if finding.weight is not None and not is_in_mpi(finding):
        if not inside and (names := findings.unprobed.get(finding.weight)):
            yield _too_small(names)
        yield from _throttled(findings, finding.weight)
    is_code = finding.kind in (*OF_CODE, Kind.IMBALANCE)
    if is_code and finding.region and finding.weight is not None and finding.share >= _MOST_OF_RUN:
        yield from _look_inside(findings, finding.region)
    if finding.procedure and len(finding.procedure.callers) > 1:
        yield _called_from(finding)
    if finding is next((each for each in findings.verdict.findings if each.groups), None):
        yield from (f"{ranks(group)}: {same_work(findings)}" for group in findings.same_work.groups)
        if (one := findings.verdict.computes_least) is not None:
            yield f"{ranks([one])} computes the least: if it is a master, add --exclude-rank {one}"


def _called_from(finding: Finding) -> str:
    """Return the line with the callers of a procedure and their shares of the run."""
    assert finding.procedure
    callers = finding.procedure.callers
    named = ", ".join(f"{short(name)} ({percent(100 * share)})" for name, share in callers[:_MOST_NAMES])
    left = len(callers) - _MOST_NAMES
    return f"callers, and their shares of the run: {named}{f' and {left} more' if left > 0 else ''}"


def _look_inside(findings: Findings, region: CodeRegion) -> list[str]:
    """Return a line with the command that measures inside a region; empty if it was done already or is impossible."""
    if region.own_code or not can_be_rerun(findings) or not can_be_opened(findings.experiment, region.id):
        return []
    return [f"next: {with_command(findings.experiment, _DEBUG)} (measures loops inside the region)"]


def _too_small(names: Sequence[str]) -> str:
    left = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"includes {', '.join(map(short, names[:_MOST_NAMES]))}{left}, too small to measure separately"


def _throttled(findings: Findings, culprit: int) -> Iterator[str]:
    """Yield a line about the throttled region that takes the most of a region's own time, if there is one."""
    for each in findings.throttled.get(culprit, ())[:1]:
        place = Place.of_path(findings.experiment.call_paths, each.path)
        part = f"about {percent(100 * each.share)}" if each.share < 1 else "perhaps most"
        why = "too small to measure separately (--max-overhead off measures it)"
        yield f"{part} of its own time is in {place.in_words}, {why}"
