"""Create the trees of an experiment: metrics, call paths or regions, and the system."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import count

import numpy as np

from ...experiment import Experiment, Location
from ..units import letters
from .tree import Tree

__all__ = ["call_tree", "cluster_tree", "flat_profile", "metric_tree", "system_tree"]

_Level = tuple[str, str]  # identity and label of a machine, node, process or thread


def metric_tree(experiment: Experiment) -> Tree:
    """Return a forest of the metrics, numbered as in the experiment."""
    places = {metric.name: place for place, metric in enumerate(experiment.metrics)}
    return Tree(
        tuple(metric.display or metric.name for metric in experiment.metrics),
        tuple(None if metric.parent is None else places[metric.parent] for metric in experiment.metrics),
        np.arange(len(places)),
        tuple(places),
    )


def call_tree(experiment: Experiment) -> Tree:
    """Return a forest of the call paths, numbered as in the experiment."""
    return Tree(
        tuple(path.region.name for path in experiment.call_paths),
        tuple(path.parent for path in experiment.call_paths),
        np.arange(len(experiment.call_paths)),
        _numbered(map(experiment.path_name, range(len(experiment.call_paths)))),
    )


def flat_profile(experiment: Experiment) -> Tree:
    """Return the regions as roots without children, in the order of their first call paths."""
    regions = {region: place for place, region in enumerate(dict.fromkeys(p.region for p in experiment.call_paths))}
    return Tree(
        tuple(region.name for region in regions),
        (None,) * len(regions),
        np.array([regions[path.region] for path in experiment.call_paths], dtype=np.intp),
        _numbered(region.name for region in regions),
    )


def system_tree(experiment: Experiment) -> Tree:
    """Return the tree of machines, nodes, processes and threads; a single-threaded process has no threads below it."""
    threads = Counter(place.process for place in experiment.locations)
    return _grouped([[*_machine(place), *_process(place, threads)] for place in experiment.locations])


def cluster_tree(experiment: Experiment, clusters: Sequence[Iterable[int]]) -> Tree:
    """Return a tree of clusters, with their processes and threads; locations in no cluster come last.

    Args:
        experiment: The experiment.
        clusters: Indices of the locations in each cluster; clusters are disjoint.
    """
    threads = Counter(place.process for place in experiment.locations)
    cluster = {location: number for number, members in enumerate(clusters) for location in members}
    paths: list[list[_Level]] = []
    order = sorted(range(len(experiment.locations)), key=lambda location: cluster.get(location, len(clusters)))
    for location in order:
        number = cluster.get(location)
        letter = "" if number is None else letters(number)
        top = (f"cluster:{letter}", f"cluster {letter}" if letter else "in no cluster")
        levels = _process(experiment.locations[location], threads)
        if len(levels) > 1:  # the threads of a process can be in several clusters
            levels[0] = f"{levels[0][0]} of {top[1]}", levels[0][1]
        paths.append([top, *levels])
    tree = _grouped(paths)
    home = np.empty_like(tree.home)
    home[order] = tree.home
    return Tree(tree.labels, tree.parents, home, tree.identities)


def _grouped(paths: Iterable[Sequence[_Level]]) -> Tree:
    """Return a tree with locations as leaves.

    Args:
        paths: For each location, the levels of the tree, from the outermost one to the location itself.
    """
    nodes: dict[str, int] = {}
    labels: list[str] = []
    parents: list[int | None] = []
    home: list[int] = []
    for levels in paths:
        parent: int | None = None
        for identity, label in levels:
            if identity not in nodes:
                nodes[identity] = len(labels)
                labels.append(label)
                parents.append(parent)
            parent = nodes[identity]
        assert parent is not None
        home.append(parent)
    return Tree(tuple(labels), tuple(parents), np.array(home, dtype=np.intp), tuple(nodes))


def _machine(place: Location) -> list[_Level]:
    return [(f"machine:{place.machine}", place.machine), (f"node:{place.machine}/{place.node}", place.node)]


def _process(place: Location, threads: Counter[int]) -> list[_Level]:
    """Return the level of a location's process and, if the process has several threads, the level of its thread."""
    levels = [(f"rank:{place.process}", f"rank {place.process}")]
    if threads[place.process] > 1:
        levels.append((f"thread:{place.process}.{place.thread}", f"thread {place.thread}"))
    return levels


def _numbered(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names, each with a number that distinguishes it from identical names: ``solve/loop@41~0``."""
    ordinals: defaultdict[str, count[int]] = defaultdict(count)
    return tuple(f"{name}~{next(ordinals[name])}" for name in names)
