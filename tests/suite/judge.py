"""Judges what was measured of a program, by the analysis as it is now."""

from __future__ import annotations

from autoanalyzer.analyze import analyze
from autoanalyzer.view.findings_json import findings_document

from .kept import Kept
from .score import score
from .table import Outcome


def judged(run: Kept) -> Outcome:
    """Analyse and judge a run."""
    found = findings_document(analyze(run.experiment), run.file)
    return Outcome(run, score(found, run.key), found)
