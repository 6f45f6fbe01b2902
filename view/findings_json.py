"""Convert findings to a JSON document (schema ``autoanalyzer.findings/2``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..analyze import Findings
from ..analyze.disparity.causes import RootCause
from ..analyze.disparity.classes import LABELS
from ..analyze.disparity.procedures import HeavyProcedure
from ..analyze.dissimilarity.work import Difference
from ..analyze.evidence.decision_table import DecisionTable
from ..analyze.run.code_regions import call_line_of, caller_of, outermost
from ..analyze.run.criteria import THRESHOLD
from ..analyze.verdict import Finding, Gain
from ..analyze.verdict.confidence import confidence_in_difference, confidence_in_weight, is_slight_speed
from ..analyze.verdict.gain import gain_of_balance, gain_of_weight
from ..analyze.verdict.queueing import threads_that_wait
from ..analyze.verdict.repeatability import Repeatability
from ..experiment import Experiment, Region
from ..experiment.thread_wait import ThreadWait, added
from .causes import against_difference, against_weight
from .critical_path import path_document
from .place import Place
from .sections import ACCOUNT, HOT_PROCEDURES, SECTIONS, Section
from .verdict import verdict_lines
from .verdict.inside import inside_document

if TYPE_CHECKING:  # the module for advice is imported on demand
    from ..advise import Advice, Advised

__all__ = ["SCHEMA", "findings_document"]

SCHEMA: Final = "autoanalyzer.findings/2"


def findings_document(
    findings: Findings,
    file: Path,
    *,
    with_account: bool = False,
    advised: Advised | None = None,
    not_counted: str = "",
) -> dict[str, Any]:
    """Return findings as JSON data.

    Args:
        findings: The findings.
        file: The experiment's file.
        with_account: Whether to include the account, which requires another pass over all ranks.
        advised: The advice; None if it was not requested.
        not_counted: Why requested counts are missing; empty if they are not missing.
    """
    experiment = findings.experiment
    notes = experiment.notes
    return {
        "schema": SCHEMA,
        "method": findings.method,
        "runs": findings.repetition.runs,
        "experiment": {
            "file": str(file),
            "program": notes.program,
            "processes": len({place.process for place in experiment.locations}),
            "locations": len(experiment.locations),
            "call_paths": len(experiment.call_paths),
            "wall_time": findings.run.program_time,
            "time_unit": experiment.metric("wall_time").unit,
            "outside": findings.run.outside,
            "sources": {metric.name: metric.source for metric in experiment.metrics},
        },
        "completeness": {
            "expected_processes": notes.expected_processes,
            "started": list(notes.started),
            "missing": list(notes.missing),
            "unfinished": list(notes.unfinished),
            "not_instrumented": list(notes.not_instrumented),
            "repairs": notes.repairs,
            "remarks": list(notes.remarks),
        },
        "overhead": asdict(findings.run.overhead),
        **path_document(findings),
        "dissimilarity": _dissimilarity(findings, advised),
        "disparity": _disparity(findings, advised),
        "no_advice": list(advised.remarks if advised else ()),
        "costs": [{**_place(findings, index), **asdict(cost)} for index, cost in enumerate(findings.run.costs)],
        **{
            section.name: section.document(findings)
            for section in SECTIONS
            if isinstance(section, Section) or (with_account and section is ACCOUNT)
        },
        "thread_waits": [_thread_wait(each) for each in notes.thread_waits],
        HOT_PROCEDURES.name: HOT_PROCEDURES.document(findings),
        "master": findings.verdict.master,
        "base": asdict(findings.verdict.base),
        "lost": [asdict(each) for each in findings.verdict.lost],
        "findings": [_finding(findings, each, advised) for each in findings.verdict.findings],
        "verdict": verdict_lines(findings, file, not_counted, advised=advised),
    }


def _rough_set(findings: Findings, table: DecisionTable, root_causes: Iterable[str]) -> dict[str, Any]:
    """Return a decision table, its reducts and the root causes as JSON data."""
    return {
        "reducts": [list(each) for each in table.reducts],
        "root_causes": list(root_causes),
        "decision_table": {
            "attributes": list(table.attributes),
            "lacking": list(findings.lacking),
            "rows": [{"id": row.id, "values": list(row.values), "decision": row.decision} for row in table.rows],
            "inconsistent": [list(each) for each in table.inconsistent],
        },
    }


def _place(findings: Findings, region: int) -> dict[str, Any]:
    return asdict(Place.of(findings.experiment, findings.vectors.regions[region]))


def _dissimilarity(findings: Findings, advised: Advised | None) -> dict[str, Any]:
    found, causes, vectors = findings.dissimilarity, findings.dissimilarity_causes, findings.vectors
    labels, same = vectors.labels, findings.same_work

    def entry(index: int) -> dict[str, Any]:
        differences = causes.of_culprit.get(index, ())
        is_culprit = index in found.culprits
        return {
            **_place(findings, index),
            "root_causes": [each.attribute for each in differences],
            "evidence": _evidence(differences, against_difference(vectors, index)),
            "advice": _advice(advised.of_ranks if advised else {}, index),
            "same_work": index in same.culprits,
            "may_be_speed": is_culprit and is_slight_speed(findings, [index]),
            "may_be_measuring": findings.differences.may_be_measuring([index]),
            **_gain(gain_of_balance(findings, [index])),
            "confidence": asdict(confidence_in_difference(findings, [index])) if is_culprit else None,
            **_repeatability(findings, findings.repetition.of_ranks.get(index), found=is_culprit),
        }

    places = found.culprits or vectors.top
    together = outermost(vectors.regions, places)
    return {
        "exists": found.exists,
        "metric": vectors.metric,
        "compared": "threads" if vectors.threads else "ranks",
        "jobs": found.jobs,
        "not_judged": [
            _place(findings, culprit)
            for culprit in (findings.differences.not_judged[1].culprits if findings.differences.not_judged else ())
        ],
        "nested_teams": findings.run.nested_teams,
        "threshold": THRESHOLD,
        "clusters": [[labels[column] for column in each] for each in found.clusters],
        "severity": found.severity,
        "ccr": [entry(index) for index in found.critical],
        "cccr": [entry(index) for index in found.culprits],
        "composite": found.composite,
        "programs": found.programs,
        "differs_alone": None if found.odd_one is None else labels[found.odd_one],
        "noise": same.everywhere,
        **_gain(gain_of_balance(findings, together) if found.exists else None),
        "confidence": asdict(confidence_in_difference(findings, together)) if found.exists else None,
        "may_be_measuring": found.exists and findings.differences.may_be_measuring(places),
        "same_work": [list(group) for group in same.groups],
        "evidence": _evidence(causes.differences, against_difference(vectors, None)),
        **_repeatability(findings, findings.repetition.of_ranks.get(None), found=found.exists and not found.culprits),
        **_rough_set(findings, causes.table, (each.attribute for each in causes.differences)),
    }


def _disparity(findings: Findings, advised: Advised | None) -> dict[str, Any]:
    found, causes, heavy = findings.disparity, findings.disparity_causes, findings.culprits_by_weight
    explanation, culprits = findings.explanation, {*findings.disparity.culprits}

    def entry(index: int) -> dict[str, Any]:
        severity = found.classes[index] if found.classes else 0
        confidence = confidence_in_weight(findings, index) if index in culprits else None
        of_culprit, advice = causes.causes.get(index, ()), against_weight(findings.run.weighed_costs[index])
        return {
            **asdict(Place.of(findings.experiment, findings.run.weighed.regions[index])),
            "value": found.values[index],
            "severity": severity,
            "label": LABELS[severity],
            "heavy": index in heavy,
            "cpi": findings.weights.cpi[0][index] if findings.weights.cpi else None,
            "root_causes": [each.attribute for each in of_culprit],
            "evidence": _evidence(of_culprit, advice),
            "advice": _advice(advised.of_regions if advised else {}, index),
            "also": _evidence(causes.also.get(index, ()), advice),
            "waiting": index in culprits and bool(explanation.seconds.waits[index]),
            "waited": float(explanation.waiting.seconds[index]),
            "waited_for": [
                {**_place(findings, late), "seconds": time}
                for late, time in explanation.waiting.shares.get(index, {}).items()
            ],
            "one_after_another": float(findings.in_turn[index]),
            "without_probes": list(findings.unprobed.get(index, ())),
            "throttled": [
                {**asdict(Place.of_path(findings.experiment.call_paths, each.path)), "share": each.share}
                for each in findings.throttled.get(index, ())
            ],
            "small_calls": index in culprits and bool(explanation.seconds.has_small_calls[index]),
            **_gain(gain_of_weight(findings, index)),
            "confidence": asdict(confidence) if confidence else None,
            "waits_for": _place(findings, explanation.waiting.late[index])
            if index in explanation.waiting.late
            else None,
            **_repeatability(findings, findings.repetition.of_regions.get(index), found=index in found.culprits),
        }

    named = {each.attribute for of_culprit in causes.causes.values() for each in of_culprit}
    return {
        "exists": found.exists,
        "metric": findings.weights.metric,
        "cycles": findings.weights.cycles,
        "classes": [entry(index) for index in range(len(found.classes))],
        "ccr": [entry(index) for index in found.critical],
        "cccr": [entry(index) for index in found.culprits],
        "procedures": [_procedure(findings, each) for each in findings.procedures.heavy],
        **_rough_set(findings, causes.table, (name for name in causes.table.attributes if name in named)),
    }


def _procedure(findings: Findings, found: HeavyProcedure) -> dict[str, Any]:
    return {
        **asdict(Place.of(findings.experiment, findings.run.weighed.regions[found.region])),
        **{name: value for name, value in asdict(found).items() if name not in ("region", "callers", "paths")},
        "callers": [{"function": name, "share": share} for name, share in found.callers],
        "call_paths": list(found.paths),
    }


def _call_site(experiment: Experiment, path: int) -> dict[str, Any] | None:
    """Return the call site of a call path's function as JSON data; None if it is unknown."""
    caller = caller_of(experiment.call_paths, path)
    if caller is None:
        return None
    line = call_line_of(experiment.call_paths, path)
    return {"function": caller.function or caller.name, "file": caller.file, "line": line}


