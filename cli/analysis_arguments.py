"""Analysis options that several commands share, and functions that analyse with these options."""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..analyze.choices import DISPARITY_METRICS, DISSIMILARITY_METRICS, METHODS
from .documents import write_document
from .part_arguments import add_exclude_rank_argument
from .percentage import share_of
from .progress import SHORT, SLOW, stages

if TYPE_CHECKING:
    from ..advise import Advised
    from ..analyze import Findings
    from ..experiment import Experiment

__all__ = ["add_analysis_arguments", "add_selection_arguments", "advice_of", "findings_of", "write_findings"]


def add_analysis_arguments(parser: argparse.ArgumentParser) -> None:
    """Add all analysis options to a command."""
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the findings to FILE as JSON (- for standard output)"
    )
    parser.add_argument("--no-advice", action="store_true", help="omit the advice that is based on the source code")
    add_selection_arguments(parser)


def add_selection_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose ranks, regions, metrics and the method of an analysis."""
    add_exclude_rank_argument(parser)
    parser.add_argument(
        "--include-rank",
        action="append",
        type=int,
        default=[],
        metavar="RANK",
        help="include this rank in the comparison even if it looks like a master; may be repeated",
    )
    parser.add_argument(
        "--exclude-region",
        action="append",
        default=[],
        metavar="NAME[@RANK]",
        help="compare ranks as if this region took no time on RANK (default: on all ranks); may be repeated",
    )
    parser.add_argument(
        "--dissimilarity-metric",
        choices=DISSIMILARITY_METRICS,
        help=(
            "metric for comparing ranks (default: compute_time, the CPU time outside MPI; mpi_bytes if "
            "compute_time hardly differs between ranks and MPI takes at least a tenth of the time; with --method "
            "paper, cpu_time)"
        ),
    )
    parser.add_argument(
        "--disparity-metric",
        choices=DISPARITY_METRICS,
        default=DISPARITY_METRICS[0],
        help=(
            "metric for ranking regions (default: %(default)s, the share of wall time multiplied by the cycles "
            "per instruction)"
        ),
    )
    parser.add_argument(
        "--least",
        type=_share,
        metavar="SHARE",
        help=(
            "omit findings below this share of the time, such as 3%% (default: for imbalances, 1%% of the busy time; "
            "for causes with a remedy, 1%% of the run's time excluding waiting; for other regions, 3%% of the run's "
            "time)"
        ),
    )
    parser.add_argument(
        "--method",
        choices=METHODS,
        default=METHODS[0],
        help="method of analysis (default: %(default)s); paper: the method of Liu et al. 2011, for comparison",
    )


def findings_of(experiment: Experiment, arguments: argparse.Namespace, file: Path | None = None) -> Findings:
    """Return the findings of an experiment, analysed with the given options.

    If the experiment is a mean of runs and ``file`` is given, each finding also gets the number of runs that show it.
    """
    from ..analyze import analyze

    analyse = partial(
        analyze,
        metric=arguments.dissimilarity_metric,
        disparity_metric=arguments.disparity_metric,
        exclude_ranks=arguments.exclude_rank,
        exclude_regions=arguments.exclude_region,
        include_ranks=arguments.include_rank,
        method=arguments.method,
        least=arguments.least,
    )
    findings = analyse(experiment)
    if file is None or experiment.notes.runs == 1:
        return findings
    from ..analyze.repetition import repeated
    from ..runtime.mean_of_runs import runs_of_mean

    runs = runs_of_mean(experiment, file)
    return repeated(findings, runs, analyse) if runs else findings


def advice_of(findings: Findings, arguments: argparse.Namespace, file: Path) -> Advised | None:
    """Return advice on what to try, based on the sources of the regions found, or None with ``--no-advice``."""
    from ..view.advice import find_advice

    if arguments.no_advice:
        return None
    with stages(first=SLOW, after=SHORT) as tell:
        return find_advice(findings, file, tell=tell)


def _share(text: str) -> float:
    share = share_of(text)
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"expected a percentage between 0 and 100, such as 3%, found {text!r}")
    return share


def write_findings(
    findings: Findings,
    file: Path,
    target: Path,
    *,
    with_account: bool = False,
    advised: Advised | None = None,
    not_counted: str = "",
) -> None:
    """Write findings as JSON.

    Args:
        findings: The findings.
        file: The file of the analysed experiment.
        target: The file to write; ``-`` is standard output.
        with_account: Whether to include the account of each region's time.
        advised: The advice to include; None if there is none.
        not_counted: Why simulated counts are missing; empty otherwise.
    """
    from ..view.findings_json import findings_document

    document = findings_document(findings, file, with_account=with_account, advised=advised, not_counted=not_counted)
    write_document(json.dumps(document, indent=1, allow_nan=False).encode() + b"\n", target)
