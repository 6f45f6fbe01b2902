"""A tree with what is open in it, and what is selected."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from ...errors import InputError
from .tree import Tree

__all__ = ["Pane"]


@dataclass(frozen=True, eq=False)
class Pane:
    """One of the three trees as it is shown. What is selected is always shown.

    Attributes:
        tree: All of its nodes.
        open: Those whose children are shown, if they are shown themselves.
        selected: What other trees depend on.
        unfolded: Those below which small nodes are shown, too; None is for roots.
    """

    tree: Tree
    open: frozenset[int] = frozenset()
    selected: frozenset[int] = frozenset()
    unfolded: frozenset[int | None] = frozenset()

    def is_open(self, node: int) -> bool:
        """Tell whether a node's children are shown, and hold what it does not."""
        return node in self.open and bool(self.tree.children[node])

    def shown(self) -> Iterator[int]:
        """Walk the nodes that are shown, from the top."""
        return self.tree.walk(self.tree.roots, self.open)

    def held(self, nodes: Iterable[int]) -> Iterator[int]:
        """Walk the nodes whose own values make up what nodes show: all below where they are closed."""
        for node in nodes:
            if self.is_open(node):
                yield node
            else:
                yield from self.tree.walk([node])

    def opened(self, *nodes: int) -> Pane:
        """Open nodes: each shows from now on what its children do not."""
        self._check(nodes)
        return replace(self, open=self.open | {node for node in nodes if self.tree.children[node]})

    def closed(self, *nodes: int) -> Pane:
        """Close nodes: each shows all below it, and is selected if something below it was."""
        self._check(nodes)
        pane = replace(self, open=self.open - {*nodes})
        return replace(pane, selected=frozenset(map(pane._visible, self.selected)))

    def _visible(self, node: int) -> int:
        """Give the node where what is below a closed one is shown."""
        closed = [each for each in self.tree.ancestors(node) if each not in self.open]
        return closed[-1] if closed else node

    def unfolding(self, node: int | None) -> Pane:
        """Show the small nodes right below a node, or among the roots, too."""
        return replace(self, unfolded=self.unfolded | {node})

    def selecting(self, nodes: Collection[int]) -> Pane:
        """Select nodes in place of others, and open what hides them."""
        self._check(nodes)
        above = (each for node in nodes for each in self.tree.ancestors(node))
        return replace(self, selected=frozenset(nodes), open=self.open.union(above))

    def _check(self, nodes: Iterable[int]) -> None:
        for node in nodes:
            if not 0 <= node < len(self.tree):
                raise InputError(f"expected a node from 0 to {len(self.tree) - 1}, found {node}")
