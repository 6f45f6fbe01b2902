"""Compute values as percentages of the root, the selection, or another experiment (Song et al. 2004, section 4)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import reduce
from typing import Literal

from .browser import Browser, Dimension, summable
from .sums import Sums
from .tally import Tally, Value

__all__ = ["Basis", "percentages", "share", "wholes"]

Basis = Literal["root", "selection"] | Sums


def percentages(browser: Browser, dimension: Dimension, basis: Basis) -> Mapping[int, Value]:
    """Map each shown node to its percentage, which has the sign of the node's value.

    There is no percentage if values are not additive, or if the whole is 0 or was not measured.

    Args:
        browser: The state of the browser.
        dimension: The tree.
        basis: Determines the value that is 100 %; see ``wholes``.
    """
    values = browser.values(dimension)
    of = wholes(browser, dimension, basis)
    return {node: share(value, of[node]) for node, value in values.items()}


def share(value: Value, of: Value) -> Value:
    """Return a value in percent of another value; the result has no amount if the other is 0 or missing."""
    if value.amount is None:
        return value
    if not of.amount:
        return Value(None, "no share")
    return Value(100 * value.amount / abs(of.amount), "partial" if "partial" in (value.gap, of.gap) else "")


def wholes(browser: Browser, dimension: Dimension, basis: Basis) -> Mapping[int, Value]:
    """Map each shown node to the value that is 100 % for it.

    With the basis ``root``, 100 % is the root of the metric, over the whole program. With another experiment as the
    basis, 100 % is the same root in the other experiment. With ``selection``, 100 % is the selection in the tree to the
    left; in the metric tree, which has no tree to the left, 100 % is the root.
    """
    shown = browser.pane(dimension).shown()
    sums = browser.sums if isinstance(basis, str) else basis
    if dimension == "metrics":
        return {node: _of_roots(browser, [node], sums) for node in shown}
    found = _of_roots(browser, sorted(browser.metrics.selected), sums)
    if basis == "selection" and browser.summed:
        own, _ = browser.of_program if dimension == "program" else browser.of_system
        found = own.together().value(0)
    return dict.fromkeys(shown, found)


def _of_roots(browser: Browser, metrics: Collection[int], sums: Sums) -> Value:
    """Return the sum of the roots of some metrics over the whole program; each root counts once.

    Args:
        browser: The state of the browser.
        metrics: The metrics.
        sums: The sums of the experiment from which the values are taken.
    """
    kinds = [browser.sums.experiment.metrics[node] for node in metrics]
    if not summable(kinds):
        return Value(None, "no share")
    tree = browser.metrics.tree
    roots = [browser.sums.experiment.metrics[root] for root in dict.fromkeys(map(tree.root, metrics))]
    same = [sums.experiment.metric(root.name) for root in roots if root.name in sums.experiment]
    if len(same) < len(roots) or not summable([*roots, *same]):
        return Value(None, "no share")
    return reduce(Tally.plus, (sums.total(root.name) for root in roots)).value(0)
