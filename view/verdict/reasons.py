"""The reasons for a finding, and general advice against them, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ...analyze import Findings
from ...analyze.account import EVENTS
from ...analyze.dissimilarity.off_processor import METRIC as OFF_PROCESSOR
from ...analyze.dissimilarity.work import Difference
from ...analyze.evidence.attributes import MISS_RATES
from ...analyze.refinement.opening import can_be_opened, is_of_a_library
from ...analyze.run.code_regions import CodeRegion
from ...analyze.run.costs import is_mostly
from ...analyze.run.criteria import CRITERIA
from ...analyze.verdict import Cause, Doubt, Finding, Kind, Wait, Why
from ...experiment import Region
from ..causes import (
    AT_ONCE,
    EACH_TIME,
    FEWER_MESSAGES,
    FOLLOW,
    MAYBE_SPEED,
    NAMES,
    ON_DEMAND,
    SAME_WORK,
    against_difference,
    against_weight,
    because,
)
from ..place import Place, short
from ..times import time_of
from ..units import count, percent, ranks, volume
from .inside import inside_line
from .parts import (
    ALL,
    NEW_PAGES,
    NO_PROBES,
    NOT_COUNTED,
    NOT_SAMPLED,
    OF_CODE,
    can_be_followed,
    has_no_probes,
    has_page_faults,
    in_files,
    is_in_mpi,
    not_counted,
    parts,
    who_waits,
)
from .threads import OF_THREADS, against_waiting, waits_inside, who_waits_at_barriers, why_threads_wait

__all__ = ["general_advice", "more_about", "parts_of_saving", "reasons"]


_MOST_NAMES: Final = 4
_MOST_OF_RUN: Final = 0.5  # of the busy time: for a larger region, the verdict shows how to measure inside it
_OF_OTHERS: Final = (Kind.IMBALANCE, Kind.ONE_AFTER_ANOTHER, Kind.LATE, Kind.MESSAGES)
_AGAINST: Final = {
    **dict.fromkeys((Why.EVEN, Why.FASTEST), Kind.IMBALANCE),
    **dict.fromkeys((Why.AT_ONCE, Why.WAITING, Why.MESSAGES), Kind.LATE),
    Why.MISSES: Kind.MEMORY,
    Why.ALLOCATION: Kind.ALLOCATION,
    Why.FAULTS: Kind.PAGE_FAULTS,
    Why.FILES: Kind.FILE_IO,
    Why.TRANSFER: Kind.TRANSFER,
    Why.LOCKS: Kind.LOCK,
    Why.BARRIERS: Kind.BARRIERS,
}
_WHAT_IT_MAY_BE: Final = {
    Doubt.MEASURING: "uncertain: measuring may have made this difference; leave small regions out and run again",
    Doubt.CORES: "uncertain: a rank without a free core is late, too: repeat on free cores before you act",
    Doubt.COUNTS_ALONE: "uncertain: the ranks that executed most took hardly longer by the clock",
}


def reasons(findings: Findings, finding: Finding) -> list[tuple[str, Kind]]:
    """Return the lines with the reasons and their kind of fault, main one first, and why the finding is uncertain."""
    uneven = [(f"why: {line}", Kind.IMBALANCE) for line in _why_uneven(findings, finding)] if finding.groups else []
    heavy = [*_why_heavy(findings, finding)] if finding.weight is not None else [*_why_procedure(findings, finding)]
    is_uneven = finding.kind in (Kind.IMBALANCE, Kind.SLOW_CORE) and bool(finding.groups)
    said = [*uneven, *heavy] if is_uneven else [*heavy, *uneven]
    threads = [*why_threads_wait(findings, finding)]
    said = [*threads, *said] if finding.kind in OF_THREADS else [*said, *threads]
    said = [each for each in said if not each[0].endswith(NOT_COUNTED) or (is_uneven and each in uneven)] or said
    known = None if finding.weight is None else _waited_in(findings, finding.weight)
    whom = "it" if finding.region else "each other"
    waits = [_who_for_whom(findings, each, whom) for each in finding.waits if each.region != known]
    waits += who_waits_at_barriers(findings, finding)
    if finding.kind is Kind.LATE and waits:
        late = "ranks finish it at different times, so " * finding.is_in_turn
        said = [(f"why: {late}{waits[0]}", Kind.LATE), *said]
        waits = waits[1:]
    of_doubt = Kind.LATE if finding.doubt is Doubt.CORES else Kind.IMBALANCE
    if finding.kind is Kind.SLOW_CORE and said:  # which no advice is against: a main line beside the main reason
        of_doubt = said[0][1]
    counts = any(line.endswith(NOT_COUNTED) for line, _ in said)
    doubt = [(_doubt(findings, finding.doubt, counts=counts), of_doubt)] if finding.doubt else []
    first = 1 if finding.is_doubtful else len(said)
    return [*dict.fromkeys([*said[:first], *doubt, *said[first:], *((each, Kind.LATE) for each in waits)])]


def _who_for_whom(findings: Findings, wait: Wait, whom: str) -> str:
    """Return which ranks wait for which: ``rank 0 waits for rank 3: 560 ms, in energy (main.c:20)``."""
    latest = ranks(_latest(findings, wait)) if wait.ranks else whom
    whom = f"each other, longest for {latest}" if len(wait.ranks) == findings.workers > 1 else latest
    time = time_of(findings.experiment, wait.mean or wait.seconds)
    mean = "" if len(wait.waiting) == 1 else " on average"
    return f"{who_waits(wait)} for {whom}: {time}{mean}, in {Place.of_region(wait.region).in_words}"


def _latest(findings: Findings, wait: Wait) -> tuple[int, ...]:
    """Return the ranks that others wait for; if that is every rank, only the one they wait for longest."""
    return wait.ranks[:1] if len(wait.ranks) == findings.workers else tuple(sorted(wait.ranks))


def _doubt(findings: Findings, doubt: Doubt, *, counts: bool) -> str:
    """Return why a finding is uncertain, and what to do, unless another line already suggests counting (``counts``)."""
    if doubt is Doubt.SPEED:
        how = ": --counters simulated shows which" if "instructions" in findings.lacking else ""
        return f"uncertain: {MAYBE_SPEED}{how}"
    if doubt is Doubt.CHANCE:
        advice = "" if findings.repetition.runs > 1 or counts else ": repeat the run (--repeat 5) before you act on it"
        return f"uncertain: a noisy machine can cause such a difference, too{advice}"
    return _WHAT_IT_MAY_BE[doubt]


def _why_uneven(findings: Findings, finding: Finding) -> Iterator[str]:
    same, culprit = findings.same_work, finding.difference
    if culprit in same.culprits or (culprit is None and same.everywhere):
        yield SAME_WORK
        return
    if finding.kind is Kind.SLOW_CORE:  # perhaps only the cores differ: the line with the doubt is the reason
        return
    if findings.vectors.metric == OFF_PROCESSOR:
        yield "asleep, or waiting for a child process or a slow device"
    if said := [*_because(findings, finding)]:
        yield from said
    elif "instructions" in findings.lacking:
        yield from not_counted(findings)
    elif not findings.experiment.notes.counts_by_rank:
        yield "unknown: work moved between ranks in the counting run, so their counts cannot be compared"
    elif finding.doubt is not Doubt.COUNTS_ALONE:
        is_next = f"; {NEW_PAGES}" if not_counted(findings) else ""
        yield f"unknown: no count differs so{', nor do page faults' if has_page_faults(findings) else is_next}"


def _main_cause(findings: Findings, finding: Finding) -> Cause | None:
    """Return the main cause of the slowest ranks' additional time; None without seconds, or if it is unexplained."""
    most = findings.main_cause(finding.difference)
    return most if most and most.seconds is not None and most.attribute in NAMES else None


