"""Write the lines above the findings: program, time, overhead, the base of all percentages, and the losses."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

from ...analyze import Findings
from ...analyze.run.criteria import CRITERIA
from ...analyze.run.foreign_metrics import replaced
from ...analyze.run.overhead import Overhead
from ...analyze.run.oversubscription import oversubscription
from ...analyze.run.threads import busy_threads
from ...analyze.verdict import Doubt, Lost, LostTo
from ..place import Place, clipped, short, source_among
from ..times import time_of
from ..title import title_of
from ..units import many, percent, ranges, ranks, seconds
from .alike import are_divided
from .parts import can_be_followed, follow, is_wall_known
from .waiting import how_long, who_waits

__all__ = [
    "balanced",
    "base",
    "base_name",
    "efficiency",
    "headline",
    "legend",
    "master",
    "processes",
    "too_short",
    "unknown",
]

_LOST_TO: Final = {  # the description of each loss, and the option that lists it by region
    LostTo.UNEQUAL: ("because some ranks are busier in total", "--losses"),
    LostTo.WAITING: ("because ranks are busy at different times", "--path"),
    LostTo.TRANSFER: ("in MPI", "--account"),
    LostTo.ASLEEP: ("neither busy nor in MPI", "--account"),
}
_BESIDE: Final = (LostTo.TRANSFER, LostTo.ASLEEP)  # losses that are not part of the base
_PATH_COST: Final = 0.05  # minimum overhead, in percent of the run, at which recording the critical path is mentioned
_MOST_PLACES: Final = 2  # maximum number of source locations named for a loss
_LONGEST: Final = 40  # maximum width in columns of a source location


def headline(findings: Findings, file: Path | None) -> list[str]:
    """Return the items of the first line: the program, its ranks, its time, and the overhead."""
    experiment = findings.experiment
    started = len({place.process for place in experiment.locations}.intersection(experiment.notes.started))
    more = f" and {started} more {'process' if started == 1 else 'processes'}" if started else ""
    number, expected = processes(findings)
    of_all = f" of {expected}" if number < expected else ""
    shared = oversubscription(experiment)
    threads = shared or (busy_threads(experiment) if findings.vectors.threads else 0)
    of_threads = f", {threads} threads in all" if threads > number else ""
    cores = f"{',' * bool(of_threads)} on {many(experiment.notes.processors or 0, 'core')}" if shared else ""
    what = "wall time" if base(findings) and is_wall_known(findings) else "run"
    return [
        title_of(experiment, file),
        f"{number}{of_all} {'rank' if number == 1 and not of_all else 'ranks'}{more}{of_threads}{cores}",
        f"{what} {time_of(experiment, findings.run.program_time)}",
        *_overhead(findings.run.overhead),
    ]


def base(findings: Findings) -> list[str]:
    """Return the line that explains the base of all percentages; empty if the base is the run's time."""
    found = findings.verdict.base
    time, run = (time_of(findings.experiment, each) for each in (found.seconds, findings.run.program_time))
    if time == run:
        return []
    if found.is_path:
        is_asleep = any(each.to is LostTo.ASLEEP for each in findings.verdict.lost)
        usual = "if each rank had a free core and messages took no time"
        how = "with free cores, no sleep, and messages that take no time" if is_asleep else usual
        return [f"critical path {time} (100 %): the wall time {how}"]
    what = "busiest rank" if processes(findings)[1] > 1 else "program"
    return [f"{what} {time} (100 %): its busy time"]


def base_name(findings: Findings) -> str:
    """Return the short name of the base of percentages: ``path``, ``busy time`` or ``run``."""
    if not base(findings):
        return "run"
    return "path" if findings.verdict.base.is_path else "busy time"


