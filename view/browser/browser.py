"""Three trees side by side (Song et al. 2004, section 4), whose values depend on the selections to the left.

No value is counted twice: a closed node shows its inclusive value, an open node only what its children do not show.
Selecting nodes aggregates across dimensions; closing a node aggregates within a dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Literal

from ...errors import InputError
from ...experiment import Experiment, Metric
from ...experiment.aggregate import added_parts
from .dimensions import call_tree, flat_profile, metric_tree, system_tree
from .pane import Pane
from .sums import Sums
from .tally import Tally, Value

__all__ = ["Browser", "Dimension", "browse", "summable"]

Dimension = Literal["metrics", "program", "system"]

_Read = Callable[[str], Tally]


@dataclass(frozen=True, eq=False)
class Browser:
    """The immutable state of a browser; actions return a new state.

    Attributes:
        sums: The values of the experiment.
        metrics: The metric tree, with at least one node selected.
        program: The call tree or the flat profile, with at least one node selected.
        system: The system tree; no values depend on its selection.
    """

    sums: Sums
    metrics: Pane
    program: Pane
    system: Pane

    def pane(self, dimension: Dimension) -> Pane:
        """Return the tree of a dimension, with its open and selected nodes."""
        return {"metrics": self.metrics, "program": self.program, "system": self.system}[dimension]

    def opened(self, dimension: Dimension, *nodes: int) -> Browser:
        """Return the state after opening nodes of a tree."""
        return self._with(dimension, self.pane(dimension).opened(*nodes))

    def closed(self, dimension: Dimension, *nodes: int) -> Browser:
        """Return the state after closing nodes of a tree."""
        return self._with(dimension, self.pane(dimension).closed(*nodes))

    def selecting(self, dimension: Dimension, *nodes: int) -> Browser:
        """Return the state in which only these nodes of a tree are selected; trees to the right show sums over them.

        Raises:
            InputError: The metric tree or the program's tree would have no selected node.
        """
        if not nodes and dimension != "system":
            raise InputError(f"expected at least one {dimension} node to select, found none")
        return self._with(dimension, self.pane(dimension).selecting(nodes))

    def unfolding(self, dimension: Dimension, node: int | None) -> Browser:
        """Return the state after unfolding the small children of a node, or the small roots for None."""
        return self._with(dimension, self.pane(dimension).unfolding(node))

    def _with(self, dimension: Dimension, pane: Pane) -> Browser:
        if dimension == "metrics":
            return replace(self, metrics=pane)
        return replace(self, program=pane) if dimension == "program" else replace(self, system=pane)

    def values(self, dimension: Dimension) -> Mapping[int, Value]:
        """Map each shown node to its value, in the order of the tree; an open node's value excludes its children."""
        return {
            node: tally.value(place, has_cells=self._has_cells(dimension, node))
            for node, tally, place in self._tallies(dimension)
        }

    def inclusive(self, dimension: Dimension) -> Mapping[int, Value]:
        """Map each shown node to its inclusive value, which it shows when it is closed."""
        shown = self.pane(dimension).shown()
        if dimension == "metrics":
            return {node: self.sums.total(self.sums.experiment.metrics[node].name).value(0) for node in shown}
        closed = (self.of_program if dimension == "program" else self.of_system)[1]
        return {node: closed.value(node) for node in shown}

    def _has_cells(self, dimension: Dimension, node: int) -> bool:
        """Return whether a node should have cells (see ``Tally``); metrics and open system nodes may have none."""
        return dimension == "program" or (dimension == "system" and not self.system.is_open(node))

    def together(self, dimension: Dimension, nodes: Collection[int]) -> Value:
        """Return the aggregated value of several shown nodes."""
        found = [tally.at(place) for node, tally, place in self._tallies(dimension) if node in nodes]
        return reduce(Tally.plus, found).value(0, has_cells=dimension != "metrics")

    def _tallies(self, dimension: Dimension) -> Iterator[tuple[int, Tally, int]]:
        """Yield each shown node with the tally that contains its value, and the value's place in the tally."""
        pane = self.pane(dimension)
        if dimension == "metrics":
            yield from ((node, self._of_metric(node), 0) for node in pane.shown())
            return
        own, closed = self.of_program if dimension == "program" else self.of_system
        yield from ((node, own if pane.is_open(node) else closed, node) for node in pane.shown())

    def _of_metric(self, node: int) -> Tally:
        """Return the shown value of a metric, over all call paths and locations, as a tally with one place."""
        whole, parts = self._terms(node)
        return reduce(Tally.less, map(self.sums.total, parts), self.sums.total(whole))

    def _terms(self, node: int) -> tuple[str, tuple[str, ...]]:
        """Return the name of a node's metric and, if the node is open, the child metrics to subtract from it."""
        experiment = self.sums.experiment
        name = experiment.metrics[node].name
        return name, added_parts(experiment, name) if self.metrics.is_open(node) else ()

    @property
    def summed(self) -> bool:
        """Whether the selected metrics can be added: all are sums with the same unit."""
        return summable([self.sums.experiment.metrics[node] for node in self.metrics.selected])

    @cached_property
    def of_program(self) -> tuple[Tally, Tally]:
        """The exclusive and inclusive values of the selected metrics at each program node, over all locations."""
        own = self._selected(self.sums.by_path).at_home(self.program.tree)
        return own, own.up(self.program.tree)

    @cached_property
    def of_system(self) -> tuple[Tally, Tally]:
        """The exclusive and inclusive values of the selected metrics and program nodes at each system node."""
        paths = self.program.tree.cells(self.program.held(self.program.selected))
        own = self._selected(lambda metric: self.sums.by_location(metric, paths)).at_home(self.system.tree)
        return own, own.up(self.system.tree)

    def _selected(self, read: _Read) -> Tally:
        """Return the sum of the selected metrics; if they cannot be added, only places with one cell have a value.

        Args:
            read: Returns the tally of a metric.
        """
        tallies = []
        for node in sorted(self.metrics.selected):
            whole, parts = self._terms(node)
            tallies.append(reduce(Tally.less, map(read, parts), read(whole)))
        if len(tallies) > 1 and not self.summed:
            tallies = [replace(each, aggregation="none") for each in tallies]
        return reduce(Tally.plus, tallies)


def summable(metrics: Sequence[Metric]) -> bool:
    """Return whether metrics can be added: all are sums with the same unit."""
    return {each.aggregation for each in metrics} == {"sum"} and len({each.unit for each in metrics}) == 1


def browse(experiment: Experiment, *, flat: bool = False) -> Browser:
    """Return a browser with all trees closed, and the first metric and the first root of the program selected.

    Args:
        experiment: A run, or an experiment derived from runs.
        flat: Whether to show regions instead of call paths.

    Raises:
        InputError: The experiment has no metric or no call path.
    """
    if not experiment.metrics or not experiment.call_paths:
        raise InputError(f"expected an experiment with at least one metric and one call path, found {experiment.size}")
    first = frozenset({0})
    program = flat_profile(experiment) if flat else call_tree(experiment)
    return Browser(
        Sums(experiment),
        Pane(metric_tree(experiment), selected=first),
        Pane(program, selected=first),
        Pane(system_tree(experiment)),
    )
