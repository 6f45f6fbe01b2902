"""Record the functions without probes that a source's regions call; their time counts as the regions' own time."""

from __future__ import annotations

from collections.abc import Iterator

from ..experiment.region import Region
from ..experiment.unprobed import entry
from .code_region import CodeRegion, CodeRegions
from .object_notes import noted

__all__ = ["assembly"]


def assembly(found: CodeRegions) -> list[str]:
    """Return assembler lines that record the functions without probes called in each region, if there are any."""
    strings = [entry(region.descriptor, tuple(names)) for region, names in _unprobed(found).items()]
    return noted(strings)


def _unprobed(found: CodeRegions) -> dict[Region, list[str]]:
    """Map each region to the functions without probes that it calls, directly or through other such functions."""
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
    """Yield the caller and callee of each call of a function without a probe.

    The caller is a region with a probe, or another function without one.

    Args:
        found: The regions and calls of the source.
        without: Offset of a function's end → the function, for those without probes.
    """
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