def _gain(gain: Gain | None) -> dict[str, float | None]:
    return {"gain": gain.seconds, "gain_share": gain.share} if gain else {"gain": None, "gain_share": None}


def _finding(findings: Findings, finding: Finding, advised: Advised | None) -> dict[str, Any]:
    """Return a finding of the verdict as JSON data."""
    experiment, region = findings.experiment, finding.region
    place = asdict(Place.of(experiment, region)) if region else {}
    return {
        "kind": finding.kind,
        "file": place.get("file"),
        "line": place.get("line"),
        "function": place.get("function"),
        "path": place.get("path"),
        "name": place.get("name"),
        "call_path": place.get("id"),
        "call_paths": [*([region.id] if region else []), *finding.others],
        "call_site": _call_site(experiment, region.id) if region and not region.own_code else None,
        "ranks": list(finding.slowest),
        "clusters": [
            {"ranks": list(each.labels), "mean": each.value, "least": each.least, "most": each.most}
            for each in finding.groups
        ],
        "causes": [asdict(each) for each in finding.causes],
        "waits": [
            {
                **_of_region(each.region),
                "seconds": each.seconds,
                "ranks": list(each.ranks),
                "waiting": list(each.waiting),
                "mean": each.mean if each.waiting else each.seconds,
            }
            for each in finding.waits
        ],
        "inside": inside_document(findings, finding),
        "waiting_threads": threads_that_wait(findings, finding),
        "thread_waits": [
            {
                **{name: getattr(each, name) for name in ("kind", "file", "line")},
                **{name: sum(getattr(each, name)) for name in ("entries", "contended", "seconds", "cpu_seconds")},
                "mean": each.per_thread,
            }
            for each in added(
                (
                    wait
                    for path in ([region.id, *finding.others] if region else ())
                    for wait in findings.thread_waits.by_path.get(path, ())
                ),
                same=True,
            )
        ],
        **_gain(finding.gain),
        "bound": finding.bound,
        "bound_share": finding.bound / findings.verdict.base.seconds if finding.bound is not None else None,
        "share": finding.share,
        "of_run": finding.of_run,
        "confidence": finding.level,
        "reason": finding.reason,
        "doubt": finding.doubt,
        "in_runs": finding.repeatability.in_runs if finding.repeatability else None,
        "advice": [asdict(each) for each in (advised.on(finding) if advised else ())],
    }


