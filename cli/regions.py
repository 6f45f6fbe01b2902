"""``autoanalyzer regions``: the code-region tree of C, C++ and Fortran sources."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Container, Iterator
from typing import Final

from ..experiment.region import Region
from ..instrument.code_region import CodeRegions
from .sources import USAGE, add_source_arguments, sources_of

__all__ = ["HELP", "NAME", "add_arguments", "run"]

NAME: Final = "regions"
HELP: Final = "print the code regions of C, C++ and Fortran sources, and what is left out with the reason"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = f"autoanalyzer regions [--why] {USAGE}"
    parser.add_argument("--why", action="store_true", help="print what is left out alone, with the reason")
    add_source_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the tree of each source."""
    for source in sources_of(arguments):
        sys.stdout.writelines(f"{line}\n" for line in _lines(source.name, source.regions(), why=arguments.why))
    return 0


def _lines(source: str, found: CodeRegions, *, why: bool) -> Iterator[str]:
    yield source
    functions = {each.region.function for each in found.regions if each.region.kind == "function" and not each.reason}
    for each in found.regions:
        if not each.reason and not why:
            yield f"{_shown(each.region, functions)}  {_lines_of(each.region, source)}"
    left_out = [each for each in found.regions if each.reason]
    if left_out or found.problems:
        yield "left out"
    for each in left_out:
        yield f"{_shown(each.region)}  {_lines_of(each.region, source)}: {each.reason}"
    for problem in found.problems:
        yield f"  {problem}"


def _shown(region: Region, functions: Container[str] = ()) -> str:
    """Name a region, a loop below its function if that is shown."""
    if region.kind != "loop":
        return f"  {region.name}"
    return f"    {region.name}" if region.function in functions else f"  {region.name} in {region.function}"


def _lines_of(region: Region, source: str) -> str:
    lines = f"{region.first_line}-{region.last_line}"
    return lines if region.file == source else f"{region.file}:{lines}"
