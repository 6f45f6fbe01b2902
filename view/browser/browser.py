"""Three trees side by side (Song et al. 2004, section 4): values depend on the selections to the left.

A tree shows each part of a value once: a closed node shows everything that it includes, an open node only what its
children do not show. So selecting aggregates across dimensions, and closing within one.
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
    """The state of a browser. It is immutable: actions return a new one.

    Attributes:
        sums: The numbers.
        metrics: The metric tree; something in it is selected.
        program: The call tree, or the flat profile; something in it is selected.
        system: The system tree; nothing depends on its selection.
    """

    sums: Sums
    metrics: Pane
    program: Pane
    system: Pane

    def pane(self, dimension: Dimension) -> Pane:
        """Return one of the trees."""
        return {"metrics": self.metrics, "program": self.program, "system": self.system}[dimension]

    def opened(self, dimension: Dimension, *nodes: int) -> Browser:
        """Open nodes of a tree."""
        return self._with(dimension, self.pane(dimension).opened(*nodes))

    def closed(self, dimension: Dimension, *nodes: int) -> Browser:
        """Close nodes of a tree."""
        return self._with(dimension, self.pane(dimension).closed(*nodes))

    def selecting(self, dimension: Dimension, *nodes: int) -> Browser:
        """Select nodes of a tree instead of others; dependent values are aggregated over them.

        Raises:
            InputError: None is given, of metrics or of the program.
        """
        if not nodes and dimension != "system":
            raise InputError(f"expected at least one node of the {dimension} to select, found none")
        return self._with(dimension, self.pane(dimension).selecting(nodes))

    def unfolding(self, dimension: Dimension, node: int | None) -> Browser:
        """Show the small nodes right below a node of a tree, or among its roots, too."""
        return self._with(dimension, self.pane(dimension).unfolding(node))

    def _with(self, dimension: Dimension, pane: Pane) -> Browser:
        if dimension == "metrics":
            return replace(self, metrics=pane)
        return replace(self, program=pane) if dimension == "program" else replace(self, system=pane)

    def values(self, dimension: Dimension) -> Mapping[int, Value]:
        """Return the value of each shown node of a tree, from the top."""
        return {
            node: tally.value(place, has_cells=self._has_cells(dimension, node))
            for node, tally, place in self._tallies(dimension)
        }

    def _has_cells(self, dimension: Dimension, node: int) -> bool:
        """Return whether a node's value has cells, call paths or locations; an open machine has none."""
        return dimension == "program" or (dimension == "system" and not self.system.is_open(node))

    def together(self, dimension: Dimension, nodes: Collection[int]) -> Value:
        """Return the aggregated value of several shown nodes."""
        found = [tally.at(place) for node, tally, place in self._tallies(dimension) if node in nodes]
        return reduce(Tally.plus, found).value(0, has_cells=dimension != "metrics")

    def _tallies(self, dimension: Dimension) -> Iterator[tuple[int, Tally, int]]:
        """Yield each shown node with the tally, and the place in it, of its value."""
        pane = self.pane(dimension)
        if dimension == "metrics":
            yield from ((node, self._of_metric(node), 0) for node in pane.shown())
            return
        own, closed = self.of_program if dimension == "program" else self.of_system
        yield from ((node, own if pane.is_open(node) else closed, node) for node in pane.shown())

    def _of_metric(self, node: int) -> Tally:
        """Return the value of a metric node, over all call paths and locations."""
        whole, parts = self._terms(node)
        return reduce(Tally.less, map(self.sums.total, parts), self.sums.total(whole))

    def _terms(self, node: int) -> tuple[str, tuple[str, ...]]:
        """Return a node's metric, and those child metrics that its children show."""
        experiment = self.sums.experiment
        name = experiment.metrics[node].name
        return name, added_parts(experiment, name) if self.metrics.is_open(node) else ()

    @property
    def summed(self) -> bool:
        """Whether the selected metrics are sums of one unit."""
        return summable([self.sums.experiment.metrics[node] for node in self.metrics.selected])

    @cached_property
    def of_program(self) -> tuple[Tally, Tally]:
        """The selected metrics at each node of the program, over all locations: exclusive and inclusive."""
        own = self._selected(self.sums.by_path).at_home(self.program.tree)
        return own, own.up(self.program.tree)

    @cached_property
    def of_system(self) -> tuple[Tally, Tally]:
        """The selected metrics of the selected program nodes at each node of the system, as in ``of_program``."""
        paths = self.program.tree.cells(self.program.held(self.program.selected))
        own = self._selected(lambda metric: self.sums.by_location(metric, paths)).at_home(self.system.tree)
        return own, own.up(self.system.tree)

    def _selected(self, read: _Read) -> Tally:
        """Add the selected metrics if they are sums of one unit; otherwise only a single metric has a value."""
        tallies = []
        for node in sorted(self.metrics.selected):
            whole, parts = self._terms(node)
            tallies.append(reduce(Tally.less, map(read, parts), read(whole)))
        if len(tallies) > 1 and not self.summed:
            tallies = [replace(each, aggregation="none") for each in tallies]
        return reduce(Tally.plus, tallies)


def summable(metrics: Sequence[Metric]) -> bool:
    """Return whether values of metrics can be added: they are sums of one unit."""
    return {each.aggregation for each in metrics} == {"sum"} and len({each.unit for each in metrics}) == 1


def browse(experiment: Experiment, *, flat: bool = False) -> Browser:
    """Show an experiment with all trees closed, the first metric and the first root of the program selected.

    Args:
        experiment: Any, a run's or derived; it has a metric and a call path.
        flat: Show regions in place of call paths.

    Raises:
        InputError: There is nothing to show.
    """
    if not experiment.metrics or not experiment.call_paths:
        raise InputError(f"expected an experiment with a metric and a call path, found {experiment.size}")
    first = frozenset({0})
    program = flat_profile(experiment) if flat else call_tree(experiment)
    return Browser(
        Sums(experiment),
        Pane(metric_tree(experiment), selected=first),
        Pane(program, selected=first),
        Pane(system_tree(experiment)),
    )
