"""Find function, file and line of MPI calls outside regions, and of waits in OpenMP, from addresses in the shards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from ...experiment import Region
from .addresses import AddressPlace, inlined_at

__all__ = ["call_site_names", "without_call_site"]

_SITE: Final = re.compile(r"(?P<file>.+)\+(?P<address>[0-9a-f]+)")  # the same as in runtime/probe/call_site.c


def call_site_names(regions: Iterable[Region]) -> dict[Region, Region]:
    """Map regions of calls that are known only by an address to regions with function, file and line.

    Binutils' ``addr2line``, called once per file, resolves the addresses. Without debug information, it returns only
    functions, and for a stripped program, nothing. If nothing is found, all calls of an MPI function are one region.
    """
    different = {id(each): each for each in regions}  # each object once, because ranks share region objects
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
        (file, address): next(iter(found), None)
        for file, all_of_file in addresses.items()
        for address, found in zip(all_of_file, inlined_at(file, all_of_file), strict=True)
    }
    return _named({region: places[site] for region, site in sites.items()})


def without_call_site(region: Region) -> Region:
    """Return the region of all calls of the function, given the region of one call site."""
    return Region(region.kind, region.name) if _is_site(region) else region


def _is_site(region: Region) -> bool:
    return region.kind in ("mpi", "wait") and not region.file and bool(region.function)


def _named(sites: Mapping[Region, AddressPlace | None]) -> dict[Region, Region]:
    """Map each call site to a region like those that probes record; calls on the same line share one region."""
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
