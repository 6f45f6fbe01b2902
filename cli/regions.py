"""``autoanalyzer regions``: the code-region tree of C, C++ and Fortran sources."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Final

from ..experiment.region import Region
from ..instrument.code_region import CodeRegion, CodeRegions
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
    for each in found.regions:
        if not each.reason and not why:
            yield f"{_indent(each)}{each.region.name}  {_lines_of(each.region, source)}"
    left_out = [each for each in found.regions if each.reason]
    if left_out or found.problems:
        yield "left out"
    for each in left_out:
        inside = f" in {each.region.function}" if each.region.kind == "loop" else ""
        yield f"  {each.region.name}{inside}  {_lines_of(each.region, source)}: {each.reason}"
    for problem in found.problems:
        yield f"  {problem}"


def _indent(found: CodeRegion) -> str:
    return "    " if found.region.kind == "loop" else "  "


def _lines_of(region: Region, source: str) -> str:
    lines = f"{region.first_line}-{region.last_line}"
    return lines if region.file == source else f"{region.file}:{lines}"
