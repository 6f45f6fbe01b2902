"""What the verdict says of regions that weigh."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ..analyze import Findings
from ..analyze.code_regions import CodeRegion
from ..analyze.costs import Cost
from ..analyze.criteria import CRITERIA
from ..analyze.disparity.causes import Cause
from ..analyze.disparity.classes import LABELS
from ..analyze.opening import can_be_opened, is_of_a_library
from ..analyze.procedures import HeavyProcedure
from ..analyze.serialisation import Serialisation
from ..analyze.worth import worth_of_weight
from .advice import tries
from .causes import (
    ABOVE,
    AT_ONCE,
    EACH_TIME,
    FEWER_MESSAGES,
    MOSTLY,
    against_weight,
    because_of,
    is_mostly,
    most_telling,
)
from .finding import Finding, saves, seconds_of, sight_of_region, slowest, time_of
from .place import Place, short, where_is
from .standing import how_sure, in_runs
from .units import count, percent, ranks, volume

if TYPE_CHECKING:
    from ..advise import Advice

__all__ = ["heavies"]

_MOST_NAMES: Final = 4
_MOST_OF_RUN: Final = 0.5  # of the run: a region of which more must be known
_SHOWN: Final = 0.01  # of a weight: less is none
_ALL: Final = 0.9  # of a time: what is as much is all of it


def heavies(
    findings: Findings,
    advice: Mapping[int, Sequence[Advice]] | None = None,
    *,
    whole: bool = False,
    together: bool = False,
) -> list[Finding]:
    """Say which regions weigh: procedures of several call paths that weigh more than any core, cores, the others.

    Args:
        findings: What was found.
        advice: What to try in the source, by core.
        whole: Whether it is given in whole.
        together: Whether a region is told once of all call paths on which the same is said of it.
    """
    procedures = findings.procedures.heavy
    most = max((findings.run.weighed_costs[core].share for core in findings.cores_by_weight), default=0.0)
    first = [each for each in procedures if len(each.paths) > 1 and each.with_small > most]
    others = [each for each in procedures if each not in first]
    return [
        *(_of_procedure(findings, each) for each in first),
        *_of_cores(findings, advice or {}, whole=whole, together=together),
        *(_of_procedure(findings, each) for each in others),
    ]


def _of_procedure(findings: Findings, found: HeavyProcedure) -> Finding:
    region = findings.run.weighed.regions[found.region]
    where = where_is(findings.experiment, region)
    parts = [f"{percent(100 * found.share)} of the run"]
    if len(found.paths) > 1:
        place, callers = Place.of(findings.experiment, region), len(found.callers)
        who = f"{callers} callers" if callers > 1 else f"{len(found.paths)} call paths"
        where = f"{place.source}   {place.title} ({who})" if place.file else f"{place.title} ({who})"
    computing = ""
    if found.compute_share is not None and _ALL * found.compute_share > found.with_small:
        computing = f"{percent(100 * found.compute_share)} of computing"
    if found.with_small < _ALL * found.share:
        without = f"{percent(100 * found.with_small)} without larger regions below"
        parts.append(f"{without} ({computing})" if computing else without)
    elif computing:
        parts.append(computing)
    line = f"HEAVY       {where}      {', '.join(parts)}"
    in_mpi = found.mpi_time is not None and found.mpi_time > MOSTLY * found.wall_time
    if found.mpi_time is not None and in_mpi:
        line += f"; {percent(100 * found.mpi_time / found.wall_time)} of its time in MPI"
    inside = _look_inside(findings, region) if found.with_small >= _MOST_OF_RUN and not in_mpi else []
    if in_mpi and len(found.paths) == 1:
        inside = [_waiting(findings, found.region)]
    turns = findings.explanation.seconds.turns
    weight = (found.compute_share or 0.0) if turns else found.with_small
    return Finding([line, *inside], _called_from(found), sight_of_region(findings, found.region), weight=weight)


def _called_from(found: HeavyProcedure) -> list[str]:
    """Say by whom a procedure is called, with shares of the run."""
    if len(found.callers) < 2:
        return []
    named = ", ".join(f"{name} ({percent(100 * share)})" for name, share in found.callers[:_MOST_NAMES])
    left = len(found.callers) - _MOST_NAMES
    return [f"called by {named}{f' and {left} more' if left > 0 else ''}"]


def _of_cores(
    findings: Findings, advised: Mapping[int, Sequence[Advice]], *, whole: bool, together: bool
) -> Iterator[Finding]:
    found, causes = findings.disparity, findings.explanation.of_regions
    computed = _shares_of_computing(findings)
    hidden = {core: share for core, share in computed.items() if share > findings.run.weighed_costs[core].share}
    cores = sorted(findings.cores_by_weight, key=lambda core: -hidden.get(core, 0.0))
    for core, *others in _by_region(findings, cores) if together else [[core] for core in cores]:
        cost = findings.run.weighed_costs[core]
        label = [LABELS[found.classes[core]]] if core in found.ccr else []
        parts = [f"{percent(100 * cost.share)} of the run"]
        if core in hidden:
            parts.append(f"{percent(100 * hidden[core])} of computing")
        parts += [*_weight(findings, core), *label]
        region, standing = findings.run.weighed.regions[core], findings.repetition.of_regions.get(core)
        where = where_is(findings.experiment, region)
        share = f"{', '.join(parts)}{_mostly(cost)}"
        worth = worth_of_weight(findings, core)
        saved = saves(findings, worth)
        lines = [f"HEAVY       {where}      {share}{saved}{in_runs(findings.repetition, standing)}"]
        if names := findings.explanation.unprobed.get(core):
            lines.append(_without_probes(names))
        lines += _throttled(findings, core)
        advice = advised.get(core, ())
        to_try = tries(advice, whole=whole)
        is_advised = bool(to_try) or is_of_a_library(
            findings.experiment, region.id
        )  # whose source is not the program's
        reasons = _reasons(findings, core, is_advised=is_advised)
        if reasons:
            lines.append(reasons[0])
        elif causes.also[core]:
            lines.append(f"nothing stands out; {because_of(cost, (), causes.also[core])}")
        elif "instructions" not in findings.run.lacking:
            lines.append(f"no counter explains its time{_cpi(findings, core)}")
        first = len(to_try) if whole else 1
        more = [*to_try[:first], *reasons[1:]]
        if cost.share >= _MOST_OF_RUN and not _mostly(cost) and (inside := _look_inside(findings, region)):
            lines += [*more[:1], *inside]
            more = more[1:]
        more += how_sure(standing)
        sight, gain = sight_of_region(findings, core), seconds_of(worth)
        if others:
            gains = [seconds_of(worth_of_weight(findings, each)) for each in (core, *others)]
            known = [each for each in gains if each is not None]
            gain = sum(known) if known else None
            lines.insert(1, _elsewhere(findings, [core, *others], gain))
        weight = sum(computed.get(each, findings.run.weighed_costs[each].share) for each in (core, *others))
        yield Finding(lines, more, sight, gain=gain, weight=weight, advice=advice, rest=to_try[first:])


def _reasons(findings: Findings, core: int, *, is_advised: bool) -> list[str]:
    """Say why a core weighs, each reason followed by what to try in general, unless the source tells that."""
    causes, cost = findings.explanation.of_regions, findings.run.weighed_costs[core]
    waiting, computing = [], []
    if core in causes.waiting:
        waiting = [_waiting(findings, core), *([] if is_advised else _to_wait_less(findings, core))]
    if causes.causes[core]:
        computing.append(because_of(cost, causes.causes[core], causes.also[core]))
        computing += [] if is_advised else _to_try(cost, causes.causes[core], causes.also[core])
    waits_first = findings.explanation.seconds.chained[core] > 0 or is_mostly(cost.mpi_time, cost)
    return [*waiting, *computing] if waits_first else [*computing, *waiting]


def _shares_of_computing(findings: Findings) -> dict[int, float]:
    """Give the share of all computing of each core where ranks take turns: the run is waiting for these, too."""
    if not findings.explanation.seconds.turns or not (whole := findings.procedures.computing) > 0:
        return {}
    costs = {core: findings.run.weighed_costs[core] for core in findings.cores_by_weight}
    return {core: (cost.compute_time or 0.0) / whole for core, cost in costs.items()}


def _by_region(findings: Findings, cores: Sequence[int]) -> list[list[int]]:
    """Put cores together that are one region on several call paths, and of which the same is said."""
    causes, chained = findings.explanation.of_regions, findings.explanation.seconds.chained
    found: dict[Hashable, list[int]] = {}
    for core in cores:
        region = findings.run.weighed.regions[core]
        why = tuple(each.attribute for each in causes.causes[core])
        waits = (core in causes.waiting, core in causes.small_calls, bool(chained[core] > 0))
        path = findings.experiment.call_paths[region.id]
        found.setdefault((path.region, region.own_code, why, waits), []).append(core)
    return list(found.values())


def _elsewhere(findings: Findings, cores: Sequence[int], gain: float | None) -> str:
    """Say on how many call paths a region is like that, and what they are together."""
    share = sum(findings.run.weighed_costs[core].share for core in cores)
    saved = "" if gain is None else f", saves at most {time_of(findings.experiment, gain)}"
    paths = f"{len(cores) - 1} more call path{'s' * (len(cores) > 2)}"
    return f"the same on {paths}: together {percent(100 * share)} of the run{saved}"


def _to_try(cost: Cost, causes: Sequence[Cause], also: Sequence[Cause]) -> list[str]:
    """Give advice for each cause against which there is any, for the most telling first."""
    advice = against_weight(cost)
    against = dict.fromkeys([most_telling(causes, also), *(each.attribute for each in [*causes, *also])])
    return [f"try: {advice[each]}" for each in against if each in advice]


def _to_wait_less(findings: Findings, core: int) -> list[str]:
    """Give advice on waiting, where there is any."""
    if core in findings.explanation.of_regions.small_calls:
        return [f"try: {FEWER_MESSAGES}"]
    found = findings.explanation.serialisation
    if found is None or not found.chained[core]:
        return []
    return [f"try: {AT_ONCE if found.passes_on[core] else EACH_TIME}"]


def _look_inside(findings: Findings, region: CodeRegion) -> list[str]:
    """Say how to look into a region where this build has no region in it."""
    imported = "imported:" in findings.experiment.metric("wall_time").source
    if region.own_code or imported or not can_be_opened(findings.experiment, region.id):
        return []
    return ["nothing inside this region is measured by itself: autoanalyzer debug --build COMMAND opens its loops"]


def _without_probes(names: Sequence[str]) -> str:
    what = "a function" if len(names) == 1 else f"{len(names)} functions"
    left = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"its own time contains {what} without probes: {', '.join(map(short, names[:_MOST_NAMES]))}{left}"


def _throttled(findings: Findings, core: int) -> list[str]:
    """Name the throttled region that most of a region's own time is, if one is."""
    for each in findings.explanation.throttled.get(core, ())[:1]:
        place = Place.of_path(findings.experiment.call_paths, each.path)
        where = f"{place.title}, {place.source}" if place.file else place.title
        part = f"{percent(100 * each.share)}" if each.share < 1 else "most"
        may_be = "is" if each.share < 1 else "may be"
        of_own = f"{part} of its own time, by the first entries"
        return [f"{of_own}, {may_be} {where}, which was throttled: run --max-overhead off measures it"]
    return []


