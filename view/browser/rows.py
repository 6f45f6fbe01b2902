"""Compute the rows of a tree, for a page or a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from .browser import Browser, Dimension
from .folding import folded
from .legend import Legend, Relief, relief
from .percentages import Basis, share, wholes
from .tally import Value

__all__ = ["Row", "legend", "rows"]

_Written = Mapping[int, tuple[Value, str]]  # shown node → value and unit


State = Literal["open", "closed", "leaf", "folded"]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a tree: a node, or several folded nodes.

    Attributes:
        nodes: The node, or the folded nodes.
        depth: Depth in the tree; 0 for a root.
        label: Name of the node; ``3 more`` for folded nodes.
        state: ``open``, ``closed``, ``leaf``, or ``folded`` for folded nodes.
        value: The value, in percent if requested and possible.
        unit: Unit of the value: ``%``, or the metric's unit.
        relief: The relief that shows the sign of the value.
        colour: Position of the inclusive value on the legend, from 0 to 1, so that a node has the same colour whether
            it is open or closed; None if the value is missing, or if there is no legend.
        part: Position of ``value`` on the legend, from 0 to 1; None if the value is missing, or if there is no legend.
        selected: Whether the node is selected.
    """

    nodes: tuple[int, ...]
    depth: int
    label: str
    state: State
    value: Value
    unit: str
    relief: Relief
    colour: float | None
    part: float | None
    selected: bool


def rows(browser: Browser, dimension: Dimension, basis: Basis | None = None) -> Iterator[Row]:
    """Yield the rows of a tree from top to bottom; no value is counted twice.

    Args:
        browser: The state of the browser.
        dimension: The tree.
        basis: Determines the value that is 100 %; None for absolute values. A value without a percentage is shown as an
            absolute value.
    """
    pane, tree = browser.pane(dimension), browser.pane(dimension).tree
    small = folded(browser, dimension)
    hidden = {node for nodes in small.values() for node in nodes}
    written = _written(browser, dimension, basis)
    inclusive = _in_unit(browser, dimension, basis, browser.inclusive(dimension))
    legends = _legends(browser, dimension, written)
    for nodes in _order(browser, dimension, small):
        first = nodes[0]
        value, unit = written[first]
        label, state = tree.labels[first], _state(browser, dimension, first)
        if first in hidden:
            value = browser.together(dimension, nodes)
            if unit == "%" and basis is not None:
                value = share(value, wholes(browser, dimension, basis)[first])
            label, state = f"{len(nodes)} more", "folded"
        whole = inclusive[first][0] if state == "open" and value.amount is not None else value
        scale = legends.get(first)
        yield Row(
            nodes,
            tree.depths[first],
            label,
            state,
            value,
            unit,
            relief(value, unit),
            scale.place(value if whole.amount is None else whole) if scale else None,
            scale.place(value) if scale else None,
            first in pane.selected,
        )


def _state(browser: Browser, dimension: Dimension, node: int) -> State:
    pane = browser.pane(dimension)
    if pane.is_open(node):
        return "open"
    return "closed" if pane.tree.children[node] else "leaf"


def _order(
    browser: Browser, dimension: Dimension, small: Mapping[int | None, tuple[int, ...]]
) -> Iterator[tuple[int, ...]]:
    """Yield the nodes of each row: a single node, or all folded children of a node, which follow its other children."""
    pane = browser.pane(dimension)
    hidden = {node for nodes in small.values() for node in nodes}

    def below(parent: int | None) -> list[tuple[int, ...]]:
        nodes = pane.tree.roots if parent is None else pane.tree.children[parent]
        rows_ = [(node,) for node in nodes if node not in hidden]
        return [*rows_, *([small[parent]] if parent in small else [])][::-1]

    pending = below(None)
    while pending:
        nodes = pending.pop()
        yield nodes
        if len(nodes) == 1 and pane.is_open(nodes[0]):
            pending += below(nodes[0])


def legend(browser: Browser, dimension: Dimension, basis: Basis | None = None) -> Legend | None:
    """Return the colour scale of a tree; in the metric tree, of the first selected metric. None if there is none."""
    legends = _legends(browser, dimension, _written(browser, dimension, basis))
    if dimension != "metrics":
        return next(iter(legends.values()), None)
    return legends.get(min(browser.metrics.selected))


def _written(browser: Browser, dimension: Dimension, basis: Basis | None) -> _Written:
    """Map each shown node to its value and unit; values are in percent if requested and possible."""
    return _in_unit(browser, dimension, basis, browser.values(dimension))


def _in_unit(browser: Browser, dimension: Dimension, basis: Basis | None, values: Mapping[int, Value]) -> _Written:
    metrics = browser.sums.experiment.metrics
    of = wholes(browser, dimension, basis) if basis is not None else {}
    unit = metrics[min(browser.metrics.selected)].unit
    found = {}
    for node, value in values.items():
        own_unit = metrics[node].unit if dimension == "metrics" else unit
        in_percent = node in of and of[node].amount
        found[node] = (share(value, of[node]), "%") if in_percent else (value, own_unit)
    return found


def _legends(browser: Browser, dimension: Dimension, written: _Written) -> Mapping[int, Legend]:
    """Map each shown node to its colour scale.

    A scale ends at the metric's total, or at the largest value if that is larger. In the system tree, it ends at the
    largest value, because each rank of a large run has only a small share. Metrics with the same unit share a scale.
    Metrics that are not additive have no scale.
    """
    of = wholes(browser, dimension, "root")
    tops: dict[str, float] = {}
    groups: dict[int, str] = {}
    for node, (value, unit) in written.items():
        if dimension == "metrics" and of[node].amount is None:
            continue
        groups[node] = unit
        total = 0.0 if dimension == "system" else 100.0 if unit == "%" else abs(of[node].amount or 0.0)
        tops[unit] = max(tops.get(unit, 0.0), total, abs(value.amount or 0.0))
    return {node: Legend(tops[unit], unit) for node, unit in groups.items()}
