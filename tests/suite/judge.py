"""Judges what was measured of a program, by the analysis as it is now."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import Experiment, load, select
from autoanalyzer.experiment.metric import COUNT_METRICS
from autoanalyzer.view.findings_json import findings_document

from .key import Key
from .score import score
from .table import Outcome

_COUNTS = {each.name for each in COUNT_METRICS}


@dataclass(frozen=True)
class Kept:
    """A run that was kept, and what a verdict on it is compared with."""

    key: Key
    experiment: Experiment
    file: Path


def opened(folder: Path, *, counts: bool = True) -> Kept:
    """Open the run in a folder; as if it had been measured without counts, if they are not wanted."""
    key = Key.load(folder)
    file = folder / "out" / "experiment.cube"
    experiment = load(file)
    return (
        Kept(key, experiment, file) if counts else Kept(replace(key, counted=False), without_counts(experiment), file)
    )


def judged(kept: Kept) -> Outcome:
    """Analyse and judge a run."""
    found = findings_document(analyze(kept.experiment), kept.file)
    return Outcome(kept.key, score(found, kept.key), found)


def without_counts(experiment: Experiment) -> Experiment:
    """Leave out what only a counting run measures."""
    return select(experiment, metrics=[each.name for each in experiment.metrics if each.name not in _COUNTS])
