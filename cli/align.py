"""``autoanalyzer align``: find an interval of one trace in other traces (Hauswirth et al. 2005, section 3)."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import UsageError
from .documents import add_documents, check_targets, is_output, write_document
from .pages import recording_of, time_page
from .progress import counted
from .trace_arguments import add_ranks_argument, expanded, interval, share, traces

if TYPE_CHECKING:
    from ..experiment.trace import Samples, Trace
    from ..timelines.warping import TimeMap

__all__ = ["add_arguments", "run"]

_PAIR: Final = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "traces",
        type=Path,
        nargs="+",
        metavar="TRACE",
        help=(
            "the trace that contains the known interval, followed by the traces to search; for a folder written by "
            "record, all of its runs are used"
        ),
    )
    parser.add_argument(
        "--metric", required=True, metavar="M", help="the metric to compare; all traces must contain this metric"
    )
    parser.add_argument(
        "--interval",
        type=interval,
        required=True,
        metavar="A:B",
        help="start and end of the known interval in the first trace, in seconds, such as 12.5:18",
    )
    parser.add_argument(
        "--by",
        choices=("auto", "anchors", "warping"),
        default="auto",
        help=(
            "how to match points in time between two traces; anchors: by region entries; warping: by dynamic "
            "time warping of the metric; auto (default): anchors if both traces come from run --trace and enter "
            "some regions equally often; otherwise warping"
        ),
    )
    parser.add_argument(
        "--band",
        type=share,
        metavar="SHARE",
        help="maximum distance of the warp path from the diagonal, as a share of the trace's length, such as 0.1 "
        "(default: no limit); implies --by warping",
    )
    parser.add_argument(
        "--penalty",
        type=float,
        default=0.0,
        metavar="P",
        help="cost, in the metric's unit, of each step that does not match samples one to one (default: "
        "%(default)g); implies --by warping",
    )
    add_ranks_argument(parser)
    add_documents(
        parser,
        {
            "json": "all numbers as JSON",
            "html": "a self-contained HTML page (the interval is marked in the time lines of all runs)",
        },
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..experiment.trace import series_of

    files = expanded(arguments.traces)
    if len(files) < _PAIR:
        raise UsageError(
            f"expected a trace that contains the interval and at least one trace to search, found only {files[0]}"
        )
    check_targets(files, json=arguments.json, html=arguments.html)
    if arguments.by == "anchors" and (arguments.band is not None or arguments.penalty):
        raise UsageError("--band and --penalty need --by warping, found --by anchors")
    from ..timelines.warping import align
    from ..view.alignment import alignment_report
    from ..view.marked_time import marks_of_alignment
    from ..view.report import json_text, print_report

    opened = traces(files)
    series = [
        series_of(trace, arguments.metric, str(file), ranks=arguments.rank)
        for trace, file in zip(opened, files, strict=True)
    ]
    found = []
    for file, trace, other in zip(files[1:], opened[1:], series[1:], strict=True):
        anchors = _anchors(arguments, opened[0], trace, file)
        with counted("align") as told:
            found.append(
                align(
                    series[0],
                    other,
                    [arguments.interval],
                    anchors=anchors,
                    band=arguments.band,
                    penalty=arguments.penalty,
                    told=told,
                )
            )
    report = alignment_report(series[0], arguments.interval, found)
    if arguments.json:
        write_document(json_text(report.document), arguments.json)
    if arguments.html:
        marks = marks_of_alignment(series[0], arguments.interval, found)
        known = [each for file in files if (each := recording_of(file))]
        recordings = [replace(each, marks=marks[each.name]) for each in known]
        write_document(time_page(files[0], recordings), arguments.html)
    if not (is_output(arguments.json) or is_output(arguments.html)):
        print_report(report)
    return 0


def _anchors(
    arguments: argparse.Namespace, reference: Samples | Trace, other: Samples | Trace, file: Path
) -> TimeMap | None:
    from ..experiment.trace import Trace

    if arguments.by == "warping" or (arguments.by == "auto" and (arguments.band is not None or arguments.penalty)):
        return None
    from ..timelines.warping import anchored

    found = (
        anchored(reference, other, arguments.rank)
        if isinstance(reference, Trace) and isinstance(other, Trace)
        else None
    )
    if found is None and arguments.by == "anchors":
        raise UsageError(
            f"{file}: --by anchors needs traces from run --trace in which some regions are entered as often as in the "
            "first trace; --by warping needs only the metric"
        )
    return found
