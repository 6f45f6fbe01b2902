"""Open and select the hottest path when a browser starts."""

from __future__ import annotations

from collections.abc import Sequence

from ...analyze.run.code_regions import STARTUP
from ...experiment import Experiment
from .browser import Browser, Dimension, browse

__all__ = ["at_start", "hottest_path"]


def at_start(experiment: Experiment, *, flat: bool = False) -> Browser:
    """Return a browser in which the program's hottest path is open, and its last node and a time metric are selected.

    If the path consists only of the root, the root is open, too, to show its children. In the system tree, the hottest
    path is open, but nothing is selected.

    Args:
        experiment: An experiment with a metric and a call path.
        flat: Whether to show regions instead of call paths.
    """
    browser = browse(experiment, flat=flat)
    times = [node for node in browser.metrics.tree.roots if experiment.metrics[node].unit == "sec"]
    browser = browser.selecting("metrics", *times[:1] or [0])
    path = hottest_path(browser, "program", without=_start_and_end(experiment, flat=flat))
    browser = browser.selecting("program", *path[-1:] or [0]).opened("program", *path[:1])
    return browser.opened("system", *hottest_path(browser, "system")[:-1])


def _start_and_end(experiment: Experiment, *, flat: bool) -> frozenset[int]:
    """Return the nodes of calls that start or end MPI. The hottest path skips them, because they do no work."""
    regions = [path.region for path in experiment.call_paths]
    nodes = dict.fromkeys(regions) if flat else regions
    return frozenset(node for node, region in enumerate(nodes) if region.name in STARTUP)


def hottest_path(browser: Browser, dimension: Dimension, without: frozenset[int] = frozenset()) -> list[int]:
    """Return the path from the largest root to its largest child, and so on.

    Sizes are absolute values. The path ends at a node whose exclusive value is at least as large as the inclusive value
    of each child. It is empty if values are not additive, and in the metric tree, which should be closed at the start.

    Args:
        browser: The state of the browser.
        dimension: The tree.
        without: Nodes to skip.
    """
    if dimension == "metrics":
        return []
    tree = browser.pane(dimension).tree
    own, closed = browser.of_program if dimension == "program" else browser.of_system
    if closed.aggregation != "sum":
        return []
    found: list[int] = []
    among: Sequence[int] = tree.roots
    while among := [node for node in among if node not in without]:
        node = max(among, key=lambda each: abs(closed.amounts[each]))
        if found and abs(closed.amounts[node]) <= abs(own.amounts[found[-1]]):
            break
        found.append(node)
        among = tree.children[node]
    return found