def _explained(findings: Findings, cause: Cause) -> str:
    """Return how much of the slowest ranks' additional time a cause explains: ``1.2 s of the 1.9 s difference``."""
    assert cause.seconds is not None and cause.share
    spent, whole = (time_of(findings.experiment, time) for time in (cause.seconds, cause.seconds / cause.share))
    return "the difference" if cause.share >= ALL else f"{spent} of the {whole} difference"


def _because(findings: Findings, finding: Finding) -> Iterator[str]:
    """Yield the attributes that differ between ranks, the first one with the time that it explains."""
    most = _main_cause(findings, finding)
    if found := [each for each in _differing(findings, finding) if len(each.values) > 1]:
        who = _compared(findings)
        is_main = most is not None and most.attribute == found[0].attribute
        yield because(found[0], who) + (f"; explains {_explained(findings, most)}" if most and is_main else "")
        yield from (because(each, who) for each in found[1:2])
    elif most:
        yield f"{NAMES[most.attribute]}: {_explained(findings, most)}"


def _differing(findings: Findings, finding: Finding) -> list[Difference]:
    """Return the attributes that differ between ranks as their times do and that explain time, the largest part first.

    The value of a master, which is in no group, is left out.
    """
    differences = findings.differing_attributes.get(finding.difference, ())
    causes = findings.causes_of_differences.get(finding.difference, ())
    clusters, names = findings.dissimilarity.clusters, [each.attribute for each in causes]
    in_time = [each for each in differences if each.attribute in names]
    found = []
    for each in sorted(in_time, key=lambda each: names.index(each.attribute)):
        values = each.values
        if len(values) == len(clusters):
            pairs = zip(values, clusters, strict=True)
            values = tuple(value for value, columns in pairs if columns != (findings.master,))
        found.append(replace(each, values=values))
    return found


