"""Fold small nodes into one row, ``n more``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from .browser import Browser, Dimension
from .tally import Tally

__all__ = ["folded"]

_SHARE: Final = 0.005  # a node with a smaller share of the tree counts as small

_Sizes = npt.NDArray[np.float64]


def folded(browser: Browser, dimension: Dimension) -> Mapping[int | None, tuple[int, ...]]:
    """Map each node to its small children, which are folded into one row; the key None is for small roots.

    A node is small if its inclusive value is below 0.5 % of the tree. Absolute values are used, so that gains and
    losses do not cancel. Some nodes are never folded: open nodes; selected nodes; a single small child, because a
    folded row would take as much room; and ranks, because all ranks of a large run have small shares.
    """
    if dimension == "system":
        return {}
    pane = browser.pane(dimension)
    small = _small_metrics(browser) if dimension == "metrics" else _small_paths(browser)
    found: dict[int | None, list[int]] = {}
    for node in pane.shown():
        above = pane.tree.parents[node]
        if small[node] and above not in pane.unfolded and node not in pane.selected and not pane.is_open(node):
            found.setdefault(above, []).append(node)
    return {above: tuple(nodes) for above, nodes in found.items() if len(nodes) > 1}


def _small_metrics(browser: Browser) -> npt.NDArray[np.bool_]:
    """Return ``bool[metric]``: whether a metric is small compared with its root; False if it is not additive."""
    metrics, tree = browser.sums.experiment.metrics, browser.metrics.tree
    added = np.array([metric.aggregation == "sum" for metric in metrics])
    sizes = np.array([np.abs(np.nan_to_num(browser.sums.by_path(each.name).amounts)).sum() for each in metrics])
    for node in range(len(tree) - 1, -1, -1):
        above = tree.parents[node]
        if above is not None:
            sizes[above] = max(sizes[above], sizes[node])
            added[above] &= added[node]
    roots = np.array([*map(tree.root, range(len(tree)))], dtype=np.intp)
    return np.asarray(added & (sizes < _SHARE * sizes[roots]))


def _small_paths(browser: Browser) -> npt.NDArray[np.bool_]:
    own, _ = browser.of_program
    if own.aggregation != "sum":
        return np.zeros(len(own), np.bool_)
    sizes = Tally("sum", np.abs(own.amounts), own.known, own.gaps).up(browser.program.tree).amounts
    return np.asarray(sizes < _SHARE * np.abs(own.amounts).sum())
