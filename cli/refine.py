"""``autoanalyzer refine``: a plan for the next build, which opens bottlenecks and drops the rest."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from ..analyze.refinement.refine import Opened, Refinement, refine
from ..errors import InputError
from ..experiment.plan import build_line, save_plan
from ..runtime.open_experiment import open_experiment
from ..view.place import at_line, visible
from .analysis_arguments import add_selection_arguments, findings_of
from .documents import check_targets

__all__ = ["add_arguments", "instead", "opened_lines", "run", "write_refinement"]


_HEAD: Final = """\
# Heavy or unequal regions of {experiment}, opened; all else is left out. Build with it, and run again:
# {build}
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="an experiment's file, or a run's folder")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="PLAN", help="the plan to write, in TOML")
    add_selection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the plan, and say what it opens."""
    check_targets([arguments.experiment], output=arguments.output)
    experiment, file = open_experiment(arguments.experiment)
    refinement = refine(findings_of(experiment, arguments))
    if not refinement.opened:
        raise InputError(f"{file}: expected a bottleneck with a source, found {instead(refinement)}")
    write_refinement(arguments.output, refinement, file)
    sys.stdout.writelines(f"{line}\n" for line in opened_lines(refinement))
    sys.stdout.write(f"plan {arguments.output}: {build_line(arguments.output, refinement.plan)}\n")
    return 0


def write_refinement(path: Path, refinement: Refinement, file: Path) -> None:
    """Write the plan of a refinement of the experiment ``file``.

    Raises:
        InputError: It cannot be written.
    """
    build = build_line(path, refinement.plan)
    save_plan(path, refinement.plan, _HEAD.format(experiment=visible(str(file)), build=build))


def opened_lines(refinement: Refinement) -> list[str]:
    """Say what is opened, and into what."""
    return [_line(each) for each in refinement.opened]


def _line(opened: Opened) -> str:
    region = opened.region
    parts = ["loops"]
    if "mpi" in opened.modes:
        parts.append("MPI calls")
    if "library" in opened.modes:
        parts.append("I/O calls")
    if opened.into_blocks:
        parts.append("blocks")
    where = f"{at_line(region.file, region.first_line)}   {visible(opened.function)}"
    return f"opened   {where}: {', '.join(parts)}"


def instead(refinement: Refinement) -> str:
    """Say what there is where no bottleneck has a source."""
    if not refinement.elsewhere:
        return "none: ranks are alike, and no region stands out"
    names = ", ".join(visible(each.name) for each in refinement.elsewhere[:3])
    return f"{names}: build with aa-mpicc, aa-mpicxx or aa-mpifort"
