"""Describe a finding as text, in pieces that each view arranges in its own way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from ...analyze import Findings
from ...analyze.dissimilarity.off_processor import METRIC as OFF_PROCESSOR
from ...analyze.run.costs import is_mostly
from ...analyze.run.criteria import THRESHOLD
from ...analyze.verdict import Finding, Gain, Group, Kind, Why
from ...analyze.verdict.share import places_of
from ..advice import reason_of, remedy_of, tries
from ..callers import called
from ..place import Place, source_among
from ..repeatability import how_sure, in_runs
from ..times import saving, time_of
from ..units import percent, ranks, spread
from .alike import are_alike, slowest
from .headline import base_name
from .highlight import Highlight, highlight_of
from .inside import inside_line
from .pairs import OF_ADVICE, paired
from .parts import TO_COUNT, UNCOUNTED, has_no_probes, is_in_mpi, is_wall_known
from .reasons import general_advice, more_about, parts_of_saving, reasons
from .savings import amount_of, busy_in, is_of_one_path, is_per_rank, saved_by, saves_nothing, use
from .threads import OF_THREADS, mean_of_threads, time_of_threads

if TYPE_CHECKING:
    from ...advise import Advice, Advised

__all__ = ["LABELS", "Entry", "entries", "groups_of"]

LABELS: Final = {kind: kind.upper().replace("_", " ").replace("FILE IO", "FILE I/O") for kind in Kind}
_MOST_GROUPS: Final = 4
_OF_RANKS: Final = (Kind.IMBALANCE, Kind.ONE_AFTER_ANOTHER, Kind.SLOW_CORE)
_NO_FIX: Final = "no cheap fix is known"
_NOTHING: Final = 5e-10  # smaller values of a group are rounding errors of a subtraction


@dataclass(frozen=True)
class Entry:
    """The text of a finding, or of a change between two experiments.

    Attributes:
        kind: Kind of the finding, such as ``IMBALANCE``; with a question mark if the finding is uncertain.
        place: Source location of the region, such as ``rays.c:41``; empty if it is unknown.
        title: Title of the region, such as ``loop in trace``.
        called: Who calls the region: ``called at rays.c:60``, ``called from rays.c:50``, ``called by work``, or empty.
        saving: The estimated saving, or the time of the region if the saving is unknown.
        lines: The main lines: the ranks, the main reason, and advice.
        more: Further lines, to be shown if there is room: other reasons, each with advice.
        highlight: What to highlight in the experiment for the finding or change.
        advice: Advice from the source, the most certain first.
    """

    kind: str
    place: str
    title: str
    called: str = ""
    saving: str = ""
    lines: Sequence[str] = ()
    more: Sequence[str] = ()
    highlight: Highlight = field(default_factory=lambda: Highlight(None))
    advice: Sequence[Advice] = ()

    @property
    def what(self) -> str:
        """The title and the caller: ``loop in trace, called by work``."""
        return f"{self.title}, {self.called}" if self.called else self.title

    @property
    def where(self) -> str:
        """The source location, the title and the caller: ``rays.c:41  loop in trace, called by work``."""
        return f"{self.place}  {self.what}" if self.place else self.what


def entries(
    findings: Findings, advised: Advised | None = None, *, whole: bool = False, highlights: bool = False
) -> list[Entry]:
    """Return the findings of the verdict as text, in the same order.

    Args:
        findings: The findings.
        advised: Advice from the sources; None if they were not read.
        whole: Whether to print long advice in full instead of shortening it.
        highlights: Whether to fill in ``highlight``, which requires a pass over all locations.
    """
    said = set[str]()
    return [
        _entry(findings, each, advised, said, whole=whole, highlights=highlights) for each in findings.verdict.findings
    ]


def _entry(
    findings: Findings, finding: Finding, advised: Advised | None, said: set[str], *, whole: bool, highlights: bool
) -> Entry:
    advice = advised.on(finding) if advised else ()
    found = zip(tries(advice, whole=whole), advice, strict=True)
    from_source = [(line * (line not in said), OF_ADVICE.get(each.kind, tuple(Kind))) for line, each in found]
    place = Place.of(findings.experiment, finding.region) if finding.region else None
    every = reasons(findings, finding)
    why = [each for each in every if each[0] not in said]
    is_whole = why == every and all(line for line, _ in from_source)  # no line was left out as a repetition
    fix = [_NO_FIX] if is_whole and "instructions" not in findings.lacking else []
    is_known = bool(advice) and advice[0].kind != "division of work" and not finding.is_doubtful
    is_unknown = bool(why) and why[0][0].endswith(UNCOUNTED)
    if is_unknown and is_known:  # advice from the source replaces the unknown reason
        is_unknown, why = False, why[1:]
    is_explained = is_known or (not is_unknown and bool(why) and not why[0][0].startswith("why: unknown"))
    said.update(line for line, _ in (*from_source, *why) if line.startswith("try") or line.endswith(UNCOUNTED))
    confirm = list[str]()
    if is_unknown and from_source and from_source[0][0] and why[0][1] in from_source[0][1]:  # advice suggests a reason
        confirm, why = [f"to confirm{TO_COUNT}"] * why[0][0].endswith(TO_COUNT), why[1:]
    if _is_explained_by(finding, why, [line for line, _ in from_source], advice):
        why = [each for each in why if each[1] is not Kind.IMBALANCE or not each[0].startswith("why: unknown")]
        why = [(f"why: {reason_of(advice[0], whole=whole)}", Kind.IMBALANCE), *why]
        from_source[0] = remedy_of(advice[0], whole=whole), from_source[0][1]
        is_explained = True
    is_uneven = finding.kind is Kind.IMBALANCE and bool(finding.groups)
    most = 2 if finding.is_doubtful else 1  # the second line explains why the finding is uncertain
    saved, general = parts_of_saving(findings, finding), general_advice(findings, finding)
    lines, more = paired(why, from_source, general, uneven=is_uneven, most=most, saved=saved)
    inside = "" if is_in_mpi(finding) else inside_line(findings, finding)
    best = [inside] if inside and not is_explained else []  # the best available reason
    more += [*[inside] * bool(inside and not best), *more_about(findings, finding, inside)]
    more += _certain(findings, finding)
    lines = [_who(findings, finding), *best, *_with_first_step(finding, lines, more, fix), *confirm]
    return Entry(
        "NO DETAIL" if has_no_probes(findings, finding) else LABELS[finding.kind] + "?" * finding.is_doubtful,
        source_among(findings.experiment, place) if place and place.file else "",
        place.title if place else _spread(findings),
        called(findings.experiment.call_paths, [finding.region.id, *finding.others], own_code=finding.region.own_code)
        if finding.region
        else "",
        _saving(findings, finding),
        lines,
        more,
        highlight_of(findings, finding) if highlights else Highlight(None),
        advice,
    )


def _is_explained_by(
    finding: Finding, why: Sequence[tuple[str, Kind]], lines: Sequence[str], advice: Sequence[Advice]
) -> bool:
    """Return whether the first piece of advice explains why ranks differ, and measurements do not.

    Args:
        finding: The finding.
        why: Its reasons, each with its kind of fault.
        lines: The line for each piece of advice; empty if another finding already has it.
        advice: The advice, the most certain one first.
    """
    if finding.kind is not Kind.IMBALANCE or not lines or not lines[0]:
        return False
    uneven = [line for line, kind in why if kind is Kind.IMBALANCE and line.startswith("why")]
    is_measured = any(not line.startswith("why: unknown") for line in uneven)
    return bool(advice[0].reason) and advice[0].confidence != "low" and not is_measured


def _with_first_step(finding: Finding, lines: list[str], more: list[str], fix: list[str]) -> list[str]:
    """Return a finding's main lines; for a hot spot, add the next command, or ``fix`` if there is no command or advice.

    Args:
        finding: The finding.
        lines: The finding's main lines.
        more: The finding's further lines; the command is removed from them if it becomes a main line.
        fix: The line for a finding with neither command nor advice; may be empty.
    """
    if finding.kind is not Kind.HOT_SPOT or any(line.startswith("try at") or "autoanalyzer" in line for line in lines):
        return lines
    if step := next((line for line in more if line.startswith("next: ")), None):
        more.remove(step)
        return [*lines[:1], step.replace("next", "first", 1), *lines[1:]]
    return lines if any(line.startswith("try") for line in lines) else [*lines, *fix]


def _spread(findings: Findings) -> str:
    return "threads that do different jobs" if findings.dissimilarity.jobs else "spread over all regions"


def _saving(findings: Findings, finding: Finding) -> str:
    experiment, verdict = findings.experiment, findings.verdict
    if finding.gain:
        return saving(experiment, finding.gain.seconds, *_whole(findings, finding.gain))
    if finding.kind in OF_THREADS and (waits := next((each.seconds for each in finding.causes if each.seconds), 0.0)):
        return f"saving unknown; threads wait for {percent(100 * waits / findings.run.program_time)} of run"
    if finding.bound is not None and not finding.of_run:
        if not finding.bound:
            return f"saves nothing: not {'on the critical path' if verdict.base.is_path else 'in the busiest rank'}"
        takes = "saving unknown; takes"
        return saving(experiment, finding.bound, verdict.base.seconds, base_name(findings), verb=takes)
    return f"saving unknown; takes {percent(100 * finding.share)} of run" if finding.region else ""


def _whole(findings: Findings, gain: Gain) -> tuple[float, str]:
    """Return the time that is 100 % for a saving, in seconds, and its name: the base, the path with MPI, or the run."""
    base, with_mpi, run = findings.verdict.base.seconds, findings.verdict.with_mpi, findings.run.program_time
    if gain.seconds <= base and not (gain.is_beside and base < run):
        return base, base_name(findings)
    if gain.is_in_mpi and base < with_mpi < (1 - THRESHOLD) * run:  # the run also waited for cores
        return with_mpi, "path + MPI"
    return run, "run"


def _who(findings: Findings, finding: Finding) -> str:
    """Return the line about the ranks: the time of each group or of all ranks, and how the saving follows from it."""
    who = groups_of(findings, finding) if finding.groups else ""
    who = who or time_of_threads(findings, finding) or groups_of(findings, finding)
    if len(finding.groups) > 1 and findings.vectors.threads:
        who = re.sub("(threads?) ", r"\1 (rank.thread) ", who, count=1)
    saved, is_path = saved_by(findings, finding), len(finding.groups) > 1 or finding.weight is not None
    is_one = is_of_one_path(finding)
    is_part = is_path and bool(finding.others) and not is_one  # the time is for one call path, the saving for all
    said = [f"{who}{'' if is_part else saved}".removeprefix("; ")]
    if finding.weight is not None and finding.kind not in (*_OF_RANKS, Kind.FILE_IO, Kind.MESSAGES, Kind.TRANSFER):
        said += _mostly(findings, finding.weight)
    if finding.others:
        what = "saving" if finding.gain else "share" if finding.of_run else "time"
        of_all = f"the {what} is for {'this one' if is_one else 'all of them'}"
        saved = f"for all: {saved.removeprefix('; ')}" if saved and is_part else of_all
        said.append(f"one of {len(finding.others) + 1} call paths; {saved}")
    is_less = finding.gain is not None and finding.gain.is_less
    if is_less or saves_nothing(findings, finding):
        who = "threads" if findings.vectors.threads else "ranks"
        saves = "less" if is_less else "nothing yet"
        said.append(f"{who} that take less time here are busy elsewhere, so balancing saves {saves}")
    return "; ".join(filter(None, said)) + in_runs(findings.repetition, finding.repeatability)


def groups_of(findings: Findings, finding: Finding) -> str:
    """Return a phrase with the time of each group of ranks in a finding's region, or the mean time of all ranks."""
    groups = sorted(finding.groups, key=lambda group: -group.value)
    if len(groups) > 1:
        has_more = len(groups) > _MOST_GROUPS
        named = groups[:: len(groups) - 1] if has_more else groups
        said = "; ".join(f"{ranks(each.labels)}: {_of_group(findings, each)}" for each in named)
        said += "; others in between" * has_more
        return f"off the core: {said}" if findings.vectors.metric == OFF_PROCESSOR else said
    if finding.is_of_teams and (mean := mean_of_threads(findings, finding)):
        return mean
    gain = None if finding.others else finding.gain  # the time is for one call path, the saving for several
    means = [each.after for each in gain.parts if each.why is Why.AT_ONCE] if gain else []
    of_threads, busy = bool(findings.vectors.threads), busy_in(findings)
    of_procedure = finding.procedure if finding.weight is None else None
    is_wall = of_procedure is not None and (of_procedure.compute_share is None or finding.kind is not Kind.HOT_SPOT)
    if finding.weight is not None:
        position = finding.weight
        time = _time_in_mpi(findings, position) if is_in_mpi(finding) else float(busy[position])
        if finding.gain and is_per_rank(finding):
            time = finding.gain.seconds
        time = means[0] if means else time  # the saving was computed from this mean
    elif of_procedure:
        position = of_procedure.region
        time = of_procedure.wall_time if is_wall else float(busy[places_of(findings, finding)].sum())
    else:
        return "".join(f"on average: {time_of(findings.experiment, each)} per rank" for each in means)
    number, is_of_wall = len(findings.run.weighed.ranks), is_in_mpi(finding) or is_wall
    teams = findings.explanation.teams
    changes = teams is not None and teams.beyond[position] > THRESHOLD * teams.on_path[position]
    which = "slowest thread of each execution" if changes else "busiest thread"
    busiest = f" in the {which}" if of_threads and not is_of_wall else ""
    if number == 1:
        return f"{time_of(findings.experiment, time)}{busiest or ' in all'}"
    if findings.verdict.master is not None and not is_in_mpi(finding):
        time = means[0] if means else time * number / (number - 1)  # the master takes next to no time
        who = "on average without the master"
    elif are_alike(findings, finding, position, of_wall=is_of_wall):
        who = f"all ranks alike{' in total' if means or findings.in_turn[position] else ''}"
    else:
        who = f"{_longest(findings, finding, position) * (not (is_of_wall or means))}on average"
    if finding.gain and is_per_rank(finding):
        spent = use(findings, finding, finding.gain.parts[0].why)
        return f"{who}: {time_of(findings.experiment, time)} per rank {spent}"
    before, after = _basis(findings, is_wall=is_wall) if is_of_wall else ("", busiest)
    return f"{who}: {time_of(findings.experiment, time)}{before} per rank{after}"


