"""Nodes for the code of a program without probes: each place that was sampled is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Final

import numpy as np

from ...experiment import Region
from ..build import LIBRARY
from .sample_sums import CodePlace
from .shard import NODE, Form, Shard, ThreadTree, computing_of
from .shard_layout import SHARES

__all__ = ["CODE", "is_probed", "with_sampled_nodes"]

CODE: Final = "code"
"""The kind of a region that is a place of code, named as calls outside regions are; the gather replaces it."""

_WITHOUT_PROBES: Final = ("mpi", CODE)  # with probes, regions of calls have a file


def is_probed(region: Region) -> bool:
    """Return whether a probe of the program has recorded the region."""
    return region.kind not in _WITHOUT_PROBES or bool(region.file)


def with_sampled_nodes(shard: Shard) -> Shard:
    """Return the shard with a node for each place of code that was sampled, if the program has no probes.

    The place's share of the samples of its node is its share of that node's CPU time outside calls. What was not
    sampled, because the signal was blocked, and time without CPU stay where they are.

        (base: 10 s, 9 of them CPU)       (base: 1 s)
         └─ MPI_Send                  →    ├─ MPI_Send
                                           ├─ app+1234: 6 s
                                           └─ app+1240: 3 s
    """
    if not shard.samples or not shard.samples.by_node or shard.script:
        return shard
    regions = [*shard.regions]
    numbers: dict[CodePlace, int] = {}
    known = 1 - min(1.0, shard.samples.lost * shard.samples.period / max(shard.samples.seconds, shard.samples.period))
    threads = []
    for tree in shard.threads:
        sampled = {node: found for (thread, node), found in shard.samples.by_node.items() if thread == tree.index}
        for place in sorted(place for found in sampled.values() for place in found if place and _is_theirs(place)):
            if place not in numbers:
                numbers[place] = len(regions)
                regions.append(Region(CODE, "code", "", f"{place[0]}+{place[1]:x}"))
        threads.append(_with_nodes(tree, sampled, numbers, known))
    trees = tuple((tree.nodes["parent"].astype(np.int32), tree.nodes["region"].astype(np.int32)) for tree in threads)
    key = blake2b(repr([tuple(region) for region in regions]).encode("utf-8", "surrogateescape"), digest_size=16)
    for column in (column for tree in trees for column in tree):
        key.update(len(column).to_bytes(8) + column.tobytes())
    return replace(shard, form=Form(key.digest(), tuple(regions), trees), threads=tuple(threads))


def _is_theirs(place: CodePlace) -> bool:
    return bool(place[0]) and Path(place[0]).name != LIBRARY


def _with_nodes(
    tree: ThreadTree, sampled: Mapping[int, Mapping[CodePlace | None, int]], numbers: Mapping[CodePlace, int], known: float
) -> ThreadTree:
    computing = computing_of(tree.nodes)
    inside = np.sum([tree.nodes[f"{share}_wall"] for share in SHARES[1:]], axis=0)
    seconds = np.minimum(computing, np.maximum(tree.nodes["wall"] - inside, 0.0)) * known
    made = []
    for node, found in sorted(sampled.items()):
        each = seconds[node] / sum(found.values())
        for place, periods in sorted((place, periods) for place, periods in found.items() if place in numbers):
            added = np.zeros(1, NODE)
            added["parent"], added["region"] = node, numbers[place]
            added["wall"] = added["cpu"] = periods * each
            made.append(added)
    if not made:
        return tree
    nodes = np.concatenate([tree.nodes, *made])
    new = nodes[len(tree.nodes) :]
    for name in ("wall", "cpu"):
        np.subtract.at(nodes[name], new["parent"], new[name])
        np.maximum(nodes[name], 0.0, out=nodes[name])
    return replace(tree, nodes=nodes)
