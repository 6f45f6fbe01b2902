"""Which functions without probes the regions of a run call, as the objects of its programs say."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path

from ...experiment.unprobed import entries
from .shard import Shard

__all__ = ["unprobed_callees"]


def unprobed_callees(shards: Iterable[Shard]) -> dict[str, str]:
    """Give the descriptors of regions, each with the names of the functions, a line each.

    Programs that are on this machine no more, or that a tool has rid of all that is not loaded, say nothing.
    """
    shards = list(shards)
    known = {region.descriptor for shard in shards for region in shard.regions}
    found: dict[str, dict[str, None]] = {}
    for program in sorted({shard.executable for shard in shards}):
        with (
            suppress(OSError, ValueError),
            Path(program).open("rb") as file,
            mmap(file.fileno(), 0, access=ACCESS_READ) as text,
        ):
            for descriptor, names in entries(text):
                if descriptor in known:
                    found.setdefault(descriptor, {}).update(dict.fromkeys(names))
    return {descriptor: "\n".join(names) for descriptor, names in sorted(found.items())}
