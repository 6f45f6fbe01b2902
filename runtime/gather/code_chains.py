"""Find the functions and lines of sampled code, and of calls in programs without probes."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from ...experiment import Region
from ...experiment.sampled_regions import LINE
from .addresses import SYSTEM, VARIANT, AddressPlace, inlined_at, library_of, sections_of, symbols_at
from .head import Shape
from .sampled_nodes import CODE

__all__ = ["code_chains", "said_of_changes", "said_of_code"]

_PLACE: Final = re.compile(r"(?P<file>.+)\+(?P<address>[0-9a-f]+)")  # the same as in runtime/probe/call_site.c
_LINES: Final = frozenset({".debug_line", ".zdebug_line"})
_SKEW: Final = 2.0  # maximum difference, in seconds, between the clocks of a node and of its disk


def code_chains(shapes: Iterable[Shape], names: Mapping[Region, Region]) -> dict[Region, tuple[Region, ...]]:
    """Return the regions that replace a region, outermost first.

    For a code address, these are the function and the line, then the function that is inlined there and its line, and
    so on. MPI calls are below the regions of their call site. Without debug information, there are only functions.

    Args:
        shapes: The call paths of the processes.
        names: The names of regions that were known only by an address, from ``call_site_names``.
    """
    chains: dict[Region, tuple[Region, ...]] = {region: (name,) for region, name in names.items()}
    sampled = [shape for shape in shapes if any(region.kind == CODE for region in shape.regions)]
    found = {region: place for shape in sampled for region in shape.regions if (place := _place_of(region))}
    places = _resolved(found.values())
    for region, place in found.items():
        frames = tuple(_frames(places.get(place, []), place[0]))
        if region.kind == CODE:
            chains[region] = frames
        else:
            chains[region] = (*frames, names.get(region, region)) if frames and frames[0].file else chains[region]
    return chains


def said_of_code(chains: Mapping[Region, Sequence[Region]]) -> Iterator[str]:
    """Yield warnings about what samples cannot show, because a program lacks debug information or symbols."""
    programs: dict[str, set[str]] = {}
    gone: set[str] = set()
    has_tool = shutil.which("addr2line") is not None
    for region, frames in chains.items():
        file = (_place_of(region) or ("", ""))[0]
        if region.kind == CODE and not library_of(file):
            if not os.access(file, os.R_OK):
                gone.add(file)
            shown = {frame.kind if frame.name != Path(file).name else "" for frame in frames}
            programs.setdefault(file, set()).update(shown)
    for file, shown in sorted(programs.items()):
        name = Path(file).name
        if file in gone:
            yield (
                f"samples show no functions, because {file} is not on this machine; run autoanalyzer gather on a "
                "machine that has this file"
            )
        elif not has_tool:
            yield "samples show no functions, because addr2line is missing; install binutils"
        elif LINE not in shown and "function" in shown:
            yield from _said_of_lines(file)
        elif LINE not in shown:
            yield f"{name} is stripped, so samples show no functions; compile with -g, and do not strip the program"


def _said_of_lines(file: str) -> Iterator[str]:
    """Yield a warning if a program has no line numbers at all; if only some of its files lack them, yield nothing."""
    if _LINES.isdisjoint(sections_of(file)):
        yield f"{Path(file).name} has no line numbers, so samples show only functions; compile with -g"


def said_of_changes(chains: Mapping[Region, Sequence[Region]], began: float) -> Iterator[str]:
    """Yield warnings about programs that are newer than the run, and about sources that are newer than their programs.

    Args:
        chains: The result of ``code_chains``.
        began: When the run began, in seconds since 1970.
    """
    found: dict[str, set[str]] = {}
    for region, frames in chains.items():
        place = _place_of(region)
        if region.kind == CODE and place and (sources := {frame.file for frame in frames} - {""}):
            found.setdefault(place[0], set()).update(sources)
    for program, sources in sorted(found.items()):
        built, name = _written(program), Path(program).name
        if built > began + _SKEW:
            yield f"{name} is newer than the run, so functions and lines may be those of another build"
        elif newer := sorted(file for file in sources if 0 < built < _written(file)):
            others = f" and {len(newer) - 1} other sources are" if len(newer) > 1 else " is"
            yield f"{newer[0]}{others} newer than {name}, so functions, loops and lines may be wrong"


def _written(file: str) -> float:
    """Return when a file was written, in seconds since 1970; 0 if it is not on this machine."""
    try:
        return Path(file).stat().st_mtime
    except OSError:
        return 0.0


def _place_of(region: Region) -> tuple[str, str] | None:
    if region.kind not in (CODE, "mpi") or region.file:
        return None
    found = _PLACE.fullmatch(region.function)
    return (found["file"], found["address"]) if found else None


def _resolved(places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[AddressPlace]]:
    files: dict[str, list[str]] = {}
    for file, address in sorted(set(places)):
        files.setdefault(file, []).append(address)
    resolved: dict[tuple[str, str], list[AddressPlace]] = {}
    for file, addresses in files.items():
        chains = inlined_at(file, addresses)
        bare = [address for address, chain in zip(addresses, chains, strict=True) if not any(at.file for at in chain)]
        symbols = dict(zip(bare, symbols_at(file, bare), strict=True)) if bare else {}
        for address, chain in zip(addresses, chains, strict=True):
            symbol = symbols.get(address)
            known = chain if address not in symbols else [AddressPlace(symbol, "", 0)] if symbol else []
            resolved[file, address] = known
    return resolved


def _frames(chain: Sequence[AddressPlace], file: str) -> Iterable[Region]:
    """Yield the regions of functions and lines, outermost first; code without debug information gets one region."""
    library = library_of(file)
    is_systems = bool(library) and file.startswith(SYSTEM)
    known = [] if is_systems else [place for place in reversed(chain) if place.file]
    if not known:
        name = chain[-1].function if chain else ""
        if is_systems and (found := VARIANT.fullmatch(name)):
            name = found[1]
        if library:
            yield Region("library", f"{name} ({library})" if name else library)
        else:
            yield Region("function", name or Path(file).name, "", name or Path(file).name)
    for place in known:
        yield Region("function", place.function, place.file, place.function)
        yield Region(LINE, f"line {place.line}", place.file, place.function, place.line, place.line, place.line)
