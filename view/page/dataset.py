"""Compute the data of an experiment for a page: trees, exact sums, and values by location."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment, Location, Metric, Region, Topology
from ...experiment.aggregate import added_parts
from ..browser import Browser, Dimension, Pane, Sums, Tree, at_start
from ..browser.dimensions import cluster_tree, flat_profile
from ..messages import NOT_INCLUDED, why_none
from ..place import file_of, visible
from ..verdict import Highlight
from .packing import Packed, packed
from .roofline import roofline_of
from .summary import MEASURES, bins_of, summary

__all__ = ["Dataset", "dataset_of"]

_DIMENSIONS: Final[tuple[Dimension, ...]] = ("metrics", "program", "system")
_WHOLE: Final = 16_000_000  # maximum number of values in a page, in 30 MB; an experiment with more values is large
_MAIN: Final = 4  # number of metrics whose values by location are in the page of a large experiment
_ROOM: Final = 4_000_000  # maximum number of values by location in the page of a large experiment, in 8 MB
_NAMED: Final = 200_000  # maximum number of locations that are named in the page of a large experiment
_EXACT: Final = 250_000  # maximum number of nonzero values that are stored with all digits, in 3 MB


@dataclass(frozen=True)
class Dataset:
    """An experiment's data for a page.

    Attributes:
        head: JSON data: trees, names, the state at the start, and keys of ``numbers``.
        numbers: Key → packed numbers, which the page decodes when it needs them.
        exact: Whether numbers have all digits.
    """

    head: Mapping[str, Any]
    numbers: Mapping[str, Packed]
    exact: bool


def dataset_of(
    experiment: Experiment,
    *,
    clusters: Sequence[Iterable[int]] = (),
    highlights: Sequence[Highlight] = (),
    key: str = "run",
) -> Dataset:
    """Return the data of an experiment for a page; metrics are read one after the other.

    If there are at most 16 million values, the page contains all of them, with all digits if that takes little room.
    Otherwise it contains distributions over locations, and metrics are read in blocks of call paths.

    Args:
        experiment: An experiment with a metric and a call path.
        clusters: Indices of the locations of each cluster; the page can group the system by cluster.
        highlights: The metric, call path and locations of each finding; values of these call paths are included for
            all locations.
        key: Prefix for the keys of numbers.
    """
    cells = len(experiment.metrics) * len(experiment.call_paths) * len(experiment.locations)
    made = _large(experiment, highlights, key) if cells > _WHOLE else _whole(experiment, clusters, key)
    return _with_messages(made, experiment, key)


def _with_messages(dataset: Dataset, experiment: Experiment, key: str) -> Dataset:
    """Return the data with the communication matrix or, if there is none, with the reason."""
    messages = experiment.notes.messages
    if messages is None:
        return replace(dataset, head={**dataset.head, "noMessages": why_none(experiment)})
    columns = [messages.senders, messages.receivers, messages.messages, messages.bytes]
    columns += [] if messages.waits is None else [messages.waits]
    exact = len(messages) * len(columns) <= _EXACT
    head = {
        "ranks": messages.ranks,
        "perBlock": messages.per_block,
        "waits": messages.waits is not None,
        "besides": NOT_INCLUDED,
    }
    numbers = {f"{key} messages": packed(np.array(columns, dtype=np.float64), exact=exact)}
    return Dataset({**dataset.head, "messages": head}, {**dataset.numbers, **numbers}, dataset.exact and exact)


def _whole(experiment: Experiment, clusters: Sequence[Iterable[int]], key: str) -> Dataset:
    """Return all data of an experiment."""
    start = at_start(experiment)
    exact = _is_small(experiment)
    numbers = {f"{key} sums": packed(_sums(start.sums), exact=True)}
    for metric in experiment.metrics:
        numbers[f"{key} {metric.name}"] = packed(experiment.exclusive(metric.name), exact=exact)
    systems = {"machine": start.system.tree}
    if clusters:
        systems["cluster"] = cluster_tree(experiment, clusters)
    return Dataset(_head(experiment, start, systems, key), numbers, exact)


def _large(experiment: Experiment, highlights: Sequence[Highlight], key: str) -> Dataset:
    """Return the data of a large experiment: sums, distributions, and some values by location."""
    start = at_start(experiment)
    ranges = bins_of(len(experiment.locations))
    main = _main_metrics(experiment, highlights)
    named = dict.fromkeys(each.path for each in highlights if each.path is not None)
    kept = [*named][: _ROOM // max(1, 2 * len(main) * len(experiment.locations))]
    numbers = {f"{key} sums": packed(_sums(start.sums), exact=True)}
    spreads = []
    for metric in experiment.metrics:
        found = summary(experiment, metric.name, kept if metric.name in main else ())
        spreads.append([_by_process(each, experiment) for each in (found.own, found.closed)])
        if metric.name in main:
            numbers[f"{key} {metric.name}"] = packed(found.bins, exact=False)
            if kept:
                rows = np.array([found.rows[path] for path in kept])
                numbers[f"{key} {metric.name} rows"] = packed(rows, exact=False)
    numbers[f"{key} spread"] = packed(np.array(spreads), exact=True)
    systems = {"bins": _bins(experiment, ranges)}
    if kept and len(experiment.locations) <= _NAMED:
        systems["machine"] = start.system.tree
    head = _head(experiment, start, systems, key)
    noun = _noun(experiment)
    head["large"] = {"bins": ranges.tolist(), "metrics": main, "paths": kept, "measures": MEASURES, "noun": noun}
    return Dataset(head, numbers, exact=False)


def _by_process(measures: npt.NDArray[np.float64], experiment: Experiment) -> npt.NDArray[np.float64]:
    """Return ``float64[measure, call path]``: the measures, in which processes replace the locations of extremes."""
    processes = np.array([place.process for place in experiment.locations], dtype=np.float64)
    found = measures.copy()
    for name in ("who least", "who most"):
        row = MEASURES.index(name)
        known = ~np.isnan(found[row])
        found[row, known] = processes[found[row, known].astype(np.intp)]
    return found


def _main_metrics(experiment: Experiment, highlights: Sequence[Highlight]) -> list[str]:
    """Return the names of metrics to show by location: additive roots, times first, and metrics of findings."""
    roots = [each for each in experiment.metrics if each.parent is None and each.aggregation == "sum"]
    names = [each.name for each in sorted(roots, key=lambda each: each.unit != "sec")][:_MAIN]
    for highlight in highlights:
        if highlight.metric is not None:
            names += [highlight.metric, *(added_parts(experiment, highlight.metric) if highlight.without_parts else ())]
    return [*dict.fromkeys(names)]


def _bins(experiment: Experiment, ranges: npt.NDArray[np.intp]) -> Tree:
    """Return a system tree whose nodes are ranges of locations.

    Args:
        experiment: The experiment.
        ranges: Index of the first location in each range, followed by the number of locations.
    """
    noun = _noun(experiment)
    labels = [f"{len(experiment.locations):,} {noun}s"]
    for low, high in pairwise(ranges.tolist()):
        first, last = (_label(experiment.locations[each]) for each in (low, high - 1))
        labels.append(f"{noun} {first}" if first == last else f"{noun}s {first} to {last}")
    count = len(ranges) - 1
    return Tree(
        tuple(labels),
        (None, *(0 for _ in range(count))),
        np.arange(1, count + 1),
        ("bins", *(f"bin:{each}" for each in range(count))),
    )


def _noun(experiment: Experiment) -> str:
    return "thread" if any(place.thread for place in experiment.locations) else "rank"


def _label(place: Location) -> str:
    return f"{place.process}.{place.thread}" if place.thread else str(place.process)


def _head(experiment: Experiment, start: Browser, systems: Mapping[str, Tree], key: str) -> dict[str, Any]:
    """Return the JSON data of an experiment for a page: trees, names and the initial state."""
    places = experiment.locations if "machine" in systems else ()
    return {
        "key": key,
        "difference": experiment.notes.is_difference,
        "remarks": [*map(visible, experiment.notes.remarks)],
        "metrics": [*map(_metric, experiment.metrics)],
        "regions": [*map(_region, dict.fromkeys(path.region for path in experiment.call_paths))],
        "locations": [[place.process, place.thread] for place in places],
        "trees": {
            "metrics": _tree(start.metrics.tree),
            "calls": _tree(start.program.tree),
            "flat": _tree(flat_profile(experiment)),
            "systems": {name: _tree(tree) for name, tree in systems.items()},
        },
        "topologies": [_topology(each, experiment) for each in experiment.topologies if places],
        "roofline": roofline_of(experiment),
        "start": {name: _state(start.pane(name)) for name in _DIMENSIONS},
    }


def _is_small(experiment: Experiment) -> bool:
    found = 0
    for metric in experiment.metrics:
        values = experiment.exclusive(metric.name)
        found += int(np.count_nonzero(values)) - int(np.isnan(values).sum())
        if found > _EXACT:
            return False
    return True


def _sums(sums: Sums) -> npt.NDArray[np.float64]:
    """Return ``float64[metric, 3, call path]``: amounts, numbers of measured values, and numbers of missing values."""
    tallies = [sums.by_path(metric.name) for metric in sums.experiment.metrics]
    return np.array([(each.amounts, each.known, each.gaps) for each in tallies], dtype=np.float64)


def _metric(metric: Metric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "unit": metric.unit,
        "aggregation": metric.aggregation,
        "perRank": metric.at_root,
        "about": visible(metric.description),
        "source": visible(metric.source),
    }


def _region(region: Region) -> list[str | int]:
    texts = map(visible, (region.name, region.kind, file_of(region), region.function))
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
