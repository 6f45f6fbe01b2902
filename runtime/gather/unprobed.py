"""Which functions without probes the regions of a run call, as the objects of its programs say."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path

from ...experiment import Region
from ...experiment.unprobed import entries

__all__ = ["unprobed_callees"]


def unprobed_callees(regions: Iterable[Region], programs: Iterable[str]) -> dict[str, str]:
    """Give the descriptors of those of some regions that call any, each with the names of the functions, a line each.

    Programs that are on this machine no more, or that a tool has rid of all that is not loaded, say nothing.
    """
    known = {region.descriptor for region in regions}
    found: dict[str, dict[str, None]] = {}
    for program in sorted(set(programs)):
        with (
            suppress(OSError, ValueError),
            Path(program).open("rb") as file,
            mmap(file.fileno(), 0, access=ACCESS_READ) as text,
        ):
            for descriptor, names in entries(text):
                if descriptor in known:
                    found.setdefault(descriptor, {}).update(dict.fromkeys(names))
    return {descriptor: "\n".join(names) for descriptor, names in sorted(found.items())}
