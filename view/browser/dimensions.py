"""The trees of an experiment: its metrics, its call paths or regions, and its system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from ...experiment import Experiment, Location
from .tree import Tree

__all__ = ["call_tree", "flat_profile", "metric_tree", "system_tree"]


def metric_tree(experiment: Experiment) -> Tree:
    """Give the forest of metrics; its nodes are in the order of the experiment's metrics."""
    places = {metric.name: place for place, metric in enumerate(experiment.metrics)}
    return Tree(
        tuple(metric.display or metric.name for metric in experiment.metrics),
        tuple(None if metric.parent is None else places[metric.parent] for metric in experiment.metrics),
        np.arange(len(places)),
    )


def call_tree(experiment: Experiment) -> Tree:
    """Give the forest of call paths; its nodes are in their order."""
    return Tree(
        tuple(path.region.name for path in experiment.call_paths),
        tuple(path.parent for path in experiment.call_paths),
        np.arange(len(experiment.call_paths)),
    )


def flat_profile(experiment: Experiment) -> Tree:
    """Give the regions, in the order of their first entry, none below another: each has the time of itself alone."""
    regions = {region: place for place, region in enumerate(dict.fromkeys(p.region for p in experiment.call_paths))}
    return Tree(
        tuple(region.name for region in regions),
        (None,) * len(regions),
        np.array([regions[path.region] for path in experiment.call_paths], dtype=np.intp),
    )


def system_tree(experiment: Experiment) -> Tree:
    """Give machines, their nodes, processes and threads; a process of one thread has no threads below it."""
    threads = Counter(place.process for place in experiment.locations)
    nodes: dict[tuple[object, ...], int] = {}
    labels: list[str] = []
    parents: list[int | None] = []
    home: list[int] = []
    for place in experiment.locations:
        parent: int | None = None
        for key, label in _levels(place, threaded=threads[place.process] > 1):
            if key not in nodes:
                nodes[key] = len(labels)
                labels.append(label)
                parents.append(parent)
            parent = nodes[key]
        assert parent is not None
        home.append(parent)
    return Tree(tuple(labels), tuple(parents), np.array(home, dtype=np.intp))


def _levels(place: Location, *, threaded: bool) -> Iterable[tuple[tuple[object, ...], str]]:
    """Give what a location is part of, from the machine down, and the name of each."""
    yield (place.machine,), place.machine
    yield (place.machine, place.node), place.node
    yield (place.machine, place.node, place.process), f"rank {place.process}"
    if threaded:
        yield (place.machine, place.node, place.process, place.thread), f"thread {place.thread}"