def _cpi(findings: Findings, core: int) -> str:
    if findings.weights.cpi is None:
        return ""
    of_regions, of_program = findings.weights.cpi
    cpi = of_regions[core]
    if cpi is None:
        return ": next to no instructions"
    slow = ": divisions, dependent operations or branches may" if cpi > ABOVE * of_program else ""
    return f": {cpi:.2f} cycles per instruction, program {of_program:.2f}{slow}"


def _weight(findings: Findings, core: int) -> list[str]:
    """Write the number that a region is classed by, unless it is its share of the run."""
    if findings.weights.cycles is None or findings.weights.metric == "wall_time":
        return []
    metric, value = findings.weights.metric.upper(), findings.disparity.values[core]
    return [f"{metric} {value:.2f}" if value >= _SHOWN else f"{metric} < {_SHOWN}"]


def _waiting(findings: Findings, core: int) -> str:
    """Say that ranks wait in a region's MPI calls, and for whom; or that these are many and small."""
    found, explanation = findings.explanation.serialisation, findings.explanation
    told_otherwise = core in explanation.of_regions.small_calls or core in explanation.waiting.shares
    if found and found.chained[core]:
        return f"waiting: {_in_turn(findings, found, core)}"
    if (late := explanation.waiting.awaited.get(core)) and not told_otherwise:
        busy = Place.of_region(late).in_words
        return f"waiting: {_in_calls(findings, core)}: for ranks that are still busy in {busy}"
    return _estimated_waiting(findings, core)


