"""Findings as a JSON document (schema ``autoanalyzer.findings/1``)."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from ..analyze import Findings
from ..analyze.classes import LABELS
from ..analyze.clusters import THRESHOLD
from .place import Place
from .verdict import verdict_lines

__all__ = ["SCHEMA", "findings_document"]

SCHEMA: Final = "autoanalyzer.findings/1"


def findings_document(findings: Findings, file: Path) -> dict[str, Any]:
    """Give findings as what ``json.dumps`` takes."""
    experiment = findings.experiment
    notes = experiment.notes
    return {
        "schema": SCHEMA,
        "experiment": {
            "file": str(file),
            "program": notes.program,
            "processes": len({place.process for place in experiment.locations}),
            "locations": len(experiment.locations),
            "call_paths": len(experiment.call_paths),
            "wall_time": findings.program_time,
            "sources": {metric.name: metric.source for metric in experiment.metrics},
        },
        "completeness": {
            "expected_processes": notes.expected_processes,
            "missing": list(notes.missing),
            "unfinished": list(notes.unfinished),
            "not_instrumented": list(notes.not_instrumented),
            "repairs": notes.repairs,
            "remarks": list(notes.remarks),
        },
        "overhead": asdict(findings.overhead),
        "dissimilarity": _dissimilarity(findings),
        "disparity": _disparity(findings),
        "costs": [{**_place(findings, index), **asdict(cost)} for index, cost in enumerate(findings.costs)],
        "verdict": verdict_lines(findings, file),
    }


def _no_causes() -> dict[str, Any]:
    """The keys of root causes, empty where nothing was counted."""
    return {"reducts": [], "root_causes": [], "decision_table": {"attributes": [], "rows": []}}


def _place(findings: Findings, region: int) -> dict[str, Any]:
    return asdict(Place.of(findings.experiment, findings.performance.regions[region]))


def _dissimilarity(findings: Findings) -> dict[str, Any]:
    found, performance = findings.dissimilarity, findings.performance
    labels = performance.ranks
    return {
        "exists": found.exists,
        "metric": performance.metric,
        "threshold": THRESHOLD,
        "clusters": [[labels[column] for column in each] for each in found.clusters],
        "severity": found.severity,
        "ccr": [_place(findings, index) for index in found.ccr],
        "cccr": [_place(findings, index) for index in found.cccr],
        "composite": found.composite,
        "differs_alone": None if found.odd_one is None else labels[found.odd_one],
        **_no_causes(),
    }


def _disparity(findings: Findings) -> dict[str, Any]:
    found = findings.disparity

    def entry(index: int) -> dict[str, Any]:
        severity = found.classes[index] if found.classes else 0
        return {
            **_place(findings, index),
            "value": found.values[index],
            "severity": severity,
            "label": LABELS[severity],
            "root_causes": [],
        }

    return {
        "exists": found.exists,
        "metric": "crnm",
        "classes": [entry(index) for index in range(len(found.classes))],
        "ccr": [entry(index) for index in found.ccr],
        "cccr": [entry(index) for index in found.cccr],
        **_no_causes(),
    }
