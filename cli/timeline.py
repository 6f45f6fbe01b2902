"""``autoanalyzer timeline``: find what changes while a program runs, and which metrics change with it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..experiment.run_folder import COUNTING_TRACE_FILE, TRACE_FILE, experiment_of
from ..view.lines import print_lines
from .documents import add_documents, check_targets, is_output, write_document
from .pages import recording_of, time_page, with_changes
from .progress import counted
from .trace_arguments import expanded

if TYPE_CHECKING:
    from ..timelines.anomalies import Run

__all__ = ["add_arguments", "report_on", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "runs",
        type=Path,
        nargs="+",
        metavar="RUN",
        help="folders written by run --trace or record, or traces.otf2 files, all from the same program and input; "
        "times are those of the first run",
    )
    add_documents(
        parser,
        {
            "json": "all numbers as JSON",
            "csv": "one row per anomaly as CSV",
            "html": "a self-contained HTML page (changes are marked in the time lines of all runs)",
        },
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..experiment.trace.otf2 import OTF2_SUFFIX

    folders = expanded(arguments.runs)
    for folder in folders:
        if folder.suffix != OTF2_SUFFIX and not (folder / TRACE_FILE).exists():
            raise UsageError(f"{folder}: expected a folder written by run --trace or record, containing {TRACE_FILE}")
    check_targets(folders, json=arguments.json, csv=arguments.csv, html=arguments.html)
    report_on(folders, arguments.json, arguments.csv, arguments.html)
    return 0


def report_on(
    folders: Sequence[Path],
    json: Path | None,
    csv: Path | None = None,
    html: Path | None = None,
    *,
    stderr: bool = False,
) -> None:
    """Find what changes over time in runs, print it, and write the requested files.

    Args:
        folders: Folders of runs with time lines.
        json: File for all numbers.
        csv: File for one row per change.
        html: File for a page.
        stderr: Whether to print to standard error.
    """
    from ..timelines.anomalies import find_anomalies
    from ..view.report import csv_text, json_text, print_report
    from ..view.timeline import timeline_report

    runs = _runs(folders)
    with counted("timeline") as told:
        search = find_anomalies(runs, told)
    report = timeline_report(runs, search)
    if json:
        write_document(json_text(report.document), json)
    if csv:
        write_document(csv_text(report.data), csv)
    if html:
        recordings = [each for run in runs if (each := recording_of(Path(run.source)))]
        write_document(time_page(folders[0], with_changes(recordings, runs, search.anomalies)), html)
    if stderr:
        print_lines([*report.sentences, *report.caveats], stderr=True)
    elif not any(map(is_output, (json, csv, html))):
        print_report(report)


def _runs(folders: Sequence[Path]) -> list[Run]:
    """Return the runs in the folders, then their counting runs, which are slower because of the counting."""
    from ..experiment import load
    from ..experiment.trace import load_trace
    from ..experiment.trace.otf2 import OTF2_SUFFIX, read_otf2
    from ..timelines.anomalies import Run

    found: list[Run] = []
    counting: list[Run] = []
    for folder in folders:
        if folder.suffix == OTF2_SUFFIX:
            found.append(Run.of(str(folder), read_otf2(folder), None))
            continue
        profile = load(folder) if experiment_of(folder).exists() else None
        found.append(Run.of(str(folder), load_trace(folder / TRACE_FILE), profile))
        slow = folder / COUNTING_TRACE_FILE
        if slow.exists():
            counting.append(Run.of(str(slow), load_trace(slow), profile, timed=False))
    return [*found, *counting]