def legend(findings: Findings) -> list[str]:
    """Return explanations of the word "busy" and of question marks, if this verdict uses them."""
    is_wall = replaced(findings.experiment, "cpu_time") and is_wall_known(findings)
    busy = "busy time = wall time outside MPI" if is_wall else "busy time = computing + file I/O"
    is_doubtful = any(each.is_doubtful for each in findings.verdict.findings)
    return [busy] * bool(base(findings)) + ["? = uncertain"] * is_doubtful


def unknown(findings: Findings) -> list[str]:
    """Return a warning if time in MPI is unknown, as in some tools' files; empty if a finding already contains it."""
    is_shown = any(each.doubt is Doubt.NO_MPI for each in findings.verdict.findings)
    return ["time in MPI is unknown: any time may include waiting"] if findings.is_mpi_unknown and not is_shown else []


def _overhead(cost: Overhead) -> list[str]:
    """Return a phrase with the overhead of probes in % of busy time, and of the critical path in % of the run."""
    if cost.of_computing is not None:
        has_path = (cost.of_path or 0.0) >= _PATH_COST
        path = f", path {percent(cost.of_path or 0.0)}" if has_path else ""
        sampled = "" if cost.sampled is None else f" (by samples {percent(cost.sampled)})"
        return [f"measuring overhead {percent(cost.of_computing)}{sampled}{path}"]
    return [] if cost.percent is None else [f"measuring overhead {percent(cost.percent)}"]


def efficiency(findings: Findings, *, brief: bool = False, shown: Collection[int] | None = None) -> list[str]:
    """Return the line with the efficiency and the losses, each with its findings; empty without a critical path.

    Args:
        findings: The findings.
        brief: Whether to leave out the word ``parallel``, the longest wait, the next command, the time with MPI, and
            all but one source location of hidden findings.
        shown: The numbers of the findings that are shown, to which the line may refer; None for all findings. Unless
            it is None, the command to run next is included only if there is no finding.
    """
    found = findings.efficiency
    if found is None or findings.verdict.too_short:
        return []
    lost = findings.verdict.lost
    parts = {each.to: f"{_amount(findings, each)} {_where(findings, each, shown, brief=brief)}" for each in lost}
    shares = [part for to, part in parts.items() if to not in _BESIDE]
    path, with_mpi = (
        time_of(findings.experiment, each) for each in (findings.verdict.base.seconds, findings.verdict.with_mpi)
    )
    summed = "" if brief else f"path + MPI {with_mpi}: {path} + "
    options = dict.fromkeys(_LOST_TO[each.to][1] for each in lost if not each.findings)
    is_next = shown is None or not findings.verdict.findings
    said = [
        f"{'' if brief else 'parallel '}efficiency {percent(100 * found.serialisation * found.load_balance)}",
        "lost: " * bool(shares) + ", ".join(shares),
        "" if brief else _longest_wait(findings),
        *(f"{start}{parts[to]}" for to, start in ((LostTo.TRANSFER, summed), (LostTo.ASLEEP, "")) if to in parts),
        f"next: autoanalyzer analyze {' '.join(options)}" if options and not brief and is_next else "",
    ]
    return ["; ".join(filter(None, said))]


def _amount(findings: Findings, lost: Lost) -> str:
    """Return a loss as text: in percent of the base, or as a time if it is not part of the base."""
    return time_of(findings.experiment, lost.seconds) if lost.to in _BESIDE else percent(100 * lost.share)


def _where(findings: Findings, lost: Lost, shown: Collection[int] | None, *, brief: bool) -> str:
    """Return why and where time is lost: ``because ranks are busy at different times (mostly in finding 1)``.

    If none of the loss's findings is shown, the text contains their source locations instead of their numbers: at most
    two, or one if ``brief``.
    """
    what = _LOST_TO[lost.to][0]
    if not lost.findings:
        return what
    numbers = sorted(each for each in lost.findings if shown is None or each in shown)
    hidden = [_place(findings, each) for each in lost.findings if each not in numbers]
    most = 0 if numbers else 1 if brief else _MOST_PLACES
    more = f" and {len(hidden) - most} more" if len(hidden) > most else ""
    named = f"finding{'' if len(numbers) == 1 else 's'} {ranges(numbers)}{more}"
    part = "all" if lost.is_all else "mostly" if lost.is_explained else "partly"
    return f"{what} ({part} in {named if numbers else ', '.join(hidden[:most]) + more + ', not shown'})"


