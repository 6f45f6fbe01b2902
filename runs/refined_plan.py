"""Write and describe the plan for the next build, which measures bottlenecks in more detail."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..analyze.refinement.refine import Opened, Refinement
from ..experiment.plan import build_line, save_plan
from ..view.place import at_line, visible

__all__ = ["instead", "opened_lines", "write_refinement"]

_HEAD: Final = """\
# Splits the slow or unequal regions of {experiment}, and leaves out all other regions.
# To build with this plan:
# {build}
"""


def write_refinement(path: Path, refinement: Refinement, file: Path) -> None:
    """Write a refinement's plan to ``path``, with a comment that names the experiment's file.

    Raises:
        InputError: The plan cannot be written.
    """
    build = build_line(path, refinement.plan)
    save_plan(path, refinement.plan, _HEAD.format(experiment=visible(str(file)), build=build))


def opened_lines(refinement: Refinement) -> list[str]:
    """Return a line per region that the plan splits, with its location and the kinds of regions to measure in it."""
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
    """Return why a run has no bottleneck to narrow down: there is none, or all are in code without probes."""
    if not refinement.elsewhere:
        return "no difference between ranks matters, and no region stands out"
    names = ", ".join(visible(each.name) for each in refinement.elsewhere[:3])
    return f"the bottleneck is in code that is not instrumented ({names}); build with aa-mpicc, aa-mpicxx or aa-mpifort"
