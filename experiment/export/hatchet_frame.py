"""Convert experiments to Hatchet GraphFrames and to Thickets; both packages are imported on demand."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError
from ..experiment import Experiment
from .part import parts

if TYPE_CHECKING:
    from hatchet import GraphFrame
    from thicket import Thicket

__all__ = ["to_hatchet", "to_thicket"]

_INCLUSIVE = " (inc)"  # the suffix that Hatchet's readers use


def to_hatchet(experiment: Experiment, metrics: Sequence[str] | None = None, *, together: bool = False) -> GraphFrame:
    """Return a GraphFrame with one node per call path and one row per node and rank (and thread, if there are several).

    Each metric has a column with exclusive values, such as ``wall_time``. If the metric is additive, a minimum or a
    maximum, it also has a column with inclusive values, such as ``wall_time (inc)``. The other columns are ``name``,
    ``type`` (the kind of region), ``file`` and ``line``. The metadata contain the program and its command.

    Args:
        experiment: The experiment to convert.
        metrics: Names of the metrics to read and convert; None for all.
        together: Whether to aggregate all ranks and threads, so that each node has one row.

    Raises:
        InputError: There is no such metric, or Hatchet is not installed.
    """
    names = [each.name for each in experiment.metrics if metrics is None or each.name in metrics]
    for name in metrics or ():
        experiment.metric(name)
    hatchet, pandas = _imported("hatchet", "hatchet"), _imported("pandas", "hatchet")
    graph, nodes = _graph(experiment)
    frame = pandas.DataFrame(
        _columns(experiment, names, together=together), _index(pandas, experiment, nodes, together)
    )
    inclusive = [name for name in frame.columns if name.endswith(_INCLUSIVE)]
    found: GraphFrame = hatchet.GraphFrame(
        graph,
        frame.sort_index(),
        [*names],
        inclusive,
        default_metric="wall_time" if "wall_time" in names else next(iter(names), "name"),
        metadata={"program": experiment.notes.program, "command": " ".join(experiment.notes.command)},
    )
    return found


def to_thicket(runs: Mapping[str, Experiment], metrics: Sequence[str] | None = None) -> Thicket:
    """Return a Thicket of several runs, with one row per call path and run; ranks and threads are aggregated.

    Args:
        runs: Name of a run → its experiment; at least one.
        metrics: Names of the metrics to read and convert; None for all.

    Raises:
        InputError: There is no run, a run has no such metric, or Thicket is not installed.
    """
    if not runs:
        raise InputError("expected at least one run, found none")
    thicket = _imported("thicket", "thicket").Thicket
    found = [thicket.thicketize_graphframe(to_hatchet(run, metrics, together=True), name) for name, run in runs.items()]
    whole: Thicket = thicket.concat_thickets(found) if len(found) > 1 else found[0]
    return whole


def _graph(experiment: Experiment) -> tuple[Any, list[Any]]:
    node, frame = import_module("hatchet.node").Node, import_module("hatchet.frame").Frame
    nodes: list[Any] = []
    for path in experiment.call_paths:
        region = path.region
        about = {"name": region.name, "type": region.kind, "file": region.file}  # no line, because edits change it
        nodes.append(node(frame(about), None if path.parent is None else nodes[path.parent]))
        if path.parent is not None:
            nodes[path.parent].add_child(nodes[-1])
    graph = import_module("hatchet.graph").Graph([nodes[root] for root in experiment.roots])
    graph.enumerate_traverse()
    return graph, nodes


def _index(pandas: Any, experiment: Experiment, nodes: Sequence[Any], together: bool) -> Any:
    if together:
        return pandas.Index(nodes, name="node")
    levels = {"node": np.repeat(np.array(nodes, object), len(experiment.locations))}
    levels["rank"] = np.tile([place.process for place in experiment.locations], len(nodes))
    if any(place.thread for place in experiment.locations):
        levels["thread"] = np.tile([place.thread for place in experiment.locations], len(nodes))
    return pandas.MultiIndex.from_arrays(list(levels.values()), names=list(levels))


def _columns(experiment: Experiment, names: Sequence[str], *, together: bool) -> dict[str, Any]:
    regions = [path.region for path in experiment.call_paths]
    width = 1 if together else len(experiment.locations)
    columns: dict[str, Any] = {
        "name": np.repeat(np.array([each.name for each in regions], object), width),
        "type": np.repeat(np.array([each.kind for each in regions], object), width),
        "file": np.repeat(np.array([each.file for each in regions], object), width),
        "line": np.repeat([each.first_line for each in regions], width),
    }
    for name in names:
        metric = experiment.metric(name)
        if together:
            (part,) = parts(experiment, together=True)
            values = part.read(name)
        else:
            values = experiment.exclusive(name)
        columns[name] = values.ravel()
        if metric.aggregation != "none":
            columns[name + _INCLUSIVE] = experiment.summed_up(values, metric).ravel()
    return columns


def _imported(library: str, extra: str) -> Any:
    try:
        with redirect_stdout(sys.stderr):  # Thicket prints warnings about missing parts to standard output
            return import_module(library)
    except ImportError:
        raise InputError(f"this function needs {library}: pip install 'autoanalyzer[{extra}]'") from None
