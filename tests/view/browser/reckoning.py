"""Compute the values that a browser must show from those of the experiment, without the browser's code.

Only the browser's state is used: which nodes are open and selected, and the position of a node in its tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import reduce

import numpy as np

from autoanalyzer.experiment import Experiment
from autoanalyzer.view.browser import Browser

Cells = list[tuple[float, np.ndarray]]  # terms of a sum: the sign, and the cells whose values are added
Seen = tuple[float | None, str]


class Reckoning:
    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.values = {metric.name: experiment.exclusive(metric.name) for metric in experiment.metrics}

    def metric_tree(self, browser: Browser) -> dict[int, Seen]:
        everywhere = range(len(self.experiment.call_paths)), range(len(self.experiment.locations))
        nodes = self._shown(browser.metrics.open, self._metric_children, self._metric_roots())
        return {node: self._value(browser, [node], *everywhere) for node in nodes}

    def program_tree(self, browser: Browser) -> dict[int, Seen]:
        locations = range(len(self.experiment.locations))
        return {
            node: self._value(browser, browser.metrics.selected, self._rows(browser, [node]), locations)
            for node in self._shown_program(browser)
        }

    def system_tree(self, browser: Browser) -> dict[tuple[object, ...], Seen]:
        """Return the values in the system tree, by the names of a node and of those above it, from the machine down."""
        rows = self._rows(browser, browser.program.selected)
        threads = Counter(place.process for place in self.experiment.locations)
        columns: dict[tuple[object, ...], list[int]] = {}
        for column, place in enumerate(self.experiment.locations):
            names: tuple[object, ...] = (place.machine, place.node, f"rank {place.process}")
            if threads[place.process] > 1:
                names = (*names, f"thread {place.thread}")
            for size in range(1, len(names) + 1):
                columns.setdefault(names[:size], []).append(column)
        open_ = {system_key(browser, node) for node in browser.system.open}
        found = {}
        for key, held in columns.items():
            if all(key[:size] in open_ for size in range(1, len(key))):
                found[key] = self._value(browser, browser.metrics.selected, rows, [] if key in open_ else held)
        return found

    def _value(self, browser: Browser, metrics: Iterable[int], rows: Iterable[int], columns: Iterable[int]) -> Seen:
        where = np.ix_([*rows], [*columns])
        terms: Cells = []
        kinds, units, whole = [], set(), 0
        for node in metrics:
            metric = self.experiment.metrics[node]
            kinds.append(metric.aggregation)
            units.add(metric.unit)
            cells = self.values[metric.name][where].ravel()
            terms.append((1.0, cells))
            whole += int((~np.isnan(cells)).sum())
            if node in browser.metrics.open and metric.aggregation == "sum":
                parts = [each for each in self.experiment.metrics if each.parent == metric.name]
                terms += [(-1.0, self.values[e.name][where].ravel()) for e in parts if e.aggregation == "sum"]
        count = sum(cells.size for _, cells in terms)
        if len(kinds) > 1 and ({*kinds} != {"sum"} or len(units) > 1):
            kinds = ["none"]
        if kinds[0] == "none" and count > 1:
            return None, "not summed"
        if not count:
            return (0.0, "") if kinds[0] == "sum" else (None, "shown below")
        if not whole:
            return None, "not measured"
        gap = "partial" if any(np.isnan(cells).any() for _, cells in terms) else ""
        if kinds[0] in ("min", "max"):
            return float(getattr(np, f"nan{kinds[0]}")(terms[0][1])), gap
        return float(sum(sign * np.nansum(cells) for sign, cells in terms)), gap

    def _rows(self, browser: Browser, nodes: Iterable[int]) -> list[int]:
        if len(browser.program.tree) == len(self.experiment.call_paths) and not self._is_flat(browser):
            return [
                row
                for node in nodes
                for row in ([node] if node in browser.program.open else self.experiment.walk(node))
            ]
        regions = [*dict.fromkeys(path.region for path in self.experiment.call_paths)]
        chosen = {regions[node] for node in nodes}
        return [row for row, path in enumerate(self.experiment.call_paths) if path.region in chosen]

    def _is_flat(self, browser: Browser) -> bool:
        return browser.program.tree.parents != tuple(path.parent for path in self.experiment.call_paths)

    def _shown_program(self, browser: Browser) -> list[int]:
        if self._is_flat(browser):
            return [*range(len({path.region for path in self.experiment.call_paths}))]
        return self._shown(browser.program.open, self.experiment.children.__getitem__, self.experiment.roots)

    def _metric_roots(self) -> list[int]:
        return [node for node, metric in enumerate(self.experiment.metrics) if metric.parent is None]

    def _metric_children(self, node: int) -> list[int]:
        name = self.experiment.metrics[node].name
        return [place for place, metric in enumerate(self.experiment.metrics) if metric.parent == name]

    def _shown(self, open_: frozenset[int], below: Callable[[int], Iterable[int]], nodes: Iterable[int]) -> list[int]:
        return reduce(
            lambda seen, node: [*seen, node, *(self._shown(open_, below, below(node)) if node in open_ else [])],
            nodes,
            [],
        )


def system_key(browser: Browser, node: int) -> tuple[object, ...]:
    tree = browser.system.tree
    return tuple(tree.labels[each] for each in (*[*tree.ancestors(node)][::-1], node))
