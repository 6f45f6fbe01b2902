"""``autoanalyzer correlate``: find the metrics that change with an anomaly (Hauswirth et al. 2005, section 5)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError, way_out
from .documents import add_documents, check_targets, is_output, write_document
from .pages import recording_of, time_page
from .progress import counted
from .space_arguments import add_derive_argument, formulas
from .trace_arguments import add_ranks_argument, expanded, interval, number_above_0, points, traces

if TYPE_CHECKING:
    from ..experiment.trace import Samples, Series, Trace
    from ..multivariate.formula import Formula
    from ..timelines.warping import OnTime

__all__ = ["add_arguments", "run"]

_CORRELATORS = ("combined", "pearson", "spearman", "euclidean", "manhattan", "dtw", "same_splits", "best_splits", "mlp")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "traces",
        type=Path,
        nargs="+",
        metavar="TRACE",
        help="a folder written by run --trace or record, or an .npz, .otf2 or .csv file",
    )
    parser.add_argument(
        "--target",
        required=True,
        metavar="M",
        help="the metric that shows the anomaly, taken from the first trace that contains this metric",
    )
    parser.add_argument(
        "--interval",
        type=interval,
        action="append",
        default=[],
        metavar="A:B",
        help="start and end of the anomaly in the target's trace, in seconds, such as 12.5:18; may be repeated "
        "(default: the whole trace)",
    )
    parser.add_argument(
        "--by",
        choices=_CORRELATORS,
        default="combined",
        metavar="NAME",
        help=f"correlator that ranks the metrics: {', '.join(_CORRELATORS)} (default: %(default)s, the mean of "
        "all other rankings)",
    )
    parser.add_argument(
        "--segments",
        type=number_above_0,
        metavar="N",
        help="number of line segments that approximate the target (default: chosen from the data)",
    )
    parser.add_argument(
        "--pattern",
        type=points,
        metavar="T:V,…",
        help="shape of the anomaly, as points TIME:VALUE such as 0:1,4:1,4:3,9:3 (default: the target's line segments)",
    )
    parser.add_argument(
        "--align",
        choices=("auto", "anchors", "warping", "none"),
        default="auto",
        help="how to match points in time between traces; anchors: by region entries; warping: by dynamic time "
        "warping of a metric; none: all traces share a clock; auto: anchors if possible, else warping (default)",
    )
    parser.add_argument(
        "--common",
        metavar="M",
        help="metric for warping (default: the target if both traces contain this metric, else the first metric that "
        "they have in common)",
    )
    add_derive_argument(parser)
    add_ranks_argument(parser)
    parser.add_argument(
        "--top", type=number_above_0, default=20, metavar="N", help="number of metrics to print (default: %(default)s)"
    )
    add_documents(
        parser,
        {
            "json": "all numbers as JSON",
            "csv": "the ranking as CSV",
            "html": "a self-contained HTML page (the target's shape is marked in the time lines of the target's run)",
        },
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..experiment.trace import every_series

    arguments.traces = expanded(arguments.traces)
    check_targets(arguments.traces, json=arguments.json, csv=arguments.csv, html=arguments.html)
    from ..multivariate.derivations import built_in
    from ..timelines.correlators import rank
    from ..timelines.warping import with_derived
    from ..view.correlation import correlation_report
    from ..view.marked_time import marks_of_ranking
    from ..view.report import csv_text, json_text, print_report

    derived = formulas(arguments)
    wanted = [*derived, *built_in()]
    opened = traces(arguments.traces)
    every = [
        with_derived(every_series(trace, str(file), ranks=arguments.rank), wanted)
        for trace, file in zip(opened, arguments.traces, strict=True)
    ]
    _check(arguments, every, derived)
    reference, target = _target(arguments.target, every)
    others = _others(arguments, target, reference, opened, every)
    with counted("correlate") as told:
        ranking = rank(
            target,
            [*every[reference], *(series for each in others for series in each.series)],
            intervals=arguments.interval,
            by=arguments.by,
            segments=arguments.segments,
            pattern=arguments.pattern,
            told=told,
        )
    report = correlation_report(ranking, others, intervals=arguments.interval, by=arguments.by, top=arguments.top)
    if arguments.json:
        write_document(json_text(report.document), arguments.json)
    if arguments.csv:
        write_document(csv_text(report.data), arguments.csv)
    if arguments.html:
        path = arguments.traces[reference]
        known = [each for file in arguments.traces if (each := recording_of(file))]
        marks = marks_of_ranking(ranking, arguments.interval)
        recordings = [replace(each, marks=marks) if each.name == str(path) else each for each in known]
        write_document(time_page(path, recordings, report, f"Metrics that change with {target.name}"), arguments.html)
    if not any(map(is_output, (arguments.json, arguments.csv, arguments.html))):
        print_report(report)
    return 0


def _target(name: str, every: Sequence[Sequence[Series]]) -> tuple[int, Series]:
    """Return the index of the first trace that has the metric ``name``, and the metric's series in this trace."""
    for number, series in enumerate(every):
        for each in series:
            if each.name == name:
                return number, each
    known = dict.fromkeys(each.name for series in every for each in series)
    raise UsageError(f"--target {name}: expected one of the metrics of these traces; {way_out(name, known)}")


def _check(arguments: argparse.Namespace, every: Sequence[Sequence[Series]], wanted: Sequence[Formula]) -> None:
    """Raise UsageError for a warping metric or a formula that has no values in any trace."""
    known = dict.fromkeys(each.name for series in every for each in series)
    if arguments.common is not None and arguments.common not in known:
        raise UsageError(
            f"--common {arguments.common}: expected one of the metrics of these traces; "
            f"{way_out(arguments.common, known)}"
        )
    for formula in wanted:
        if formula.name not in known:
            raise UsageError(f"--derive {formula.name}: no trace has values for this formula")


def _others(
    arguments: argparse.Namespace,
    target: Series,
    reference: int,
    opened: Sequence[Samples | Trace],
    every: Sequence[Sequence[Series]],
) -> list[OnTime]:
    """Return all traces with series except the reference, with their times mapped to the reference's.

    Args:
        arguments: The command-line arguments.
        target: The reference's series of the metric to explain.
        reference: Index of the reference among the traces.
        opened: The traces.
        every: The series of each trace.
    """
    from ..timelines.warping import brought

    first, last = target.begin[0], target.times[-1]
    clipped = [(max(start, first), min(end, last)) for start, end in arguments.interval]
    found = []
    for number, other in enumerate(zip(opened, every, strict=True)):
        if number != reference and other[1]:
            with counted("align") as told:
                found.append(
                    brought(
                        target,
                        (opened[reference], every[reference]),
                        other,
                        by=arguments.align,
                        metric=arguments.common,
                        intervals=[(start, end) for start, end in clipped if start < end],
                        ranks=arguments.rank,
                        told=told,
                    )
                )
    return found