def _compared(findings: Findings) -> list[str]:
    """Return the ranks of each group as text, without a master."""
    labels = findings.vectors.labels
    clusters = [each for each in findings.dissimilarity.clusters if each != (findings.master,)]
    return [ranks([labels[column] for column in each]) for each in clusters]


def _why_heavy(findings: Findings, finding: Finding) -> list[tuple[str, Kind]]:
    """Return the lines that explain the time of a hot spot, with their kind of fault, the main one first."""
    assert finding.weight is not None
    culprit, split = finding.weight, findings.explanation.seconds
    cost = findings.run.weighed_costs[culprit]
    waits = split.waits[culprit] and not (split.chained[culprit] > 0 and not findings.in_turn[culprit])  # a master's
    waiting = [(f"why: {_waiting(findings, finding, culprit)}", Kind.LATE)] if waits else []
    computing = [*parts(findings, finding, culprit)]
    if finding.kind in _OF_OTHERS or is_mostly(cost.mpi_time, cost.wall_time):
        return [*waiting, *computing]
    return [*computing, *waiting]


def parts_of_saving(findings: Findings, finding: Finding) -> dict[Kind, str]:
    """Return the parts of a saving by the kind of fault, if it has several."""
    parts = finding.gain.parts if finding.gain and len(finding.gain.parts) > 1 else ()
    return {_AGAINST[each.why]: time_of(findings.experiment, each.before - each.after) for each in parts}


def _why_procedure(findings: Findings, finding: Finding) -> Iterator[tuple[str, Kind]]:
    if finding.procedure and finding.kind is Kind.FILE_IO:
        paths, regions = finding.procedure.paths, findings.run.weighed.regions
        said = in_files(findings, [index for index, each in enumerate(regions) if each.id in paths])
        yield f"why: {said}", Kind.FILE_IO
    if finding.procedure and finding.kind is Kind.LATE and len(finding.procedure.paths) == 1:
        yield f"why: {_waiting(findings, finding, finding.procedure.region)}", Kind.LATE


def general_advice(findings: Findings, finding: Finding) -> dict[str, Kind]:
    """Return general advice → the kind of fault that it is against, main one first; none for a library's code."""
    if finding.region and is_of_a_library(findings.experiment, finding.region.id):
        return {}
    uneven = {}
    if finding.groups and finding.kind is not Kind.SLOW_CORE:
        to_try = against_difference(findings.vectors, finding.difference)
        most = _main_cause(findings, finding)
        names = [*([most.attribute] if most else []), *(each.attribute for each in _differing(findings, finding))]
        uneven = {to_try[each]: Kind.IMBALANCE for each in names}
    heavy = dict.fromkeys(_against_order(findings, finding), Kind.LATE)
    if finding.weight is not None:
        causes = dict(_against_causes(findings, finding))
        heavy = {**heavy, **causes} if finding.kind in _OF_OTHERS else {**causes, **heavy}
    elif finding.procedure and finding.kind is Kind.FILE_IO:
        heavy = {_against_files(findings, finding.procedure.region): Kind.FILE_IO}
    found = {**uneven, **heavy} if finding.kind is Kind.IMBALANCE else {**heavy, **uneven}
    threads = against_waiting(findings, finding)
    return {**threads, **found} if finding.kind in OF_THREADS else {**found, **threads}


def _against_order(findings: Findings, finding: Finding) -> Iterator[str]:
    """Yield general advice against ranks that are busy at different times, and against many small messages."""
    culprit, found = finding.weight, findings.explanation.serialisation
    if culprit is not None and findings.explanation.seconds.has_small_calls[culprit]:
        yield FEWER_MESSAGES
    elif found is not None and culprit is not None and findings.in_turn[culprit]:
        waiting = _waited_in(findings, culprit)
        next_one = f": the next rank waits in {Place.of_region(waiting).in_words}" if waiting else ""
        yield f"{AT_ONCE}{next_one}" if found.passes_on[culprit] else EACH_TIME
    elif finding.kind is Kind.LATE and finding.is_in_turn:
        yield EACH_TIME if findings.verdict.master is None else ON_DEMAND
    elif finding.kind is Kind.LATE and not finding.waits and can_be_followed(findings):
        yield FOLLOW


