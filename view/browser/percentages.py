"""Values in percent (paper 002, section 4): of the root, of the selection, or of another experiment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Literal

from .browser import Browser, Dimension
from .sums import Sums
from .tally import Tally, Value

__all__ = ["Basis", "percentages", "whole"]

Basis = Literal["root", "selection"] | Sums


def percentages(browser: Browser, dimension: Dimension, basis: Basis) -> Mapping[int, Value]:
    """Give what each shown node of a tree shows in percent; signs are those of the values, whatever the whole's is.

    A value has no share where it is no part of a sum, or where the whole is 0 or was not measured.
    """
    return {
        node: _share(value, whole(browser, dimension, node, basis)) for node, value in browser.values(dimension).items()
    }


def _share(value: Value, of: Value) -> Value:
    if value.amount is None:
        return value
    if not of.amount:
        return Value(None, "no share")
    return Value(100 * value.amount / abs(of.amount), "partial" if "partial" in (value.gap, of.gap) else "")


def whole(browser: Browser, dimension: Dimension, node: int, basis: Basis) -> Value:
    """Give the amount that is 100 % of what a node shows.

    ``root``: the metric at the root of the metric's tree, of the whole program. Another experiment: the same metric of
    that one. ``selection``: what is selected in the tree before; before the metric tree there is none, so its root.
    """
    experiment = browser.sums.experiment
    metrics = [node] if dimension == "metrics" else sorted(browser.metrics.selected)
    kinds = {experiment.metrics[each].aggregation for each in metrics}
    if kinds != {"sum"} or len({experiment.metrics[each].unit for each in metrics}) > 1:
        return Value(None, "no share")
    if basis == "selection" and dimension != "metrics":
        own, _ = browser.of_program if dimension == "program" else browser.of_system
        return own.together().value(0)
    return _of_roots(browser, metrics, browser.sums if isinstance(basis, str) else basis)


def _of_roots(browser: Browser, metrics: Iterable[int], sums: Sums) -> Value:
    """Give the roots of metrics in an experiment, each once, of its whole program."""
    tree = browser.metrics.tree
    roots = dict.fromkeys([node, *tree.ancestors(node)][-1] for node in metrics)
    tallies = []
    for root in roots:
        metric = browser.sums.experiment.metrics[root]
        if metric.name not in sums.experiment:
            return Value(None, "no share")
        other = sums.experiment.metric(metric.name)
        if (metric.unit, metric.aggregation, other.aggregation) != (other.unit, "sum", "sum"):
            return Value(None, "no share")
        tallies.append(sums.by_path(metric.name).together())
    return reduce(Tally.plus, tallies).value(0)
