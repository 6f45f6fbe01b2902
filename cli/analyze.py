"""``autoanalyzer analyze``: findings from any experiment."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import UsageError
from ..experiment import Experiment
from ..runs.analysis_job import AnalysisJob
from ..runtime.open_experiment import open_experiment
from ..view.cost_tree import print_tree
from ..view.explain import explanation_lines
from ..view.sections import SECTIONS, Section
from ..view.terminal import print_verdict
from ..view.verdict import verdict_lines
from .analysis_arguments import add_analysis_arguments, advice_of, findings_of, write_findings
from .documents import check_targets, is_output
from .percentage import share_of

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="an experiment's file, or a run's folder")
    parser.add_argument("--all", action="store_true", help="print every finding, with all advice and notes")
    parser.add_argument("--tree", action="store_true", help="print the tree of code regions with their times as well")
    parser.add_argument(
        "--min",
        type=_share,
        metavar="SHARE",
        help="leave regions out of the tree that take less than this share of the run, such as 0.5%% (default: 0)",
    )
    parser.add_argument(
        "--explain", action="store_true", help="print the decision tables and how causes follow from them as well"
    )
    for section in SECTIONS:
        parser.add_argument(f"--{section.name}", action="store_true", help=section.help)
    parser.add_argument(
        "--alone", action="store_true", help="analyse in this process, whatever a launcher of MPI has started beside it"
    )
    add_analysis_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
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
    findings = findings_of(experiment, arguments, file)
    advised = advice_of(findings, arguments, file)
    if arguments.json:
        write_findings(findings, file, arguments.json, with_account=arguments.account, advised=advised)
    stderr = is_output(arguments.json)
    if arguments.tree:
        print_tree(findings, least=arguments.min or 0.0, stderr=stderr)
    if arguments.explain:
        print_verdict(explanation_lines(findings), stderr=stderr)
    for section in SECTIONS:
        if getattr(arguments, section.name.replace("-", "_")):
            if isinstance(section, Section):
                section.print(findings, everything=arguments.all, stderr=stderr)
            else:
                section.print(findings, stderr=stderr)
    print_verdict(verdict_lines(findings, file, everything=arguments.all, advised=advised), stderr=stderr)
    return 0


def _share(text: str) -> float:
    share = share_of(text)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"expected a percentage from 0 to 100, such as 0.5%, found {text!r}")
    return share
