"""Build an experiment piece by piece, from any source of numbers (Song et al. 2004, section 5)."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from .call_path import CallPath
from .experiment import Experiment, Location
from .metric import Metric
from .notes import Notes
from .region import Region
from .severities import Severity
from .topology import Dimension, Topology

__all__ = ["Builder"]


class Builder:
    """Collects metrics, call paths, locations and values; unset values are 0.

    Metrics are identified by name, call paths and locations by the numbers that ``call_path`` and ``location`` return.
    """

    def __init__(self, notes: Notes | None = None) -> None:
        self._notes = notes
        self._metrics: list[Metric] = []
        self._paths: list[CallPath] = []
        self._locations: list[Location] = []
        self._topologies: list[Topology] = []
        self._values: dict[str, dict[int, array[float]]] = {}

    def metric(
        self,
        name: str,
        unit: str = "sec",
        *,
        parent: str | None = None,
        description: str = "",
        source: str = "measured",
        additive: bool = True,
    ) -> str:
        """Define a metric and return its name; see ``Metric`` for the arguments."""
        self._metrics.append(Metric(name, unit, parent, description, source, additive=additive))
        self._values[name] = {}
        return name

    def call_path(self, region: Region | str, parent: int | None = None, *, site: int | None = None) -> int:
        """Define a call path and return its number.

        Args:
            region: The region, or the name of a function.
            parent: The parent's number; None for a root.
            site: The line of the call, if each line has its own call path.
        """
        of = Region("function", region, "", region) if isinstance(region, str) else region
        self._paths.append(CallPath(of, parent, site))
        return len(self._paths) - 1

    def location(self, process: int, thread: int = 0, *, node: str = "node", machine: str = "machine") -> int:
        """Define a location (a thread of a process) and return its number."""
        self._locations.append(Location(machine, node, process, thread))
        return len(self._locations) - 1

    def topology(
        self, name: str, dimensions: Sequence[Dimension], places: Mapping[tuple[int, int], tuple[int, ...]]
    ) -> Self:
        """Define a grid: the name, size and periodicity of each dimension, and the coordinates of (process, thread)."""
        self._topologies.append(Topology(name, tuple(dimensions), dict(places)))
        return self

    def set(self, metric: str, call_path: int, location: int, value: float) -> Self:
        """Set a call path's exclusive value at one location.

        Raises:
            InputError: The metric, the call path or the location is not defined.
        """
        self._row(metric, call_path, location)[location] = value
        return self

    def add(self, metric: str, call_path: int, location: int, value: float) -> Self:
        """Add a number to a call path's exclusive value at one location.

        Raises:
            InputError: The metric, the call path or the location is not defined.
        """
        self._row(metric, call_path, location)[location] += value
        return self

    def row(self, metric: str, call_path: int, values: Sequence[float] | npt.NDArray[np.float64]) -> Self:
        """Set a call path's exclusive values at all locations, in the order in which the locations were defined.

        Raises:
            InputError: The number of values is wrong, or the metric or the call path is not defined.
        """
        if len(values) != len(self._locations):
            raise InputError(
                f"expected one value of {metric} per location ({len(self._locations)}), found {len(values)}"
            )
        if len(values):
            self._row(metric, call_path, len(values) - 1)[:] = array("d", values)
        return self

    def experiment(self) -> Experiment:
        """Return the experiment.

        Raises:
            InputError: The definitions or values are inconsistent; see ``Experiment.check``.
        """
        made = Experiment(
            metrics=self._metrics,
            call_paths=self._paths,
            locations=self._locations,
            severities={name: self._severity(rows) for name, rows in self._values.items()},
            notes=self._notes,
            topologies=self._topologies,
        )
        made.check()
        return made

    def _row(self, metric: str, call_path: int, location: int) -> array[float]:
        """Return a metric's values for a call path, one per location; 0 for locations that were defined later."""
        if metric not in self._values:
            raise InputError(f"metric {metric!r} is not defined; defined are {', '.join(self._values) or 'none'}")
        if not (0 <= call_path < len(self._paths) and 0 <= location < len(self._locations)):
            raise InputError(
                f"cannot set a value of call path {call_path} at location {location}: one of the two is not defined"
            )
        row = self._values[metric].setdefault(call_path, array("d"))
        if len(row) < len(self._locations):
            row.frombytes(bytes(row.itemsize * (len(self._locations) - len(row))))
        return row

    def _severity(self, rows: Mapping[int, array[float]]) -> Severity:
        severity = np.zeros((len(self._paths), len(self._locations)))
        for path, row in rows.items():
            severity[path, : len(row)] = row
        return severity