def _against_causes(findings: Findings, finding: Finding) -> Iterator[tuple[str, Kind]]:
    """Yield general advice against the causes of a hot spot's time, with their kind of fault, the largest first."""
    culprit = finding.weight
    assert culprit is not None
    if has_no_probes(findings, finding):
        yield NO_PROBES if findings.experiment.notes.samples else NOT_SAMPLED, Kind.HOT_SPOT
    elif finding.kind is Kind.HOT_SPOT and findings.parts.is_steady(culprit) and not waits_inside(findings, finding):
        yield "execute fewer instructions; it hardly waits for memory", Kind.HOT_SPOT
    advice, remedies = against_weight(findings.run.weighed_costs[culprit]), findings.parts.remedies(culprit)
    to_try = {
        Kind.FILE_IO: _against_files(findings, culprit),
        Kind.TRANSFER: advice["mpi_bytes"],
        Kind.MEMORY: advice[_worst_misses(findings, culprit)],
        Kind.PAGE_FAULTS: advice["page_faults"],
        Kind.ALLOCATION: advice["allocations"],
    }
    for name in _events_of(findings, culprit):
        yield advice[name], Kind.HOT_SPOT
    for kind in sorted(to_try.keys() & remedies.keys(), key=lambda kind: remedies[kind].after - remedies[kind].before):
        yield to_try[kind], kind


def _events_of(findings: Findings, region: int) -> list[str]:
    """Return the events that take a part of a region's time, or may do so if nothing else explains it."""
    named = [each.attribute for each in findings.parts.causes(region) if each.attribute in EVENTS]
    if findings.parts.by_paper or named or findings.parts.is_explained(region):
        return named
    return [*(findings.parts.candidates(region) or ())]


def _against_files(findings: Findings, region: int) -> str:
    small = findings.explanation.seconds.has_small_io[region]
    return against_weight(findings.run.weighed_costs[region])["io_calls" if small else "io_bytes"]


def _worst_misses(findings: Findings, culprit: int) -> str:
    parts = findings.parts.of(culprit)
    return max(MISS_RATES, key=lambda name: parts.get(name, 0.0))


def more_about(findings: Findings, finding: Finding) -> Iterator[str]:
    """Yield further lines: what is inside it, callers, ranks with the same work, a possible master."""
    if inside := "" if is_in_mpi(finding) else inside_line(findings, finding):
        yield inside
    if finding.weight is not None and not is_in_mpi(finding):
        if not inside and (names := findings.unprobed.get(finding.weight)):
            yield _too_small(names)
        yield from _throttled(findings, finding.weight)
    is_code = finding.kind in (*OF_CODE, Kind.IMBALANCE)
    if is_code and finding.region and finding.weight is not None and finding.share >= _MOST_OF_RUN:
        yield from _look_inside(findings, finding.region)
    if finding.procedure and len(finding.procedure.callers) > 1:
        yield _called_from(finding)
    if finding.groups and finding is _first_uneven(findings):
        yield from (f"{ranks(group)}: {SAME_WORK}" for group in findings.same_work.groups)
        if (one := findings.verdict.computes_least) is not None:
            yield f"{ranks([one])} computes least: if it is a master, --exclude-rank {one}"


def _first_uneven(findings: Findings) -> Finding | None:
    return next((each for each in findings.verdict.findings if each.groups), None)


def _called_from(finding: Finding) -> str:
    """Return the line with the callers of a procedure and their shares of the run."""
    assert finding.procedure
    callers = finding.procedure.callers
    named = ", ".join(f"{short(name)} ({percent(100 * share)})" for name, share in callers[:_MOST_NAMES])
    left = len(callers) - _MOST_NAMES
    return f"called by, in shares of the run: {named}{f' and {left} more' if left > 0 else ''}"


def _look_inside(findings: Findings, region: CodeRegion) -> list[str]:
    """Return the line with the command that measures inside a region; none if it is measured or cannot be."""
    imported = "imported:" in findings.experiment.metric("wall_time").source
    if region.own_code or imported or not can_be_opened(findings.experiment, region.id):
        return []
    return ["next: autoanalyzer debug --build 'make' measures the loops inside it"]


def _too_small(names: Sequence[str]) -> str:
    left = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"includes {', '.join(map(short, names[:_MOST_NAMES]))}{left}, too small to measure separately"


