"""Add nodes for the code of a program without probes: one node for each place that was sampled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Region
from ..build import LIBRARY
from .sample_sums import CodePlace, Covered, Samples
from .shard import NODE, Form, Shard, ThreadTree, computing_of
from .shard_layout import SHARES

__all__ = ["CODE", "Spread", "is_probed", "spread_over", "spread_path", "with_sampled_nodes"]

Spread = Mapping[tuple[int, int], Sequence[tuple[int, float]]]
"""Thread and node → the nodes that get parts of this node's own work, each with its share."""

CODE: Final = "code"
"""The kind of regions for code addresses, named like calls outside regions; replaced by functions and lines later."""

_TINY: Final = 1e-9  # seconds
_TICK: Final = 0.01  # seconds by which the last sample may be late
_WITHOUT_PROBES: Final = ("mpi", CODE)  # regions of these kinds lack a file only in programs without probes


def is_probed(region: Region) -> bool:
    """Return whether a probe of the program has recorded the region."""
    return region.kind not in _WITHOUT_PROBES or bool(region.file)


def with_sampled_nodes(shard: Shard) -> tuple[Shard, Spread]:
    """Return the shard with a node for each sampled place in code, and the work that was moved to these nodes.

    A program with probes stays unchanged. Each place gets the share of its node's CPU time outside calls that it has of
    the node's samples. Time that was not sampled because the signal was blocked, and time off the CPU, stay at the
    node, except time waiting for a core, which is divided like CPU time::

        (base: 10 s, 9 of them CPU)       (base: 1 s)
         └─ MPI_Send                  →    ├─ MPI_Send
                                           ├─ app+1234: 6 s
                                           └─ app+1240: 3 s
    """
    if not shard.samples or not shard.samples.by_node or shard.script:
        return shard, {}
    made = _Maker(shard, shard.samples)
    threads = tuple(map(made.tree, shard.threads))
    regions = (*shard.regions, *(Region(CODE, "code", "", f"{file}+{at:x}") for file, at in made.numbers))
    trees = tuple((tree.nodes["parent"].astype(np.int32), tree.nodes["region"].astype(np.int32)) for tree in threads)
    key = blake2b(repr([tuple(region) for region in regions]).encode("utf-8", "surrogateescape"), digest_size=16)
    for column in (column for tree in trees for column in tree):
        key.update(len(column).to_bytes(8) + column.tobytes())
    return replace(shard, form=Form(key.digest(), regions, trees), threads=threads), made.spread


def _is_theirs(place: CodePlace) -> bool:
    return bool(place[0]) and Path(place[0]).name != LIBRARY


class _Maker:
    """Makes the additional nodes of one process, one for each sampled place in code.

    Attributes:
        numbers: Place in code → the number of its region.
        spread: The work that was moved to these nodes.
    """

    def __init__(self, shard: Shard, samples: Samples) -> None:
        self.numbers: dict[CodePlace, int] = {}
        self.spread: dict[tuple[int, int], list[tuple[int, float]]] = {}
        self._first = len(shard.regions)
        self._samples = samples
        computed = float(shard.threads[0].nodes["cpu"].sum()) if shard.threads else 0.0
        self._delay = (shard.run_delay or 0.0) / max(computed, _TINY)

    def tree(self, tree: ThreadTree) -> ThreadTree:
        """Return a thread's tree with the new nodes after the others."""
        computing = computing_of(tree.nodes)
        inside = np.sum([tree.nodes[f"{share}_wall"] for share in SHARES[1:]], axis=0)
        wall = np.maximum(tree.nodes["wall"] - inside, 0.0)
        seconds = np.minimum(computing, wall) * self._known(tree)
        waits = np.minimum(self._delay, wall / np.maximum(seconds, _TINY) - 1.0)
        made: list[npt.NDArray[np.void]] = []
        for (thread, node), found in sorted(self._samples.by_node.items()):
            if thread != tree.index or not seconds[node] > 0:
                continue
            parts = self.spread.setdefault((thread, node), [])
            each = seconds[node] / sum(found.values())
            for place, periods in sorted((place, number) for place, number in found.items() if place):
                if not _is_theirs(place):
                    continue
                added = np.zeros(1, NODE)
                added["parent"] = node
                added["region"] = self.numbers.setdefault(place, self._first + len(self.numbers))
                added["cpu"] = periods * each
                added["wall"] = periods * each * (1.0 + waits[node])
                parts.append((len(tree.nodes) + len(made), periods * each / float(computing[node])))
                made.append(added)
        return replace(tree, nodes=_moved(tree.nodes, np.concatenate(made))) if made else tree

    def _known(self, tree: ThreadTree) -> float:
        """Return the share of a thread's CPU time that samples cover; samples may be lost, or missing at the end."""
        covered = self._samples.by_thread.get(tree.index, Covered(0.0, 0.0, goes_on=True))
        spent = covered.seconds + covered.lost
        if not covered.goes_on:
            spent = max(spent, float(tree.nodes["cpu"].sum()) - self._samples.period - _TICK)
        return covered.seconds / spent if spent > 0 else 1.0


def _moved(nodes: npt.NDArray[np.void], new: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """Return nodes with new nodes appended; the times of new nodes are subtracted from those of their parents."""
    found: npt.NDArray[np.void] = np.concatenate([nodes, new])
    for name in ("wall", "cpu"):
        np.subtract.at(found[name], new["parent"], new[name])
        np.maximum(found[name], 0.0, out=found[name])
    return found


def spread_over(thread: int, node: int, spread: Spread) -> Iterator[tuple[int, float]]:
    """Yield the nodes that did a node's own work, each with its share; most nodes did all their work themselves."""
    parts = spread.get((thread, node), ())
    yield from parts
    if (rest := 1.0 - sum(part for _, part in parts)) > 0:
        yield node, rest


def spread_path(rows: npt.NDArray[np.void], spread: Spread) -> npt.NDArray[np.void]:
    """Divide a node's part of the critical path among the nodes that did its work.

    Args:
        rows: The parts of the critical path on nodes, ``ON_PATH[node]``.
        spread: The work that was moved to sampled nodes.
    """
    if not spread:
        return rows
    found = []
    for row in rows:
        for node, part in spread_over(int(row["thread"]), int(row["node"]), spread):
            one = row.copy()
            one["node"] = node
            for name in ("path", "delay", "team"):
                one[name] = row[name] * part
            if node != row["node"]:
                one["wait"] = one["visits"] = 0.0
            found.append(one)
    return np.array(found, dtype=rows.dtype)
