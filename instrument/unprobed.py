"""Which functions without probes the regions of a source call: their time is these regions' own."""

from __future__ import annotations

from collections.abc import Iterator

from ..experiment.region import Region
from ..experiment.unprobed import entry
from .code_region import CodeRegion, CodeRegions
from .object_notes import noted

__all__ = ["assembly"]


def assembly(found: CodeRegions) -> list[str]:
    """Give the lines for the assembler that say it of each region; none where there is nothing to say."""
    strings = [entry(region.descriptor, tuple(names)) for region, names in _unprobed(found).items()]
    return noted(strings)


def _unprobed(found: CodeRegions) -> dict[Region, list[str]]:
    """Name the functions that have no probe and that each region calls, or one of these calls."""
    without = {each.end: each for each in found.regions if each.region.kind == "function" and each.reason}
    called: dict[CodeRegion, dict[CodeRegion, None]] = {}
    for caller, callee in _calls(found, without):
        called.setdefault(caller, {})[callee] = None
    result: dict[Region, list[str]] = {}
    for region in (each for each in called if not each.reason):
        reached, pending = {region: None}, [region]
        while pending:
            new = [each for each in called.get(pending.pop(0), ()) if each not in reached]
            reached.update(dict.fromkeys(new))
            pending += new
        result[region.region] = list(dict.fromkeys(each.region.name for each in reached if each != region))
    return result


def _calls(found: CodeRegions, without: dict[int, CodeRegion]) -> Iterator[tuple[CodeRegion, CodeRegion]]:
    """Tell who calls what has no probe: the innermost region, or function without, that holds the call."""
    calls = sorted(call for call in found.calls if call[1] in without)
    callers = [each for each in found.regions if not each.reason or each.region.kind == "function"] if calls else []
    callers.sort(key=lambda each: (-each.start, each.end))
    around: list[CodeRegion] = []
    for offset, end in calls:
        while callers and callers[-1].start <= offset:
            around.append(callers.pop())
        while around and around[-1].end <= offset:
            around.pop()
        if around:
            yield around[-1], without[end]