def _throttled(findings: Findings, culprit: int) -> Iterator[str]:
    """Yield a line on the throttled region that takes most of a region's own time, if there is one."""
    for each in findings.throttled.get(culprit, ())[:1]:
        place = Place.of_path(findings.experiment.call_paths, each.path)
        where = f"{place.title}, {place.source}" if place.file else place.title
        part = f"about {percent(100 * each.share)}" if each.share < 1 else "perhaps most"
        yield f"{part} of its own time is in {where}, too small to measure separately (--max-overhead off measures it)"


def _waiting(findings: Findings, finding: Finding, culprit: int) -> str:
    """Return why a region spends time in MPI: ranks wait there, and for which others; or messages are small."""
    found, explanation = findings.explanation.serialisation, findings.explanation
    otherwise = explanation.seconds.has_small_calls[culprit] or culprit in explanation.waiting.shares
    if found and findings.in_turn[culprit]:
        return _in_turn(findings, finding, culprit)
    if (late := explanation.waiting.awaited.get(culprit)) and not otherwise:
        busy = Place.of_region(late).in_words
        return f"{_in_calls(findings, culprit)}: ranks wait for others that are still busy in {busy}"
    return _estimated_waiting(findings, culprit)


def _in_turn(findings: Findings, finding: Finding, culprit: int) -> str:
    """Return that ranks work one after another, or that each time a different one is slowest, and which ranks wait."""
    found, waiting = findings.explanation.serialisation, _waited_in(findings, culprit)
    at = f" in {Place.of_region(waiting).in_words}" if waiting else ""
    if found and found.passes_on[culprit]:
        return f"ranks work one after another: each waits{at} for the one before"
    late = next((_latest(findings, each) for each in finding.waits if each.region == waiting), ())
    longest = f"; longest for {ranks(late)}" if late else ""
    return f"a different rank is slowest each time; others wait{at}{longest}"


def _waited_in(findings: Findings, culprit: int) -> Region | None:
    """Return the region in which ranks wait for the work of a region; None if they are busy there at the same time."""
    found = findings.explanation.serialisation
    return found.because_of(culprit) if found and findings.in_turn[culprit] else None


def _in_calls(findings: Findings, culprit: int) -> str:
    """Return the time in a region's MPI calls (mean over the ranks), and the bytes that they move (sum over them)."""
    cost, number = findings.run.weighed_costs[culprit], len(findings.run.weighed.ranks)
    each, time, moved = cost.mpi_calls or 0.0, cost.mpi_time or 0.0, cost.mpi_bytes or 0.0
    calls = f"{count(each * number)} MPI calls" if each >= 2 else "MPI calls"
    return f"{time_of(findings.experiment, time)} in {calls} that move {volume(moved * number)}"


def _estimated_waiting(findings: Findings, culprit: int) -> str:
    """Return why a region spends time in MPI, estimated from calls, bytes and late ranks."""
    cost, waiting, line = (
        findings.run.weighed_costs[culprit],
        findings.explanation.waiting,
        _in_calls(findings, culprit),
    )
    each, time, moved = cost.mpi_calls or 0.0, cost.mpi_time or 0.0, cost.mpi_bytes or 0.0
    if findings.explanation.seconds.has_small_calls[culprit]:
        small = float(findings.explanation.seconds.small_calls[culprit])
        part = "" if small >= ALL * time else f"{time_of(findings.experiment, small)} of the "
        return f"small messages: {part}{line}, {volume(moved / each)} per call"
    if culprit in waiting.shares:
        return f"{line}: {_for_late_ranks(findings, waiting.shares[culprit], time)}"
    if each and time > CRITERIA.call * each:
        turn = ", or wait for a core" if findings.explanation.seconds.turns else ""
        if findings.explanation.seconds.turns and culprit in waiting.hints:
            late = _for_late_ranks(findings, waiting.hints[culprit], time)
            return f"{line}: {late}; the rest may be waiting for a core"
        return f"{line}, {time_of(findings.experiment, time / each)} per call: ranks that arrive late{turn}"
    return f"{line}: latency, or ranks that arrive late"


def _for_late_ranks(findings: Findings, shares: Mapping[int, float], time: float) -> str:
    """Return the ranks that others wait for longest, the region in which these are late, and how long that takes."""
    late = max(shares, key=shares.__getitem__)
    place, waited = Place.of(findings.experiment, findings.vectors.regions[late]), shares[late]
    part = "waits" if waited >= ALL * time else f"{time_of(findings.experiment, waited)} of it"
    where = f"at {place.source} ({place.title})" if place.file else f"in {place.title}"
    known = (each for each in findings.verdict.findings if each.difference == late)
    slowest = next((each.slowest for each in known), ())
    who = ranks(slowest) if slowest else "the ranks that take longest"
    return f"{part} for {who}, which {'takes' if len(slowest) == 1 else 'take'} longest {where}"