def _thread_wait(wait: ThreadWait) -> dict[str, Any]:
    """Return where and how long threads wait, and the enclosing region, as JSON data."""
    around = _of_region(Region.from_descriptor(wait.region)) if wait.region else None
    return {**asdict(wait), "region": around}


def _of_region(region: Region) -> dict[str, Any]:
    place = asdict(Place.of_region(region))
    return {name: place[name] for name in ("name", "kind", "function", "file", "line")}


def _repeatability(findings: Findings, repeatability: Repeatability | None, *, found: bool) -> dict[str, Any]:
    """Return the number of runs that show a finding, and the confidence interval of its time, as JSON data.

    Unknown values are None.
    """
    alone = 1 if found and findings.repetition.runs == 1 else None
    interval = repeatability.interval if repeatability else None
    return {
        "in_runs": repeatability.in_runs if repeatability else alone,
        "interval": asdict(interval) if interval else None,
    }


def _advice(advised: Mapping[int, Iterable[Advice]], index: int) -> list[dict[str, Any]]:
    return [asdict(each) for each in advised.get(index, ())]


def _evidence(causes: Iterable[RootCause | Difference], advice: Mapping[str, str]) -> list[dict[str, Any]]:
    return [{**asdict(each), "try": advice.get(each.attribute)} for each in causes]
