"""The pages that commands write."""

from __future__ import annotations

from pathlib import Path

from ..analyze import analyze
from ..errors import InputError
from ..experiment import Experiment
from ..view.counters_html import counters_html
from ..view.page import Page, Subject, page_html, page_of
from ..view.report import Report

__all__ = ["result_page", "subject_of"]


def subject_of(experiment: Experiment, file: Path) -> Subject:
    """Analyse what a page is to show; what is no run has no findings, and can be looked at all the same."""
    try:
        return Subject(experiment, file, analyze(experiment))
    except InputError as error:
        return Subject(experiment, file, None, str(error))


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
