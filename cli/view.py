"""``autoanalyzer view``: show an experiment's verdict, three trees, and the source, on a page or in the terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import UsageError
from ..view.units import volume
from .documents import check_targets, is_output, write_document
from .page_counters import counters_of
from .pages import recordings_of, subject_of
from .progress import SHORT, SLOW, stages

if TYPE_CHECKING:
    from ..experiment import Experiment
    from ..view.page import Page

__all__ = ["add_arguments", "run"]

_NAMED: Final = 3  # maximum number of missing sources named in the message


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="a run's folder or an experiment file")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write one self-contained HTML page to FILE (- for standard output; default: browse in the terminal)",
    )
    parser.add_argument("--against", type=Path, metavar="OTHER", help="also show the differences from this experiment")
    parser.add_argument("--flat", action="store_true", help="in the terminal: begin with the flat profile")
    parser.add_argument(
        "--source",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="search this folder first for sources; may be repeated",
    )
    parser.add_argument(
        "--no-source", action="store_true", help="leave out the source, and the advice that is based on the source"
    )
    parser.add_argument("--no-advice", action="store_true", help="leave out the advice, but show the source")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..runs.open_experiment import open_experiment
    from ..view.page import page_html
    from ..view.place import visible

    if arguments.no_source and arguments.source:
        raise UsageError("--source cannot be combined with --no-source")
    if not arguments.output and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("expected a terminal to browse in, found none; to write a page, add -o report.html")
    if arguments.output and arguments.flat:
        raise UsageError("--flat is only for the terminal; the page has a menu for the flat profile")
    inputs = [arguments.experiment, *([arguments.against] if arguments.against else [])]
    check_targets(inputs, output=arguments.output)
    experiment, file = open_experiment(arguments.experiment)
    other = open_experiment(arguments.against)[0] if arguments.against else None
    against = (other, arguments.against.name) if other else None
    if not arguments.output:
        return _browse(arguments, experiment, file, against)
    page = _page(arguments, experiment, file, against)
    document = page_html(page)
    write_document(document, arguments.output)
    if not is_output(arguments.output):
        sys.stdout.write(f"wrote {visible(str(arguments.output))}: {volume(len(document))}\n")
    lacking = [each.name for each in page.sources if not each.lines]
    if lacking:
        names = visible(", ".join(lacking[:_NAMED])) + (f" and {len(lacking) - _NAMED} more" * (len(lacking) > _NAMED))
        sys.stderr.write(
            f"autoanalyzer: found no source for {names}; name the folder of the sources with --source DIR\n"
        )
    return 0


def _browse(
    arguments: argparse.Namespace, experiment: Experiment, file: Path, against: tuple[Experiment, str] | None
) -> int:
    from ..view.terminal_browser import browse_in_terminal

    folders, advice = arguments.source, not arguments.no_advice
    return browse_in_terminal(experiment, file, other=against, flat=arguments.flat, folders=folders, advice=advice)


def _page(
    arguments: argparse.Namespace, experiment: Experiment, file: Path, against: tuple[Experiment, str] | None
) -> Page:
    from ..view.page import page_of

    subject = subject_of(experiment, file)
    folders = None if arguments.no_source else arguments.source
    counters, recordings = counters_of(subject), recordings_of(file, experiment)
    with stages(first=SLOW, after=SHORT) as tell:
        return page_of(
            subject,
            against=against,
            folders=folders,
            counters=counters,
            recordings=recordings,
            advice=not arguments.no_advice,
            tell=tell,
        )
