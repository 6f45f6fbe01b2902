"""A forest of named nodes, for one of the dimensions of an experiment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

__all__ = ["Tree"]


@dataclass(frozen=True, eq=False)
class Tree:
    """A forest of nodes 0, 1, …, parents before children.

    Attributes:
        labels: The name of each node.
        parents: The parent of each node; None for a root.
        home: ``intp[cell]``: the node to which each row or column of a metric's values belongs. Each row or column
            belongs to exactly one node, so no value is counted twice.
        identities: A name for each node, for use in links; it is the same in other runs of the program.
    """

    labels: tuple[str, ...]
    parents: tuple[int | None, ...]
    home: npt.NDArray[np.intp]
    identities: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The nodes without a parent."""
        return tuple(node for node, parent in enumerate(self.parents) if parent is None)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each node."""
        lists: list[list[int]] = [[] for _ in self.labels]
        for node, parent in enumerate(self.parents):
            if parent is not None:
                lists[parent].append(node)
        return tuple(map(tuple, lists))

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """The depth of each node; 0 for a root."""
        found: list[int] = []
        for parent in self.parents:
            found.append(0 if parent is None else found[parent] + 1)
        return tuple(found)

    @cached_property
    def _cells(self) -> tuple[npt.NDArray[np.intp], ...]:
        order = np.argsort(self.home, kind="stable")
        return tuple(np.split(order, np.searchsorted(self.home[order], np.arange(1, len(self)))))

    def ancestors(self, node: int) -> Iterator[int]:
        """Yield a node's ancestors, from its parent up to its root."""
        parent = self.parents[node]
        while parent is not None:
            yield parent
            parent = self.parents[parent]

    def root(self, node: int) -> int:
        """Return the root above a node."""
        return [node, *self.ancestors(node)][-1]

    def walk(self, starts: Iterable[int], into: Collection[int] | None = None) -> Iterator[int]:
        """Yield nodes and their descendants, parents first.

        Args:
            starts: The nodes at which to start.
            into: Nodes whose children are included; None for all.
        """
        pending = [*starts][::-1]
        while pending:
            node = pending.pop()
            yield node
            if into is None or node in into:
                pending.extend(reversed(self.children[node]))

    def cells(self, nodes: Iterable[int]) -> npt.NDArray[np.intp]:
        """Return the sorted ``intp`` rows or columns that belong to some nodes, without those of their descendants."""
        held = [self._cells[node] for node in nodes]
        return np.sort(np.concatenate(held)) if held else np.zeros(0, np.intp)