def _longest(findings: Findings, finding: Finding, position: int) -> str:
    """Return a phrase with the rank that takes longest: ``most on rank 2: 424 ms; ``; empty if it is unknown."""
    most = slowest(findings, finding, position)
    return f"most on {ranks([most[0]])}: {time_of(findings.experiment, most[1])}; " if most else ""


def _time_in_mpi(findings: Findings, position: int) -> float:
    """Return the seconds per rank in a region in which ranks wait in MPI: wall time without waiting for cores."""
    wall, seconds = findings.run.weighed_costs[position].wall_time, findings.explanation.seconds
    return float(seconds.time[position]) if seconds.turns or wall is None else wall


def _basis(findings: Findings, *, is_wall: bool) -> tuple[str, str]:
    """Return how a time that includes MPI was measured, as two texts: one before ``per rank`` and one after it."""
    if findings.explanation.seconds.turns and not is_wall:
        return "", " without waiting for cores"
    if is_wall_known(findings):
        return " of wall time", ""
    return " of CPU time" if findings.experiment.metric("wall_time").unit == "sec" else "", ""


def _of_group(findings: Findings, group: Group) -> str:
    """Return the values of a group's ranks as text: ``672-718 ms``, or ``537 ms each`` if all look the same."""
    least, most = amount_of(findings, group.least), amount_of(findings, group.most)
    if group.most < _NOTHING or most == amount_of(findings, 0.0):
        return "nearly nothing"
    if least == most:
        return f"{most} each" if len(group.labels) > 1 else most
    return spread(group.least, group.most, partial(amount_of, findings))


def _mostly(findings: Findings, culprit: int) -> list[str]:
    """Return ``81 % of its time in MPI`` if MPI, file I/O or waiting for threads takes most of a region's time."""
    cost = findings.run.weighed_costs[culprit]
    parts = (("in MPI", cost.mpi_time), ("in file I/O", cost.io_time), ("waiting for threads", cost.omp_time))
    for what, time in parts:
        if time is not None and cost.wall_time and is_mostly(time, cost.wall_time):
            return [f"{percent(100 * time / cost.wall_time)} of its time {what}"]
    return []


def _certain(findings: Findings, finding: Finding) -> list[str]:
    who = "threads" if findings.vectors.threads else "ranks"
    return how_sure(finding.repeatability, slow=who if finding.is_of_ranks else "")