def _place(findings: Findings, number: int) -> str:
    """Return the source location of the finding with a number, counted from 1: ``work.c:122``."""
    region = findings.verdict.findings[number - 1].region
    if region is None:
        return "all regions"
    return clipped(source_among(findings.experiment, Place.of(findings.experiment, region)), _LONGEST)


def _longest_wait(findings: Findings) -> str:
    wait, paths = findings.verdict.longest_wait, findings.experiment.call_paths
    known = (findings.verdict.findings[each - 1].region for lost in findings.verdict.lost for each in lost.findings)
    if wait is None or any(each and paths[each.id].region == wait.late for each in known):
        return ""
    late = (
        f", while others are in {Place.of_region(wait.late).in_words}" if wait.late not in (None, wait.region) else ""
    )
    return f"{who_waits(wait)} most in {Place.of_region(wait.region).in_words}{late}: {how_long(findings, wait)}"


def balanced(findings: Findings) -> list[str]:
    """Return the line for balanced ranks or for a verdict without findings; empty if neither applies."""
    verdict = findings.verdict
    if verdict.too_short or not verdict.balanced or are_divided(findings):
        return []
    present, expected = processes(findings)
    if efficiency(findings) or (len(findings.vectors.labels) < 2 and expected < 2):
        return [] if verdict.findings else ["no region stands out"]
    excluded = {place.process for place in findings.experiment.locations}.difference(findings.vectors.ranks)
    without = f" without {ranks(sorted(excluded))}" if excluded else ""
    programs = findings.dissimilarity.programs
    of_each = f" of each of the {programs} programs" if programs > 1 else ""
    as_far = f" as far as the data of {present} of {expected} ranks show" if present < expected else ""
    who = "threads" if findings.vectors.threads else "ranks"
    line = f"balanced{as_far}: {who}{of_each}{without} do not differ enough to matter in any region"
    if any(len(each.groups) > 1 for each in verdict.findings):
        line = f"no clear difference in work between {who}{of_each}{without}"
    line += _left_out(findings)
    line += "" if verdict.findings else "; no region stands out"
    if verdict.not_followed and can_be_followed(findings):
        line += f"; {percent(100 * verdict.not_followed)} of the run is in MPI; next: {follow(findings)}"
    return [line]


def _left_out(findings: Findings) -> str:
    """Return the regions that were left out of the comparison as text, `` (energy on rank 0 left out)``, or empty."""
    experiment, parts = findings.experiment, list[str]()
    for paths, columns in findings.vectors.selection.left_out:
        some = sorted({experiment.locations[each].process for each in columns})
        of_some = f" on {ranks(some)}" if len(columns) < len(experiment.locations) else ""
        parts.append(f"{short(experiment.call_paths[paths[0]].region.name)}{of_some}")
    return f" ({', '.join(parts)} left out)" if parts else ""


def master(findings: Findings) -> list[str]:
    """Return the line that names the master; empty if there is no master."""
    rank = findings.verdict.master
    if rank is None:
        return []
    return [
        f"rank {rank} computes next to nothing: a master, left out of comparisons (include it: --include-rank {rank})"
    ]


def processes(findings: Findings) -> tuple[int, int]:
    """Return the number of ranks that wrote data, and the number of all ranks."""
    experiment = findings.experiment
    present = len({place.process for place in experiment.locations}.difference(experiment.notes.started))
    return present, present + len(experiment.notes.missing)


def too_short() -> str:
    """Return the line for a run that is too short to judge."""
    return f"too short to judge: expected a run of at least {seconds(CRITERIA.resolution)}; use a larger input"
