"""Create the HTML pages that commands write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import InputError, UsageError
from ..experiment.run_folder import TRACE_FILE, experiment_of
from ..runtime.folder import RunFolder
from .progress import counted

if TYPE_CHECKING:
    from ..experiment import Experiment
    from ..timelines.anomalies import Anomaly, Run
    from ..view.page import Recording, Subject
    from ..view.report import Report

__all__ = ["recording_of", "recordings_of", "result_page", "subject_of", "time_page", "with_changes"]

_OURS: Final = ".npz"


def subject_of(experiment: Experiment, file: Path) -> Subject:
    """Return the subject of a page: an experiment with its findings, or without findings if it cannot be analysed."""
    from ..analyze import analyze
    from ..view.page import Subject

    try:
        return Subject(experiment, file, analyze(experiment))
    except InputError as error:
        return Subject(experiment, file, None, str(error))


def recordings_of(file: Path, experiment: Experiment) -> list[Recording]:
    """Return the traces in a run's folder, with changes over time marked, or an empty list for any other file."""
    from ..experiment.trace import load_trace
    from ..view.page import Recording

    folder = RunFolder(file.parent)
    if file != folder.experiment:
        return []
    traces = (
        Recording(folder.trace, str(folder.path), "the run", is_of_profile=True),
        Recording(folder.counting_trace, str(folder.counting_trace), "the counting run (slower)"),
    )
    there = [each for each in traces if each.path.exists()]
    if not folder.trace.exists():
        return there
    from ..timelines.anomalies import Run, find_anomalies

    try:
        runs = [Run.of(each.name, load_trace(each.path), experiment, timed=each.path == folder.trace) for each in there]
        with counted("timeline") as told:
            return with_changes(there, runs, find_anomalies(runs, told).anomalies)
    except InputError:
        return there  # the page reports traces that cannot be read


def with_changes(recordings: Sequence[Recording], runs: Sequence[Run], anomalies: Sequence[Anomaly]) -> list[Recording]:
    """Return the traces of several runs with changes over time marked.

    Args:
        recordings: The trace of each run; a trace that cannot be aligned with the first one gets no marks.
        runs: The runs.
        anomalies: The changes, with the times of the first run.
    """
    from ..timelines.warping import anchored
    from ..view.marked_time import marks_of_changes

    reference = runs[0].trace
    found = []
    for each, run in zip(recordings, runs, strict=True):
        times = anchored(reference, run.trace) if run is not runs[0] and anomalies else None
        known = run is runs[0] or times is not None
        found.append(replace(each, marks=marks_of_changes(anomalies, reference, run.source, times)) if known else each)
    return found


def recording_of(path: Path) -> Recording | None:
    """Return a trace for a page, or None if it is not an ``.npz`` file.

    Args:
        path: A run's folder, or a file.
    """
    from ..view.page import Recording

    file = path / TRACE_FILE if path.is_dir() else path
    return Recording(file, str(path), str(path)) if file.suffix == _OURS else None


def time_page(path: Path, recordings: Sequence[Recording], report: Report | None = None, title: str = "") -> bytes:
    """Return an HTML page that first shows the time lines.

    Args:
        path: A run's folder, or a trace in it; the page also shows the run's profile.
        recordings: The traces.
        report: Further results to show.
        title: Title of ``report``.

    Raises:
        UsageError: The trace's folder contains no experiment file.
    """
    from ..runs.open_experiment import open_experiment
    from ..view.counters_html import counters_html
    from ..view.page import page_html, page_of

    folder = path if path.is_dir() else path.parent
    if recording_of(path) is None or not experiment_of(folder).exists():
        raise UsageError(
            f"--html: expected a trace written by run --trace, with {experiment_of(folder).name} in the same folder, "
            f"found {path}"
        )
    experiment, file = open_experiment(folder)
    counters = counters_html(report, title) if report else ""
    return page_html(page_of(subject_of(experiment, file), counters=counters, tab="time", recordings=recordings))


def result_page(report: Report, title: str, about: str, experiment: tuple[Experiment, Path] | None) -> bytes:
    """Return an HTML page that first shows a result.

    Args:
        report: The result.
        title: Title of the result.
        about: A line that describes the input.
        experiment: The experiment and its file; None if the input is a trace.
    """
    from ..view.counters_html import counters_html
    from ..view.page import Page, page_html, page_of

    if experiment is None:
        return page_html(Page(title, title, [about], counters=counters_html(report, "Result")))
    return page_html(page_of(subject_of(*experiment), counters=counters_html(report, title, about), tab="counters"))
