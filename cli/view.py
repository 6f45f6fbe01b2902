"""``autoanalyzer view``: an experiment in a browser: its verdict, three trees, and the source."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..analyze import analyze
from ..errors import InputError, UsageError
from ..experiment import Experiment
from ..runtime.open_experiment import open_experiment
from .documents import check_targets, write_document

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="an experiment's file, or a run's folder")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write one self-contained HTML page (- for standard output)"
    )
    parser.add_argument("--against", type=Path, metavar="OTHER", help="compare with this experiment")
    parser.add_argument("--source", type=Path, action="append", default=[], metavar="DIR", help="look for source here")
    parser.add_argument("--no-source", action="store_true", help="leave the source out of the page")


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    if arguments.no_source and arguments.source:
        raise UsageError("--source cannot be combined with --no-source")
    inputs = [arguments.experiment, *([arguments.against] if arguments.against else [])]
    check_targets(inputs, output=arguments.output)
    experiment, file = open_experiment(arguments.experiment)
    other = open_experiment(arguments.against)[0] if arguments.against else None
    if not arguments.output:
        raise UsageError("expected a page to write; add -o report.html")
    write_document(_page(arguments, experiment, file, other), arguments.output)
    return 0


def _page(arguments: argparse.Namespace, experiment: Experiment, file: Path, other: Experiment | None) -> bytes:
    from ..view.page import Subject, page_html, page_of  # noqa: PLC0415 - not for a terminal

    try:
        subject = Subject(experiment, file, analyze(experiment))
    except InputError as error:  # what is no run has no verdict, and can be looked at all the same
        subject = Subject(experiment, file, None, str(error))
    against = (other, arguments.against.name) if other else None
    return page_html(page_of(subject, against=against, folders=None if arguments.no_source else arguments.source))
