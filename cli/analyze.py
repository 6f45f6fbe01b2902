"""``autoanalyzer analyze``: print the findings of an existing experiment."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import UsageError
from ..view.terminal import print_verdict
from .analysis_arguments import add_analysis_arguments, advice_of, findings_of, write_findings
from .documents import check_targets, is_output
from .percentage import share_of

if TYPE_CHECKING:
    from ..experiment import Experiment

__all__ = ["add_arguments", "run"]

_SECTIONS: Final = {
    "hot": "list regions by exclusive time (without nested regions), summed over call paths",
    "losses": "list regions by the cost of imbalance: (longest time - mean time) x number of ranks or threads",
    "account": "split the time of each region by cause, and list the prices: seconds per instruction, per cache "
    "miss, etc.",
    "path": "list the critical path by region, the ranks' efficiency, and which ranks wait for which other ranks",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="a run's folder or an experiment file")
    parser.add_argument("--all", action="store_true", help="print every finding, with all advice and warnings")
    parser.add_argument("--tree", action="store_true", help="also print the call tree, with each region's times")
    parser.add_argument(
        "--min",
        type=_share,
        metavar="SHARE",
        help=(
            "in the call tree, omit regions that take less than this share of the run's time, such as 0.5%% "
            "(default: 0)"
        ),
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="also print the decision tables, and how the causes are derived from them",
    )
    for name, what in _SECTIONS.items():
        parser.add_argument(f"--{name}", action="store_true", help=what)
    parser.add_argument("--alone", action="store_true", help="analyse in this process only, even under an MPI launcher")
    add_analysis_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..runs.analysis_job import AnalysisJob
    from ..runs.open_experiment import open_experiment

    if arguments.min is not None and not arguments.tree:
        raise UsageError("--min needs --tree")
    job = AnalysisJob.alone() if arguments.alone else AnalysisJob.joined(arguments.experiment)
    if not job.leads:
        return job.serve()
    with job.dismissed_on_failure():
        check_targets([arguments.experiment], json=arguments.json)
        experiment, file = open_experiment(arguments.experiment)
    return job.lead(experiment, file, lambda: _analyse(experiment, file, arguments))


def _analyse(experiment: Experiment, file: Path, arguments: argparse.Namespace) -> int:
    from ..view.verdict import verdict_lines

    findings = findings_of(experiment, arguments, file)
    advised = advice_of(findings, arguments, file)
    if arguments.json:
        write_findings(findings, file, arguments.json, with_account=arguments.account, advised=advised)
    stderr = is_output(arguments.json)
    if arguments.tree:
        from ..view.cost_tree import print_tree

        print_tree(findings, least=arguments.min or 0.0, stderr=stderr)
    if arguments.explain:
        from ..view.explain import explanation_lines

        print_verdict(explanation_lines(findings), stderr=stderr)
    if any(getattr(arguments, name) for name in _SECTIONS):
        from ..view.sections import SECTIONS

        for section in SECTIONS:
            if getattr(arguments, section.name):
                section.print(findings, everything=arguments.all, stderr=stderr)
    print_verdict(verdict_lines(findings, file, everything=arguments.all, advised=advised), stderr=stderr)
    return 0


def _share(text: str) -> float:
    share = share_of(text)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"expected a percentage from 0 to 100, such as 0.5%, found {text!r}")
    return share
