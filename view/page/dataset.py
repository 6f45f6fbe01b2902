"""What a page holds of an experiment: its trees, exact sums, and the values that these are of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment, Metric, Region, Topology
from ..browser import Dimension, Pane, Sums, Tree, at_start
from ..browser.dimensions import cluster_tree, flat_profile
from ..place import visible
from .packing import Packed, packed

__all__ = ["Dataset", "dataset"]

_DIMENSIONS: Final[tuple[Dimension, ...]] = ("metrics", "program", "system")
_EXACT: Final = 250_000  # values that are not 0: with all digits they take 3 MB at most


@dataclass(frozen=True)
class Dataset:
    """An experiment as a page takes it.

    Attributes:
        head: Trees, names and the state at the start, for JSON. Numbers are called by their keys in ``numbers``.
        numbers: What the page decodes when it needs it.
        exact: Whether all digits are there.
    """

    head: Mapping[str, Any]
    numbers: Mapping[str, Packed]
    exact: bool


def dataset(experiment: Experiment, *, clusters: Sequence[Iterable[int]] = (), key: str = "run") -> Dataset:
    """Take from an experiment what a page shows of it; metrics are read one after the other.

    Args:
        experiment: Any with a metric and a call path.
        clusters: Indices of the locations of each cluster, to group the system by.
        key: What the keys of numbers begin with.
    """
    start = at_start(experiment)
    exact = _is_small(experiment)
    numbers = {f"{key} sums": packed(_sums(start.sums), exact=True)}
    for metric in experiment.metrics:
        numbers[f"{key} {metric.name}"] = packed(experiment.exclusive(metric.name), exact=exact)
    systems = {"machine": start.system.tree}
    if clusters:
        systems["cluster"] = cluster_tree(experiment, clusters)
    head = {
        "key": key,
        "name": visible(experiment.notes.program or "experiment"),
        "metrics": [*map(_metric, experiment.metrics)],
        "regions": [*map(_region, dict.fromkeys(path.region for path in experiment.call_paths))],
        "locations": [[place.process, place.thread] for place in experiment.locations],
        "trees": {
            "metrics": _tree(start.metrics.tree),
            "calls": _tree(start.program.tree),
            "flat": _tree(flat_profile(experiment)),
            "systems": {name: _tree(tree) for name, tree in systems.items()},
        },
        "topologies": [_topology(each, experiment) for each in experiment.topologies],
        "start": {name: _state(start.pane(name)) for name in _DIMENSIONS},
    }
    return Dataset(head, numbers, exact)


def _is_small(experiment: Experiment) -> bool:
    found = 0
    for metric in experiment.metrics:
        values = experiment.exclusive(metric.name)
        found += int(np.count_nonzero(values)) - int(np.isnan(values).sum())
        if found > _EXACT:
            return False
    return True


def _sums(sums: Sums) -> npt.NDArray[np.float64]:
    """Give ``float64[metric, 3, call path]``: amounts, how many values were measured, and how many were not."""
    tallies = [sums.by_path(metric.name) for metric in sums.experiment.metrics]
    return np.array([(each.amounts, each.known, each.gaps) for each in tallies], dtype=np.float64)


def _metric(metric: Metric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "unit": metric.unit,
        "aggregation": metric.aggregation,
        "about": visible(metric.description),
        "source": visible(metric.source),
    }


def _region(region: Region) -> list[str | int]:
    texts = map(visible, (region.name, region.kind, region.file, region.function))
    return [*texts, region.first_line, region.last_line]


def _tree(tree: Tree) -> dict[str, Any]:
    return {
        "labels": [*map(visible, tree.labels)],
        "parents": [-1 if parent is None else parent for parent in tree.parents],
        "home": tree.home.tolist(),
        "identities": [*map(visible, tree.identities)],
    }


def _topology(topology: Topology, experiment: Experiment) -> dict[str, Any]:
    places = [topology.coordinates.get((each.process, each.thread)) for each in experiment.locations]
    return {
        "name": visible(topology.name),
        "dimensions": [[visible(name), size, periodic] for name, size, periodic in topology.dimensions],
        "places": places,
    }


def _state(pane: Pane) -> dict[str, list[int]]:
    return {"open": sorted(pane.open), "selected": sorted(pane.selected)}
