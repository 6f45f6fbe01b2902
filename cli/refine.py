"""``autoanalyzer debug --plan-only``, formerly ``refine``: write a plan that splits bottlenecks and omits the rest."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..errors import InputError
from ..experiment.plan import build_line
from .analysis_arguments import add_selection_arguments, findings_of
from .documents import check_targets

__all__ = ["add_arguments", "print_plan", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="a run's folder or an experiment file")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="PLAN", help="the plan to write, in TOML")
    add_selection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    print_plan(arguments.experiment, arguments)
    return 0


def print_plan(run: Path, arguments: argparse.Namespace) -> None:
    """Write the plan for the next build to ``arguments.output``, and print the regions that it splits.

    Raises:
        InputError: The run cannot be read, or has no bottleneck in instrumented code.
        UsageError: The plan cannot be written.
    """
    from ..analyze.refinement.refine import refine
    from ..runs.open_experiment import open_experiment
    from ..runs.refined_plan import instead, opened_lines, write_refinement

    check_targets([run], output=arguments.output)
    experiment, file = open_experiment(run)
    refinement = refine(findings_of(experiment, arguments))
    if not refinement.opened:
        raise InputError(f"{file}: expected a bottleneck to narrow down, but {instead(refinement)}")
    write_refinement(arguments.output, refinement, file)
    sys.stdout.writelines(f"{line}\n" for line in opened_lines(refinement))
    sys.stdout.write(f"plan {arguments.output}: {build_line(arguments.output, refinement.plan)}\n")
