"""The pages that commands write."""

from __future__ import annotations

from pathlib import Path

from ..analyze import analyze
from ..errors import InputError
from ..experiment import Experiment
from ..runtime.folder import RunFolder
from ..view.counters_html import counters_html
from ..view.page import Page, Recording, Subject, page_html, page_of
from ..view.report import Report

__all__ = ["recordings_of", "result_page", "subject_of"]


def subject_of(experiment: Experiment, file: Path) -> Subject:
    """Analyse what a page is to show; what is no run has no findings, and can be looked at all the same."""
    try:
        return Subject(experiment, file, analyze(experiment))
    except InputError as error:
        return Subject(experiment, file, None, str(error))


def recordings_of(file: Path) -> list[Recording]:
    """Name the traces of a run, which are only beside its experiment's own file."""
    folder = RunFolder(file.parent)
    if file != folder.experiment:
        return []
    traces = (
        Recording(folder.trace, str(folder.path), "the run"),
        Recording(folder.counting_trace, str(folder.counting_trace), "the counting run, on its slow clock"),
    )
    return [each for each in traces if each.path.exists()]


def result_page(report: Report, title: str, about: str, experiment: tuple[Experiment, Path] | None) -> bytes:
    """Write a page that is opened at a result.

    Args:
        report: The result.
        title: Of the result.
        about: What was analysed.
        experiment: What it is of, and its file; None if there is no experiment, as of a trace.
    """
    if experiment is None:
        return page_html(Page(title, title, [about], counters=counters_html(report, "Result")))
    return page_html(page_of(subject_of(*experiment), counters=counters_html(report, title, about), tab="counters"))
