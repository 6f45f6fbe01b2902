"""Find function, file and line of MPI calls outside regions, and of waits in OpenMP, from addresses in the shards."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ...experiment import Region
from ..answer import answer

__all__ = ["call_site_names", "without_call_site"]

_SITE: Final = re.compile(r"(?P<file>.+)\+(?P<address>[0-9a-f]+)")  # twin: runtime/probe/call_site.c
_FORTRAN_MODULE: Final = re.compile(r"__(\w+)_MOD_(\w+)")
_FORTRAN_FILES: Final = (".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08")
_ARGUMENTS: Final = re.compile(r"<[^<>]*>")
_PATIENCE: Final = 120  # seconds to read the debug information of one file


class _Place(NamedTuple):
    """A line of a source; file and line are empty and 0 if unknown."""

    function: str
    file: str
    line: int


def call_site_names(regions: Iterable[Region]) -> dict[Region, Region]:
    """Map regions of calls that are known only by an address to regions with function, file and line.

    Binutils' ``addr2line`` resolves the addresses, called once per file. Without debug information it returns only
    functions, for a stripped program nothing. If nothing is found, all calls of an MPI function are one region.
    """
    different = {id(each): each for each in regions}  # ranks share region objects
    sites = {
        region: (found["file"], found["address"])
        for region in different.values()
        if _is_site(region) and (found := _SITE.fullmatch(region.function))
    }
    if not sites:
        return {}
    addresses: dict[str, list[str]] = {}
    for file, address in sorted(set(sites.values())):
        addresses.setdefault(file, []).append(address)
    places = {
        (file, address): place
        for file, all_of_file in addresses.items()
        for address, place in zip(all_of_file, _places(file, all_of_file), strict=True)
    }
    return _named({region: places[site] for region, site in sites.items()})


def without_call_site(region: Region) -> Region:
    """Return the region of all calls of the function, given the region of one call site."""
    return Region(region.kind, region.name) if _is_site(region) else region


def _is_site(region: Region) -> bool:
    return region.kind in ("mpi", "wait") and not region.file and bool(region.function)


def _named(sites: Mapping[Region, _Place | None]) -> dict[Region, Region]:
    """Return for each region one like those of probes around calls; calls in one line become one region."""
    calls: dict[tuple[str, str, str], set[tuple[int, str]]] = {}
    for region, place in sites.items():
        if place:
            calls.setdefault((region.kind, place.file, place.function), set()).add((place.line, region.name))
    ordinals = {
        (*function, *call): number for function, found in calls.items() for number, call in enumerate(sorted(found))
    }
    return {
        region: Region(
            region.kind,
            f"{region.name}@{place.line}" if place.line else region.name,
            place.file,
            place.function,
            ordinals[region.kind, place.file, place.function, place.line, region.name],
            place.line,
            place.line,
        )
        if place
        else without_call_site(region)
        for region, place in sites.items()
    }


def _places(file: str, addresses: Sequence[str]) -> list[_Place | None]:
    answers = _ask(["addr2line", "-f", "-e", file], addresses).splitlines()
    if len(answers) != 2 * len(addresses):
        return [None] * len(addresses)
    names = _ask(["c++filt", "--no-params"], answers[::2]).splitlines()
    functions = names if len(names) == len(addresses) else answers[::2]
    return [_place(function, line) for function, line in zip(functions, answers[1::2], strict=True)]


def _ask(command: Sequence[str], questions: Iterable[str]) -> str:
    """Return a tool's output for its input lines; empty if it fails."""
    # keeps the tool from fetching debug information over the network
    environment = {name: value for name, value in os.environ.items() if name != "DEBUGINFOD_URLS"}
    lines = "".join(f"{each}\n" for each in questions)
    return answer(command, environment, question=lines, patience=_PATIENCE) or ""


def _place(function: str, source: str) -> _Place | None:
    """Read ``solve`` and ``/home/me/app/solve.c:88 (discriminator 3)``; ``??`` and 0 mean unknown."""
    if function == "??":
        return None
    file, _, line = source.partition(" (")[0].rpartition(":")
    if not line.isdigit() or file == "??" or int(line) == 0:
        return _Place(_plain(function, ""), "", 0)
    return _Place(_plain(function, file), _from_here(file), int(line))


def _plain(function: str, file: str) -> str:
    """Return a function's name as in its source, without compilers' suffixes and template arguments."""
    if module := _FORTRAN_MODULE.fullmatch(function):
        return f"{module[1]}::{module[2]}"
    function = re.sub(r"\s*\[clone .*", "", function).partition(".")[0]
    if file.lower().endswith(_FORTRAN_FILES):
        return function.rstrip("_")
    while "operator" not in function and (shorter := _ARGUMENTS.sub("", function)) != function:
        function = shorter
    return function


def _from_here(file: str) -> str:
    path, here = Path(os.path.normpath(file)), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
