"""Explain why ranks differ in a region, how certain the difference is, and what to try."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ...analyze import Findings
from ...analyze.dissimilarity.off_processor import METRIC as OFF_PROCESSOR
from ...analyze.dissimilarity.work import Difference
from ...analyze.verdict import Cause, Doubt, Finding, Kind
from ..causes import ALONE, MAYBE_SPEED, NAMES, ONLY_HERE, SAME_WORK, against_difference, because
from ..units import ranks
from .parts import ALL, NEW_PAGES, can_be_rerun, has_page_faults, not_counted, of_whole

__all__ = ["advice_on_difference", "same_work", "why_uncertain", "why_uneven"]

_WHAT_IT_MAY_BE: Final = {
    Doubt.MEASURING: "uncertain: measuring may have caused this difference; leave small regions out and run again",
    Doubt.NO_MPI: "uncertain: time in MPI is unknown, so the slowest {who}s may be waiting here",
    Doubt.CORES: "uncertain: a rank may also be late because it waited for a core: repeat the run on free cores",
    Doubt.UNFINISHED: "uncertain: ranks that did not finish did less work",
    Doubt.COUNTS_ALONE: "uncertain: the {who}s that executed the most instructions hardly took longer",
}


def why_uneven(findings: Findings, finding: Finding) -> Iterator[str]:
    """Yield lines that explain why ranks differ: by attributes that differ like the times, or by unequal speed."""
    same, culprit = findings.same_work, finding.difference
    if culprit in same.culprits or (culprit is None and same.everywhere):
        yield ONLY_HERE if culprit in same.only_here else same_work(findings)
        return
    if finding.kind is Kind.SLOW_CORE:  # the line about uncertainty already names the cores
        return
    if findings.vectors.metric == OFF_PROCESSOR:  # instruction counts do not explain time off the core
        yield from [*_because(findings, finding)] or ["asleep, or waiting for a child process or a slow device"]
        return
    alone = _alone(finding)
    if alone:
        yield f"only {ranks(alone)} {'executes' if len(alone) == 1 else 'execute'} this region"
    if said := [*_because(findings, finding)]:
        yield from said
    elif alone:
        return
    elif "instructions" in findings.lacking:
        yield from not_counted(findings)
    elif not findings.experiment.notes.counts_by_rank:
        yield "unknown: work moved between ranks in the counting run, so the counts cannot be compared"
    elif finding.doubt is not Doubt.COUNTS_ALONE:
        is_next = f"; {NEW_PAGES}" if can_be_rerun(findings) else ""
        what = "neither counts nor page faults match" if has_page_faults(findings) else "no count matches"
        yield f"unknown: {what} the differences in time{'' if has_page_faults(findings) else is_next}"


def same_work(findings: Findings) -> str:
    """Return a line for ranks or threads that took longer for the same work, with advice."""
    return SAME_WORK.format(who=_noun(findings))


def _noun(findings: Findings) -> str:
    return "thread" if findings.vectors.threads else "rank"


def why_uncertain(findings: Findings, doubt: Doubt, *, counts: bool) -> str:
    """Return a line that explains why a finding is uncertain, and what to do about it.

    Args:
        findings: All findings.
        doubt: The reason for uncertainty.
        counts: Whether another line already suggests counting instructions.
    """
    if doubt is Doubt.SPEED:
        can_count = "instructions" in findings.lacking and can_be_rerun(findings)
        how = "; counts will show which" if counts else "; to find out which: --counters simulated" * can_count
        return f"uncertain: {MAYBE_SPEED.format(who=_noun(findings))}{how}"
    if doubt is Doubt.CHANCE:
        is_known = findings.repetition.runs > 1 or not can_be_rerun(findings)
        repeat = ": repeat the run (--repeat 5) before you act on it"
        advice = "; counts will show the cause" if counts else repeat * (not is_known)
        return f"uncertain: a noisy machine can cause a difference of this size, too{advice}"
    return _WHAT_IT_MAY_BE[doubt].format(who=_noun(findings))


def advice_on_difference(findings: Findings, finding: Finding) -> dict[str, Kind]:
    """Map general advice for each attribute that differs to its kind of fault, the main cause first.

    The result is empty for a slow core.
    """
    if not finding.groups or finding.kind is Kind.SLOW_CORE:
        return {}
    to_try, most = against_difference(findings.vectors, finding.difference), _main_cause(findings, finding)
    names = [*([most.attribute] if most else []), *(each.attribute for each in _differing(findings, finding))]
    share = [ALONE] if _alone(finding) else []
    return dict.fromkeys([*share, *(to_try[each] for each in names)], Kind.IMBALANCE)


def _alone(finding: Finding) -> tuple[int, ...]:
    """Return the only ranks that enter a finding's region; empty if all do, or if the finding has other call paths."""
    return () if finding.others else finding.alone


def _main_cause(findings: Findings, finding: Finding) -> Cause | None:
    """Return the main cause of the slowest ranks' extra time; None if its time in seconds is unknown."""
    most = findings.main_cause(finding.difference)
    return most if most and most.seconds is not None and most.attribute in NAMES else None


def _explained(findings: Findings, finding: Finding, cause: Cause) -> str:
    """Return how much of the slowest ranks' extra time a cause explains: ``1.2 s of the 1.9 s difference``.

    If there are more than two groups, the extra time is relative to the average of all other groups.
    """
    spent, whole = of_whole(findings, cause)
    if (cause.share or 0.0) >= ALL:
        return "the difference"
    if len(finding.groups) < 3:
        return f"{spent} of the {whole} difference"
    takes = "takes" if len(finding.slowest) == 1 else "take"
    return f"{spent} of the {whole} that {ranks(finding.slowest)} {takes} longer than the others on average"


def _because(findings: Findings, finding: Finding) -> Iterator[str]:
    """Yield a phrase for each attribute that differs between ranks; the first contains the time that it explains."""
    most = _main_cause(findings, finding)
    if found := [each for each in _differing(findings, finding) if len(each.values) > 1]:
        who = _compared(findings)
        is_main = most is not None and most.attribute == found[0].attribute
        yield because(found[0], who) + (f"; explains {_explained(findings, finding, most)}" if most and is_main else "")
        yield from (because(each, who) for each in found[1:2])
    elif most:
        yield f"{_explained(findings, finding, most)} comes from {NAMES[most.attribute]}"


def _differing(findings: Findings, finding: Finding) -> list[Difference]:
    """Return the attributes that differ between ranks in the same way as the times, the best explanation first.

    The value of a master rank is left out, because a master belongs to no group.
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
    """Return the ranks of each group as text; a master rank is left out."""
    labels = findings.vectors.labels
    clusters = [each for each in findings.dissimilarity.clusters if each != (findings.master,)]
    return [ranks([labels[column] for column in each]) for each in clusters]
