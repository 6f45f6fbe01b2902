"""``autoanalyzer refine``: a plan for the next build that opens bottlenecks and drops the rest."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..errors import InputError
from ..experiment.plan import build_line
from .analysis_arguments import add_selection_arguments, findings_of
from .documents import check_targets

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="an experiment's file, or a run's folder")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="PLAN", help="the plan to write, in TOML")
    add_selection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the plan, and report what it opens."""
    from ..analyze.refinement.refine import refine
    from ..runs.refined_plan import instead, opened_lines, write_refinement
    from ..runtime.open_experiment import open_experiment

    check_targets([arguments.experiment], output=arguments.output)
    experiment, file = open_experiment(arguments.experiment)
    refinement = refine(findings_of(experiment, arguments))
    if not refinement.opened:
        raise InputError(f"{file}: expected a bottleneck with a source, found {instead(refinement)}")
    write_refinement(arguments.output, refinement, file)
    sys.stdout.writelines(f"{line}\n" for line in opened_lines(refinement))
    sys.stdout.write(f"plan {arguments.output}: {build_line(arguments.output, refinement.plan)}\n")
    return 0
