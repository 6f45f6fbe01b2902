"""A tree with its open and selected nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from ...errors import InputError
from .tree import Tree

__all__ = ["Pane"]


@dataclass(frozen=True, eq=False)
class Pane:
    """The state of one of the three trees; selected nodes are always visible.

    Attributes:
        tree: The tree.
        open: Nodes whose children are shown if the node itself is visible.
        selected: The selected nodes, on which values in other trees depend.
        unfolded: Nodes whose small children are shown in separate rows; None stands for the parent of the roots.
    """

    tree: Tree
    open: frozenset[int] = frozenset()
    selected: frozenset[int] = frozenset()
    unfolded: frozenset[int | None] = frozenset()

    def is_open(self, node: int) -> bool:
        """Return whether a node is open and has children; its shown value then excludes its children."""
        return node in self.open and bool(self.tree.children[node])

    def shown(self) -> Iterator[int]:
        """Yield the visible nodes, in order."""
        return self.tree.walk(self.tree.roots, self.open)

    def held(self, nodes: Iterable[int]) -> Iterator[int]:
        """Yield the nodes whose exclusive values add up to the shown values of some visible nodes.

        An open node contributes only its own value; a closed node also contributes the values of its descendants.
        """
        for node in nodes:
            if self.is_open(node):
                yield node
            else:
                yield from self.tree.walk([node])

    def opened(self, *nodes: int) -> Pane:
        """Return the tree after opening some nodes, whose values then exclude their children."""
        self._check(nodes)
        return replace(self, open=self.open | {node for node in nodes if self.tree.children[node]})

    def closed(self, *nodes: int) -> Pane:
        """Return the tree after closing some nodes, which then include their children.

        A closed node is selected if a descendant was selected.
        """
        self._check(nodes)
        pane = replace(self, open=self.open - {*nodes})
        return replace(pane, selected=frozenset(map(pane._visible, self.selected)))

    def _visible(self, node: int) -> int:
        """Return the visible node whose value includes the given node: the node itself or, if hidden, an ancestor."""
        closed = [each for each in self.tree.ancestors(node) if each not in self.open]
        return closed[-1] if closed else node

    def unfolding(self, node: int | None) -> Pane:
        """Return the tree after unfolding the small children of a node, or the small roots for None."""
        return replace(self, unfolded=self.unfolded | {node})

    def selecting(self, nodes: Collection[int]) -> Pane:
        """Return the tree with only these nodes selected, and their ancestors open."""
        self._check(nodes)
        above = (each for node in nodes for each in self.tree.ancestors(node))
        return replace(self, selected=frozenset(nodes), open=self.open.union(above))

    def _check(self, nodes: Iterable[int]) -> None:
        for node in nodes:
            if not 0 <= node < len(self.tree):
                raise InputError(f"expected a node from 0 to {len(self.tree) - 1}, found {node}")
