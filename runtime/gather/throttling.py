"""Regions that were throttled: entered so often, for so short a time, that measuring them took too large a share."""

from __future__ import annotations

from collections.abc import Iterable

from .call_sites import without_call_site
from .shard import Shard

__all__ = ["throttled_regions"]


def throttled_regions(shards: Iterable[Shard]) -> tuple[dict[str, str], int]:
    """Sum up what was throttled.

    Returns:
        Descriptors of regions, each with how often it was entered and how long it took while its time was known, that
        with the most entries first; and how many entries were not timed.
    """
    entered: dict[str, int] = {}
    timed: dict[str, int] = {}
    seconds: dict[str, float] = {}
    for shard in shards:
        for tree in shard.threads:
            for node, visits in tree.throttled.items():
                name = without_call_site(shard.regions[int(tree.nodes["region"][node])]).descriptor
                all_visits = int(tree.nodes["visits"][node])
                entered[name] = entered.get(name, 0) + all_visits
                timed[name] = timed.get(name, 0) + min(visits, all_visits)
                seconds[name] = seconds.get(name, 0.0) + float(tree.nodes["wall"][node])
    reasons = {
        name: f"entered {entered[name]:,} times, for {1e9 * seconds[name] / max(timed[name], 1):.0f} ns each"
        for name in sorted(entered, key=lambda name: -entered[name])
    }
    return reasons, sum(entered.values()) - sum(timed.values())