def _in_turn(findings: Findings, found: Serialisation, core: int) -> str:
    """Say that ranks of a region work one after another, or are late in turn, and what the critical path has of it."""
    on_path, mean = (time_of(findings.experiment, float(each[core])) for each in (found.on_path, found.mean))
    waiting = found.because_of(core)
    at = f" in {Place.of_region(waiting).in_words}" if waiting else ""
    how = (
        f"ranks work one after another: each waits{at} for those before it"
        if found.passes_on[core]
        else f"another rank takes longest each time, and the others wait{at}"
    )
    return f"{how}; {on_path} of the critical path, {mean} on each rank"


def _in_calls(findings: Findings, core: int) -> str:
    """Give the time in a region's MPI calls, and what they move.

    The time is a mean over the ranks, as all times are; what they move is a sum, as all amounts are.
    """
    cost, number = findings.run.weighed_costs[core], len(findings.run.weighed.ranks)
    each, time, moved = cost.mpi_calls or 0.0, cost.mpi_time or 0.0, cost.mpi_bytes or 0.0
    calls = f"{count(each * number)} MPI calls" if each >= 2 else "MPI calls"
    return f"{time_of(findings.experiment, time)} in {calls} that move {volume(moved * number)}"


def _estimated_waiting(findings: Findings, core: int) -> str:
    """Say what waiting is for, where the critical path does not tell it."""
    cost, waiting, line = findings.run.weighed_costs[core], findings.explanation.waiting, _in_calls(findings, core)
    each, time, moved = cost.mpi_calls or 0.0, cost.mpi_time or 0.0, cost.mpi_bytes or 0.0
    if core in findings.explanation.of_regions.small_calls:
        small = float(findings.explanation.seconds.small_calls[core])
        part = "" if small >= _ALL * time else f"{time_of(findings.experiment, small)} of the "
        return f"small messages: {part}{line}, {volume(moved / each)} a call: send fewer, larger messages"
    if core in waiting.shares:
        return f"waiting: {line}: {_for_late_ranks(findings, waiting.shares[core], time)}"
    if each and time > CRITERIA.call * each:
        turn = ", or wait for a turn" if findings.explanation.seconds.turns else ""
        if findings.explanation.seconds.turns and core in waiting.hints:
            late = _for_late_ranks(findings, waiting.hints[core], time)
            return f"waiting: {line}: {late}; the rest may be for a turn"
        return f"waiting: {line}, {time_of(findings.experiment, time / each)} a call: ranks that arrive late{turn}"
    return f"waiting: {line}: latency, or ranks that arrive late"


def _for_late_ranks(findings: Findings, shares: Mapping[int, float], time: float) -> str:
    """Say whom ranks wait for longest, and where these are late; of how much of the time, unless of all."""
    late = max(shares, key=shares.__getitem__)
    place, waited = Place.of(findings.experiment, findings.performance.regions[late]), shares[late]
    part = "" if waited >= _ALL * time else f"{time_of(findings.experiment, waited)} of it "
    where = f"at {place.source} ({place.title})" if place.file else f"in {place.title}"
    late_ranks = slowest(findings, [late])
    return f"{part}for {ranks(late_ranks)}, which {'takes' if len(late_ranks) == 1 else 'take'} longest {where}"


def _mostly(cost: Cost) -> str:
    """Say of a region whether it is MPI, I/O or waiting rather than code of the program's own."""
    parts = (("in MPI", cost.mpi_time), ("in file I/O", cost.io_time), ("waiting for threads", cost.omp_time))
    for what, time in parts:
        if time is not None and cost.wall_time and is_mostly(time, cost):
            return f"; {percent(100 * time / cost.wall_time)} of its time {what}"
    return ""
