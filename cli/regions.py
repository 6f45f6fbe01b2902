"""``autoanalyzer regions``: list the regions of sources, write a plan for them, or list the measured MPI functions."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..errors import UsageError
from ..experiment.region import Region
from ..instrument.choice import Choice
from ..instrument.code_region import CodeRegion, CodeRegions
from ..instrument.listing import nested, write_listing
from ..view.lines import print_lines
from .functions import print_functions
from .source_arguments import USAGE, add_source_arguments, choice_of, sources_of

__all__ = ["add_arguments", "run"]

_OF_MPI: Final = "autoanalyzer regions --mpi [--why] [--cc MPICC]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    indent = " " * len("usage: ")
    parser.usage = f"autoanalyzer regions [--why] [--plan FILE] {USAGE}\n{indent}{_OF_MPI}"
    parser.add_argument(
        "--why", action="store_true", help="print only the regions that are left out, with the reason for each"
    )
    parser.add_argument(
        "--mpi",
        action="store_true",
        help=(
            "list the measured functions of the MPI library that --cc uses, and what is counted in each function; "
            "with --why, list only the functions that are not measured, although they may communicate"
        ),
    )
    parser.add_argument(
        "--plan",
        type=Path,
        metavar="FILE",
        help="write all regions, measured or not, to FILE as an editable plan; builds with "
        "AUTOANALYZER_PLAN=FILE follow this plan",
    )
    add_source_arguments(parser, nargs="*")


def run(arguments: argparse.Namespace) -> int:
    """Print the regions of each source and write the plan, or print the MPI functions."""
    if arguments.mpi:
        if arguments.sources or arguments.plan:
            raise UsageError(f"--mpi needs no sources and writes no plan: {_OF_MPI}")
        chosen = arguments.cc != arguments.parser.get_default("cc")
        print_functions(arguments.cc if chosen else None, "--cc", uncovered=arguments.why)
        return 0
    if not arguments.sources:
        arguments.parser.error("the following arguments are required: SRC")
    choice = choice_of(arguments, looks_for_all=arguments.plan is not None)
    found = []
    printed: set[CodeRegion | str] = set()
    for source in sources_of(arguments, choice):
        found.append((source.name, source.regions()))
        shown = _unprinted(source.name, Choice(choice.modes, choice.plan).shown(found[-1][1]), printed)
        print_lines(_lines(source.name, shown, why=arguments.why))
    if choice.plan_file and choice.plan_file.of_run:
        sys.stderr.write(f"autoanalyzer: plan {choice.plan_file.name}\n")
    known = [each.region for _, regions in found for each in (*regions.regions, *regions.off)]
    for remark in (*choice.outdated(known), *choice.remarks(known, whole=True)):
        warnings.warn(remark, stacklevel=1)
    if arguments.plan is not None:
        write_listing(arguments.plan, choice, found)
    return 0


def _unprinted(source: str, found: CodeRegions, printed: set[CodeRegion | str]) -> CodeRegions:
    """Return the regions of a source without those in headers that were already printed for an earlier source.

    Args:
        source: The source.
        found: All its regions.
        printed: The regions printed so far; the returned regions are added.
    """

    def is_new(file: str, key: CodeRegion | str) -> bool:
        if file != source and key in printed:
            return False
        printed.add(key)
        return True

    regions = tuple(each for each in found.regions if is_new(each.region.file, each._replace(start=0, end=0)))
    problems = tuple(each for each in found.problems if is_new(each.file, str(each)))
    return found._replace(regions=regions, problems=problems)


def _lines(source: str, found: CodeRegions, *, why: bool) -> Iterator[str]:
    yield source
    for depth, each in nested(found.regions):
        if not each.reason and not why:
            yield f"{'  ' * (depth + 1)}{each.region.name}  {_lines_of(each.region, source)}"
    left_out = [each for each in found.regions if each.reason]
    if left_out or found.problems:
        yield "left out"
    for each in left_out:
        inside = f" in {each.region.function}" if each.region.kind not in {"function", "program"} else ""
        yield f"  {each.region.name}{inside}  {_lines_of(each.region, source)}: {each.reason}"
    for problem in found.problems:
        yield f"  {problem}"


def _lines_of(region: Region, source: str) -> str:
    lines = f"{region.first_line}-{region.last_line}"
    return lines if region.file == source else f"{region.file}:{lines}"
