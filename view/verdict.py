"""The verdict: findings in at most fifteen lines, or in full; numbers with units, nothing that needs a manual."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ..analyze import Findings
from ..analyze.criteria import THRESHOLD
from ..analyze.dissimilarity.causes import Difference
from ..analyze.dissimilarity.dissimilarity import clusters_in
from ..analyze.dissimilarity.off_processor import METRIC as OFF_PROCESSOR
from ..analyze.foremost import is_by_counts_alone, is_slight_speed, may_be_chance, may_be_speed
from ..analyze.opening import is_of_a_library
from ..analyze.overhead import Overhead
from ..analyze.worth import worth_of_balance
from .advice import not_advised, tries
from .causes import MAYBE_SPEED, SAME_WORK, against_difference, because
from .caveats import MOST_NOTES, caveats
from .finding import Finding, saves, seconds_of, sight_of_ranks, time_of
from .heavy import heavies
from .place import where_is
from .standing import how_sure, in_runs
from .title import title_of
from .units import percent, ranks, seconds, volume

if TYPE_CHECKING:
    from ..advise import Advice, Advised

__all__ = ["SHORTEST", "Verdict", "cluster_times", "verdict", "verdict_lines"]

_MOST_CLUSTERS: Final = 5
_MOST_LINES: Final = 15
_FEWEST_NOTES: Final = 2  # how many are left out, and where counts come from
_MOST_GROUPS: Final = 2
_PATH_COST: Final = 0.05  # percent of the run: less is not worth a word
SHORTEST: Final = 0.01  # seconds: what the clocks resolve well enough to judge by
_SPEED: Final = "SPEED     "
_ALL: Final = 0.9  # of a time: what is as much is all of it
# What ranks do, and what one rank does, for the value that is compared.
_VERBS: Final = {
    "compute_time": ("compute", "computes"),
    "cpu_time": ("are on a processor for", "is on a processor for"),
    "wall_time": ("take", "takes"),
    "mpi_bytes": ("move", "moves"),
    OFF_PROCESSOR: ("are off the processor for", "is off the processor for"),
}


@dataclass(frozen=True)
class Verdict:
    """What is said of an experiment.

    Attributes:
        headline: Program, ranks, time, regions, cost of measuring.
        acquittal: That all is balanced, if it is, or why nothing can be said.
        findings: In the order of their importance.
        caveats: What must be said beside them.
    """

    headline: str
    acquittal: list[str]
    findings: list[Finding]
    caveats: list[str]


def verdict(
    findings: Findings,
    file: Path | None = None,
    not_counted: str = "",
    *,
    everything: bool = False,
    advised: Advised | None = None,
    whole: bool = False,
    together: bool = False,
) -> Verdict:
    """Put findings into words, with all findings and all that can be said of each; see ``verdict_lines``.

    With ``whole``, lines are as long as they are; so they are with ``everything``. With ``together``, a region that
    weighs in the same way on several call paths is one finding.
    """
    whole = whole or everything
    besides = not_advised(advised, everything=everything) if advised else []
    said = caveats(findings, not_counted, most=None if everything else MOST_NOTES, besides=besides)
    if findings.run.program_time < SHORTEST:
        short = f"too short to judge: expected a program of at least {seconds(SHORTEST)}"
        return Verdict(_headline(findings, file), [short], [], said)
    imbalances = list(_imbalances(findings, advised.of_ranks if advised else {}, whole=whole))
    real, speed = ([each for each in imbalances if each.speed == only] for only in (False, True))
    told = [*real, *heavies(findings, advised.of_regions if advised else {}, whole=whole, together=together)]
    told.sort(key=lambda each: (each.gain is None and not each.ranks, -(each.gain or 0.0)))
    items = [*told, *speed]
    return Verdict(_headline(findings, file), _balanced(findings, stands_out=bool(items)), items, said)


def verdict_lines(
    findings: Findings,
    file: Path | None = None,
    not_counted: str = "",
    *,
    everything: bool = False,
    advised: Advised | None = None,
) -> list[str]:
    """Put findings into words.

    Args:
        findings: What was found.
        file: Where the experiment is, for the last line, and for the first where the program has no name.
        not_counted: Why there are no counts though they were asked for; empty if they were not asked for.
        everything: Whether to print all findings, with all advice and all notes.
        advised: What to try in the sources; None if these are not read.

    Returns:
        At most fifteen lines, unless ``everything``; a line says how many findings are left out, and another how many
        notes. None is left out while a line is free.
    """
    told = verdict(findings, file, not_counted, everything=everything, advised=advised, together=not everything)
    head, body = [told.headline, ""], [*told.acquittal, *([""] if told.acquittal and told.findings else [])]
    end = [f"data {file}"] if file else []
    items, notes = told.findings, told.caveats
    room = sum(map(len, items))
    if not everything:
        items = _said_once(told.findings)
        room = _MOST_LINES - len(head) - len(body) - 1 - len(end)
        first = len(items[0].lines) + len(items[0].more[:1]) + (len(items) > 1) if items else 0
        kept = max(min(MOST_NOTES, room - first), _FEWEST_NOTES)
        besides = not_advised(advised, everything=False) if advised else []
        notes = caveats(findings, not_counted, most=kept, free=room - sum(map(len, items)), besides=besides)
        room -= len(notes)
    real = [each for each in told.findings if each.ranks and not each.speed]
    heavy = _elsewhere_first([each for each in told.findings if not each.ranks], real)
    speed = [each for each in told.findings if each.speed]
    # What weighs most has its place beside the widest imbalance.
    order = told.findings
    if not everything and len(_that_fit(items, room)) <= len(real):
        order = [*real[:1], *heavy[:1], *real[1:], *heavy[1:], *speed]
        items = _said_once(order)
    shown = _that_fit(items, room)
    if not everything and (heaviest := _heaviest_beyond(order, len(shown))):
        items = _said_once([order[0], heaviest, *(each for each in order[1:] if each is not heaviest)])
        shown = _that_fit(items, room)
    for number, lines in enumerate(shown, start=1):
        body += [f"{number:2}  {lines[0]}", *(f"    {line}" for line in lines[1:])]
    if len(shown) < len(items):
        body.append(f"    … and {len(items) - len(shown)} more: analyze --all")
    return [*head, *body, "", *notes, *end]


def _elsewhere_first(heavy: Sequence[Finding], uneven: Sequence[Finding]) -> list[Finding]:
    """Put off that a region weighs of which an imbalance is told: another place says more."""
    places = {each.sight.path for each in uneven}
    return sorted(heavy, key=lambda each: each.sight.path in places)


def _heaviest_beyond(items: Sequence[Finding], shown: int) -> Finding | None:
    """Give what weighs most, whatever a fix would save, if neither it nor its place is among those that are shown."""
    heaviest = max(items, key=lambda each: each.weight, default=None)
    if heaviest is None or heaviest.sight.path in {each.sight.path for each in items[:shown]}:
        return None
    return heaviest


def _said_once(items: Sequence[Finding]) -> list[Finding]:
    """Leave out advice from the source that a finding before has, too: two call paths may lead to the same lines."""
    said: set[str] = set()
    found = []
    for each in items:
        more, rest = ([line for line in lines if line not in said] for lines in (each.more, each.rest))
        found.append(replace(each, more=more, rest=rest))
        said.update(tries(each.advice, whole=False))
    return found


def _that_fit(items: Sequence[Finding], room: int) -> list[list[str]]:
    """Choose the lines of the first findings that there is room for, then more about them, the next one, and the rest.

    The first finding has its advice in any case. If findings are left out, a line is kept free to say so.
    """
    if not items:
        return []
    first, *others = items
    advice = first.more[:1]
    if sum(len(item.lines) for item in items) + len(advice) > room:
        room -= 1
    shown = [[*first.lines[: room - len(advice)], *advice]]
    room -= len(shown[0])
    for item in others:
        if room < len(item.lines):
            break
        room -= len(item.lines)
        shown.append(list(item.lines))
    more = [first.more, *(item.more for item in others)][: len(shown)]
    for turn in range(max(map(len, more))):  # each has its first advice before any has its second
        for lines, advices in zip(shown, more, strict=True):
            if room > 0 and turn < len(advices) and not (advices is first.more and turn < len(advice)):
                lines.append(advices[turn])
                room -= 1
    whole = len(shown)
    if room > 0 and whole < len(items):
        last = whole == len(items) - 1
        shown.append(items[whole].lines[: room + last])
        room += last - len(shown[-1])
    for lines, item in zip(shown[:whole], items, strict=False):
        lines.extend(item.rest[: max(room, 0)])
        room -= len(item.rest)
    return shown


def _balanced(findings: Findings, *, stands_out: bool) -> list[str]:
    """Acquit the ranks, and the regions too if nothing else is said."""
    if findings.dissimilarity.exists:
        return []
    excluded = {place.process for place in findings.experiment.locations}.difference(findings.performance.ranks)
    without = f" without {ranks(sorted(excluded))}" if excluded else ""
    severity = findings.dissimilarity.severity
    little = severity <= THRESHOLD or not findings.differences.floor
    spread = f"{_apart(findings)}{'' if little else ', no more than noise or too little to matter'}"
    programs = findings.dissimilarity.programs
    of_each = f" of each of the {programs} programs" if programs > 1 else ""
    present, expected = _processes(findings)
    as_far = f" as far as {present} of {expected} ranks tell" if present < expected else ""
    spread = spread if len(findings.performance.ranks) > 1 else ""
    line = f"balanced{as_far}: one cluster of {_who(findings)}{of_each}{without}{spread}"
    return [line] if stands_out else [f"{line}; no region stands out"]


def _who(findings: Findings) -> str:
    return "threads" if findings.performance.threads else "ranks"


def _apart(findings: Findings) -> str:
    """Say how far those are apart who differ most, over all that is compared."""
    severity = findings.dissimilarity.severity
    return f"; they differ by {100 * severity:.0f} % over all regions (S = {severity:.2f})"


def _headline(findings: Findings, file: Path | None) -> str:
    experiment = findings.experiment
    started = len({place.process for place in experiment.locations}.intersection(experiment.notes.started))
    more = f" and {started} more {'process' if started == 1 else 'processes'}" if started else ""
    number, expected = _processes(findings)
    of_all = f" of {expected}" if number < expected else ""
    regions = len({(experiment.call_paths[each.id].region, each.own_code) for each in findings.performance.regions})
    parts = [
        title_of(experiment, file),
        f"{number}{of_all} {'rank' if number == 1 and not of_all else 'ranks'}{more}",
        time_of(findings.experiment, findings.run.program_time),
        f"{regions} {'region' if regions == 1 else 'regions'}",
    ]
    return "   ".join(parts) + _measuring_cost(findings.run.overhead)


def _measuring_cost(cost: Overhead) -> str:
    """Say what measuring took, and what of it was for the critical path, which is no computing."""
    if cost.of_computing is not None:
        path = (
            ""
            if (cost.of_path or 0.0) < _PATH_COST
            else f", and {percent(cost.of_path or 0.0)} of the run for its path"
        )
        return f"      measuring cost {percent(cost.of_computing)} of computing{path}"
    return "" if cost.percent is None else f"      measuring cost {percent(cost.percent)} of the run"


def _processes(findings: Findings) -> tuple[int, int]:
    """Give how many ranks there are data of, and how many there should be."""
    experiment = findings.experiment
    present = len({place.process for place in experiment.locations}.difference(experiment.notes.started))
    return present, present + len(experiment.notes.missing)


def _imbalances(findings: Findings, advised: Mapping[int, Sequence[Advice]], *, whole: bool) -> Iterator[Finding]:
    found, causes = findings.dissimilarity, findings.explanation.of_ranks
    if not found.exists:
        return
    named = " (rank.thread)" if findings.performance.threads else ""
    last = f"{len(found.clusters)} clusters of {_who(findings)}{named}{_apart(findings)}"
    suspect = [core for core in findings.cores_by_difference if is_slight_speed(findings, [core])]
    for number, core in enumerate(each for each in findings.cores_by_difference if each not in suspect):
        where = where_is(findings.experiment, findings.performance.regions[core])
        same = core in causes.same_work
        title = f"{_SPEED if same else _imbalance(findings, [core])}  {where}"
        worth = None if same else worth_of_balance(findings, [core])
        lines = [f"{title}{saves(findings, worth)}", cluster_times(findings, [core])]
        standing = findings.repetition.of_ranks.get(core)
        if number == 0:
            lines[1] += f"      {last}"
        lines[1] += in_runs(findings.repetition, standing)
        lines += [SAME_WORK] if same else _because_ranks(findings, causes.of_core[core], [core])
        advice = advised.get(core, ())
        to_try = tries(advice, whole=whole)
        first = len(to_try) if whole else 1
        more = to_try[:first] or _to_try_for_ranks(findings, causes.of_core[core], core)
        if number == 0 and not same:
            lines += _hints(findings, [core])
            more += [*_odd_one(findings, [core]), *_alike(findings)[_MOST_GROUPS:]]
        more += how_sure(standing, slow=_who(findings))
        sight, gain = sight_of_ranks(findings, [core]), seconds_of(worth)
        yield Finding(lines, more, sight, ranks=True, speed=same, gain=gain, advice=advice, rest=to_try[first:])
    if suspect:
        yield _maybe_speed(findings, suspect)
    if not found.cccr:
        top = findings.performance.top
        said = (
            [SAME_WORK]
            if causes.noise
            else [*_because_ranks(findings, causes.differences, top), *_hints(findings, top)]
        )
        place = "threads that do different jobs" if found.jobs else "spread over all regions"
        title = f"{_SPEED if causes.noise else _imbalance(findings, top)}  {place}"
        worth = None if causes.noise or found.jobs else worth_of_balance(findings, top)
        title += saves(findings, worth)
        standing = findings.repetition.of_ranks.get(None)
        times = f"{cluster_times(findings, top)}      {last}{in_runs(findings.repetition, standing)}"
        more = [*_to_try_for_ranks(findings, causes.differences), *([] if causes.noise else _odd_one(findings, top))]
        more += how_sure(standing, slow=_who(findings))
        sight, gain = sight_of_ranks(findings, top), seconds_of(worth)
        yield Finding([title, times, *said], more, sight, ranks=True, speed=causes.noise, gain=gain)


def _maybe_speed(findings: Findings, cores: Sequence[int]) -> Finding:
    """Say once that ranks are slower nearly everywhere: where most, and, if all is told, where else."""
    first, *others = cores
    regions = findings.performance.regions
    also = f", and in {len(others)} more region{'s' * (len(others) > 1)}" if others else ""
    title = f"SPEED?      {where_is(findings.experiment, regions[first])}{also}"
    standing = in_runs(findings.repetition, findings.repetition.of_ranks.get(first))
    lines = [title, f"{cluster_times(findings, [first])}{standing}; {_may_be_speed(findings)}"]
    rest = [f"{where_is(findings.experiment, regions[each])}: {cluster_times(findings, [each])}" for each in others]
    return Finding(lines, [], sight_of_ranks(findings, [first]), ranks=True, speed=True, rest=rest)


def _imbalance(findings: Findings, regions: Sequence[int]) -> str:
    return "IMBALANCE?" if _is_doubtful(findings, regions) else "IMBALANCE "


def _is_doubtful(findings: Findings, regions: Sequence[int]) -> bool:
    doubts = (may_be_chance, may_be_speed, is_by_counts_alone)
    return any(each(findings, regions) for each in doubts) or findings.differences.may_be_measuring(regions)


def _because_ranks(findings: Findings, differences: tuple[Difference, ...], regions: Sequence[int]) -> list[str]:
    if findings.performance.metric == OFF_PROCESSOR:
        return [
            "asleep, or waiting for a child process or a slow device",
            *([because(differences)] if differences else []),
        ]
    if differences:
        return [because(differences)]
    if "instructions" in findings.run.lacking:
        return []
    if not findings.experiment.notes.counts_by_rank:
        return ["no cause: work moved between ranks in the counting run, so their counts cannot be compared"]
    if is_by_counts_alone(findings, regions):
        return ["the ranks that executed most took hardly longer by the clock: repeat the run before you act on it"]
    return ["no counter explains the difference; random memory access, page faults or placement may"]


def _to_try_for_ranks(findings: Findings, differences: tuple[Difference, ...], core: int | None = None) -> list[str]:
    if core is not None and is_of_a_library(findings.experiment, findings.performance.regions[core].id):
        return []
    to_try = against_difference(findings.performance, core)
    return [f"try: {to_try[each.attribute]}" for each in differences]


def _alike(findings: Findings) -> list[str]:
    return [f"{ranks(group)}: {SAME_WORK}" for group in findings.explanation.of_ranks.alike]


def _hints(findings: Findings, regions: Sequence[int]) -> Iterator[str]:
    yield from _alike(findings)[:_MOST_GROUPS]
    if may_be_speed(findings, regions):
        yield _may_be_speed(findings)
    elif may_be_chance(findings, regions):
        advice = "" if findings.repetition.runs > 1 else ": repeat the run before you act on it"
        yield f"a small difference; a noisy machine can cause it, too{advice}"
    if findings.differences.may_be_measuring(regions):
        yield "measuring may have made this difference: leave small regions out and run again"


def _may_be_speed(findings: Findings) -> str:
    how = "; counts tell (--counters simulated)" if "instructions" in findings.run.lacking else ""
    return f"{MAYBE_SPEED}{how}"


def _odd_one(findings: Findings, regions: Sequence[int]) -> list[str]:
    """Say which rank is the only one that differs, and how a master is left out, which noise makes of nobody."""
    column = findings.dissimilarity.odd_one
    if column is None:
        return []
    rank = findings.performance.labels[column]
    values, top = findings.performance.values, list(findings.performance.top)
    line = f"{ranks([rank])} differs from all others, which are alike"
    compared = np.vstack([values[list(findings.dissimilarity.cccr)], values[top].sum(axis=0)])
    does_less = bool((compared[:, column] <= compared.min(axis=1)).all())
    if findings.performance.threads or findings.performance.metric != "compute_time" or not does_less:
        return [line]
    if _is_doubtful(findings, regions):
        return [line]
    return [f"{line}: a master? then --exclude-rank {rank}"]


def cluster_times(findings: Findings, regions: Sequence[int]) -> str:
    """Say what each cluster was measured to do in regions; threads that have a part in none of them are left out."""
    performance = findings.performance
    clusters = clusters_in(performance, findings.dissimilarity, regions)
    measured = performance.measured(regions)
    values = np.where(np.isnan(measured).all(axis=0), np.nan, np.nansum(measured, axis=0))
    if len(clusters) > _MOST_CLUSTERS:
        least, most = _amount(findings, np.nanmin(values)), _amount(findings, np.nanmax(values))
        return f"from {least} to {most}, most on {ranks([performance.labels[int(np.nanargmax(values))]])}"
    parts: list[str] = []
    has_part = ~np.isnan(values)
    for each in map(np.asarray, clusters):
        columns = each[has_part[each]].tolist()
        if not columns:
            continue
        who = ranks([performance.labels[column] for column in columns])
        verb = "" if parts else f" {_VERBS[performance.metric][len(columns) == 1]}"
        parts.append(f"{who}{verb} {_amount(findings, float(values[columns].mean()))}")
    return ", ".join(parts)


def _amount(findings: Findings, value: float) -> str:
    """Write a value of what is compared."""
    return volume(value) if findings.performance.metric == "mpi_bytes" else time_of(findings.experiment, value)
