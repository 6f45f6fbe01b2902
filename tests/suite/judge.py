"""Judge a kept run by the present analysis."""

from __future__ import annotations

from autoanalyzer.analyze import analyze
from autoanalyzer.view.findings_json import findings_document

from .kept import Kept
from .score import score
from .table import Outcome


def judged(run: Kept) -> Outcome:
    """Analyse a run, and compare the verdict with the planted faults."""
    found = findings_document(analyze(run.experiment), run.file)
    return Outcome(run, score(found, run.key), found)
