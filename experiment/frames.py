"""Convert experiments to pandas tables and xarray data sets; both packages are imported on demand."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from .experiment import Experiment

if TYPE_CHECKING:
    import pandas
    import xarray

__all__ = ["to_pandas", "to_xarray"]


def to_xarray(experiment: Experiment, metrics: Sequence[str] | None = None) -> xarray.Dataset:
    """Return a data set with the dimensions ``call_path`` and ``location``, and one variable per metric.

    Values are exclusive along call paths. Coordinates: ``region``, ``path`` and ``parent`` (-1 for a root) of call
    paths; ``machine``, ``node``, ``process`` and ``thread`` of locations. Each variable has its metric's unit, source,
    parent and aggregation as attributes. Only variables whose aggregation is ``sum`` may be added up.

    Args:
        experiment: The experiment to convert.
        metrics: Names of the metrics to read and convert; None for all.

    Raises:
        InputError: There is no such metric, or xarray is not installed.
    """
    names = _names(experiment, metrics)
    library = _imported("xarray")
    paths, places = experiment.call_paths, experiment.locations
    variables = {}
    for name in names:
        metric = experiment.metric(name)
        about = {
            "unit": metric.unit,
            "source": metric.source,
            "parent": metric.parent or "",
            "aggregation": metric.aggregation,
            "long_name": metric.display or name,
        }
        variables[name] = (("call_path", "location"), experiment.exclusive(name), about)
    coordinates = {
        "call_path": np.arange(len(paths)),
        "region": ("call_path", [path.region.name for path in paths]),
        "path": ("call_path", [experiment.path_name(path) for path in range(len(paths))]),
        "parent": ("call_path", [-1 if path.parent is None else path.parent for path in paths]),
        **{
            name: ("location", [getattr(place, name) for place in places])
            for name in ("machine", "node", "process", "thread")
        },
    }
    data: xarray.Dataset = library.Dataset(variables, coordinates)
    return data


def to_pandas(experiment: Experiment, metrics: Sequence[str] | None = None) -> pandas.DataFrame:
    """Return a table with one column per metric, and one row per call path and location.

    Values are exclusive along call paths. The index has the levels ``call_path``, ``path``, ``process`` and ``thread``.
    Only metrics whose ``aggregation`` is ``sum`` may be added up.

    Args:
        experiment: The experiment to convert.
        metrics: Names of the metrics to read and convert; None for all.

    Raises:
        InputError: There is no such metric, or pandas is not installed.
    """
    names = _names(experiment, metrics)
    library = _imported("pandas")
    index = library.MultiIndex.from_tuples(
        [
            (path, name, place.process, place.thread)
            for path, name in enumerate(map(experiment.path_name, range(len(experiment.call_paths))))
            for place in experiment.locations
        ],
        names=["call_path", "path", "process", "thread"],
    )
    table: pandas.DataFrame = library.DataFrame(
        {name: experiment.exclusive(name).ravel() for name in names}, index=index, columns=names
    )
    return table


def _names(experiment: Experiment, metrics: Sequence[str] | None) -> list[str]:
    return (
        [each.name for each in experiment.metrics]
        if metrics is None
        else [experiment.metric(name).name for name in metrics]
    )


def _imported(library: str) -> Any:
    try:
        return import_module(library)
    except ImportError:
        raise InputError(f"this function needs {library}: pip install 'autoanalyzer[tables]'") from None
