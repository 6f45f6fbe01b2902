"""A tree with its open and selected nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from ...errors import InputError
from .tree import Tree

__all__ = ["Pane"]


@dataclass(frozen=True, eq=False)
class Pane:
    """One of the three trees as shown. Selected nodes are always visible.

    Attributes:
        tree: All of its nodes.
        open: Those whose children are shown, if they are shown themselves.
        selected: The nodes on which other trees depend.
        unfolded: Nodes whose small children are shown, too; None means the roots.
    """

    tree: Tree
    open: frozenset[int] = frozenset()
    selected: frozenset[int] = frozenset()
    unfolded: frozenset[int | None] = frozenset()

    def is_open(self, node: int) -> bool:
        """Return whether a node's children are shown, and hold what it does not."""
        return node in self.open and bool(self.tree.children[node])

    def shown(self) -> Iterator[int]:
        """Yield the visible nodes, from the top."""
        return self.tree.walk(self.tree.roots, self.open)

    def held(self, nodes: Iterable[int]) -> Iterator[int]:
        """Yield the nodes whose exclusive values make up those of visible nodes: all descendants of closed ones."""
        for node in nodes:
            if self.is_open(node):
                yield node
            else:
                yield from self.tree.walk([node])

    def opened(self, *nodes: int) -> Pane:
        """Open nodes; each then shows what its children do not."""
        self._check(nodes)
        return replace(self, open=self.open | {node for node in nodes if self.tree.children[node]})

    def closed(self, *nodes: int) -> Pane:
        """Close nodes; each then shows all its descendants' values, and becomes selected if one of them was."""
        self._check(nodes)
        pane = replace(self, open=self.open - {*nodes})
        return replace(pane, selected=frozenset(map(pane._visible, self.selected)))

    def _visible(self, node: int) -> int:
        """Return the visible node that shows a hidden node's value."""
        closed = [each for each in self.tree.ancestors(node) if each not in self.open]
        return closed[-1] if closed else node

    def unfolding(self, node: int | None) -> Pane:
        """Show the small children of a node, or small roots."""
        return replace(self, unfolded=self.unfolded | {node})

    def selecting(self, nodes: Collection[int]) -> Pane:
        """Select nodes instead of others, and open their ancestors."""
        self._check(nodes)
        above = (each for node in nodes for each in self.tree.ancestors(node))
        return replace(self, selected=frozenset(nodes), open=self.open.union(above))

    def _check(self, nodes: Iterable[int]) -> None:
        for node in nodes:
            if not 0 <= node < len(self.tree):
                raise InputError(f"expected a node from 0 to {len(self.tree) - 1}, found {node}")
