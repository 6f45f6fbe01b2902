"""Options of statistical analyses: the locations and metrics to analyse, and the files to write."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..errors import UsageError
from .documents import add_documents, is_output, write_document
from .part_arguments import add_exclude_rank_argument, names_of

if TYPE_CHECKING:
    from ..experiment import Experiment
    from ..multivariate.formula import Formula
    from ..multivariate.metric_space import MetricSpace
    from ..view.report import Report

__all__ = [
    "REPORTS",
    "add_derive_argument",
    "add_space_arguments",
    "check_seed",
    "formulas",
    "metric_space",
    "with_shared_cores",
    "write_report",
]

REPORTS: Final = ("json", "csv", "html")

_SEEDS: Final = 2**32


def add_space_arguments(
    parser: argparse.ArgumentParser, of_runs: argparse._ArgumentGroup | None = None, *, rows: str = "a table"
) -> None:
    """Add the arguments that statistical analyses have in common.

    Args:
        parser: The command's parser.
        of_runs: The group for arguments that need an experiment; None for the parser itself.
        rows: A description of the CSV output.
    """
    runs = of_runs or parser
    runs.add_argument(
        "--region",
        metavar="NAME",
        help="analyse only this region and everything below it: a name, path or FILE:LINE (default: the program)",
    )
    runs.add_argument(
        "--exclusive",
        action="store_true",
        help="analyse only the region's own code, without nested regions and called functions",
    )
    runs.add_argument(
        "--sample",
        type=Path,
        action="append",
        default=[],
        metavar="EXPERIMENT",
        help="also analyse the locations of this run; may be repeated",
    )
    runs.add_argument(
        "--by",
        choices=("thread", "process"),
        help="the locations to compare: threads, or whole processes (default: thread)",
    )
    parser.add_argument(
        "--metrics", metavar="NAME,…", help="analyse only these metrics (default: all measured metrics)"
    )
    add_derive_argument(parser)
    add_exclude_rank_argument(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: %(default)s)")
    what = ("all numbers as JSON", f"{rows} as CSV", "a self-contained HTML page with charts")
    add_documents(parser, dict(zip(REPORTS, what, strict=True)))


def add_derive_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that derives metrics."""
    parser.add_argument(
        "--derive",
        action="append",
        default=[],
        metavar="NAME=FORMULA",
        help="add a metric computed from others, such as fp_rate=fp_ins/cycles; put a name in [brackets] if it "
        "contains characters other than letters, digits and _; may be repeated",
    )


def check_seed(seed: int) -> None:
    """Check a random seed.

    Raises:
        UsageError: The seed is negative or too large.
    """
    if not 0 <= seed < _SEEDS:
        raise UsageError(f"--seed {seed}: expected a number from 0 to {_SEEDS - 1}")


def formulas(arguments: argparse.Namespace) -> list[Formula]:
    """Return the formulas in all options ``--derive``.

    Raises:
        UsageError: A text is not a formula.
    """
    from ..multivariate.formula import Formula

    return [Formula.parse(text) for text in arguments.derive]


def metric_space(arguments: argparse.Namespace, *experiments: Experiment, besides: Sequence[str] = ()) -> MetricSpace:
    """Return the metric space that the arguments select from one or several runs: locations × metrics.

    Args:
        arguments: The command-line arguments.
        experiments: The runs.
        besides: Names of metrics that are needed in addition to the selected ones.

    Raises:
        UsageError: A region, a metric or a rank does not exist.
        InputError: Fewer than two locations, or no metrics, remain.
    """
    from ..multivariate.metric_space import MetricSpace

    if arguments.exclusive and arguments.region is None:
        raise UsageError("--exclusive needs --region")
    return MetricSpace.of(
        *experiments,
        region=arguments.region,
        exclusive=arguments.exclusive,
        metrics=names_of(arguments.metrics),
        besides=besides,
        derived=formulas(arguments),
        by=arguments.by or "thread",
        exclude_ranks=arguments.exclude_rank,
    )


def with_shared_cores(report: Report, experiments: Sequence[Experiment]) -> Report:
    """Return the report, with a warning if ranks shared cores in any run."""
    from ..view.caveats import TRUST, shared_cores

    shared = next(filter(None, map(shared_cores, experiments)), None)
    return replace(report, caveats=[f"{TRUST}: {shared}.", *report.caveats]) if shared else report


def write_report(
    arguments: argparse.Namespace,
    report: Report,
    *,
    title: str,
    about: str,
    document: Mapping[str, Any],
    experiment: tuple[Experiment, Path] | None = None,
) -> None:
    """Write the requested files; print the report unless a file goes to standard output.

    Nothing is written until all outputs are computed.

    Args:
        arguments: The command-line arguments.
        report: The report.
        title: Title of the page.
        about: The line below the title.
        document: Further JSON data.
        experiment: The experiment for the page, and its file; None for a trace.
    """
    from ..view.report import csv_text, json_text, print_report

    contents: dict[str, Callable[[], bytes]] = {
        "json": lambda: json_text({**report.document, **document}),
        "csv": lambda: csv_text(report.data),
        "html": lambda: _page(report, title, about, experiment),
    }
    targets: dict[str, Path] = {kind: getattr(arguments, kind) for kind in REPORTS if getattr(arguments, kind)}
    written = {kind: contents[kind]() for kind in targets}
    for kind, content in written.items():
        write_document(content, targets[kind])
    if not any(map(is_output, targets.values())):
        print_report(report)


def _page(report: Report, title: str, about: str, experiment: tuple[Experiment, Path] | None) -> bytes:
    from .pages import result_page

    return result_page(report, title, about, experiment)
