"""An experiment: severities over metric, call path and location (Song et al. 2004, section 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from .call_path import CallPath, name_below_root
from .grouping import up_the_forest
from .metric import Metric
from .notes import Notes
from .severities import Kept, LazySeverities, Rows, Severity
from .topology import Topology

__all__ = ["Experiment", "Location", "Severity"]

_WHOLE: Final = 1 << 22  # a metric with fewer values is read whole and cached, instead of repeatedly in parts
_BLOCK: Final = 1 << 20  # number of values in a block; each copy of a block takes a few MiB
_KEPT: Final = 256 << 20  # size in bytes of the cache of an experiment with only some of the locations


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A thread, with its process, node and machine."""

    machine: str
    node: str
    process: int
    thread: int = 0


class Experiment:
    """The severities of a run, exclusive along call paths; each metric includes the metrics below it.

    CUBE 3 files store severities in the same form, so nothing is rounded. Call paths are in the order of their first
    entry, parents before children. A missing value is NaN; 0 is a measured value.

    Args:
        metrics: The metric forest, parents before children.
        call_paths: The call forest, parents before children.
        locations: The threads of all processes, one per column.
        severities: Metric name → ``float64[call path, location]``, exclusive along call paths. ``LazySeverities`` are
            read when a metric is used.
        notes: Facts about the run that are not severities.
        topologies: Coordinates of processes and threads on grids.
        numbers: The call paths' numbers in the file from which they were read; None to number them in order.

    Attributes:
        is_part: Whether this experiment is the result of another one's ``of_locations``.

    Raises:
        InputError: The arguments are inconsistent; see ``check``.
    """

    def __init__(
        self,
        *,
        metrics: Sequence[Metric],
        call_paths: Sequence[CallPath],
        locations: Sequence[Location],
        severities: Mapping[str, Severity],
        notes: Notes | None = None,
        topologies: Sequence[Topology] = (),
        numbers: Sequence[int] | None = None,
    ) -> None:
        self.metrics = tuple(metrics)
        self.call_paths = tuple(call_paths)
        self.locations = tuple(locations)
        self.notes = notes or Notes()
        self.topologies = tuple(topologies)
        self.numbers = tuple(range(len(self.call_paths)) if numbers is None else numbers)
        self.is_part = False
        self._severities = severities if isinstance(severities, LazySeverities) else dict(severities)
        self._metrics = {metric.name: metric for metric in self.metrics}
        self._check_structure()
        if isinstance(self._severities, dict):
            for name, severity in self._severities.items():
                self._check_shape(name, severity)

    def __repr__(self) -> str:
        name = self.notes.history[-1] if self.notes.history else self.notes.program
        return f"Experiment({name}: {self.size})"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks, created by the package's ``NOTEBOOK_RENDERER``."""
        from pkgutil import resolve_name  # noqa: PLC0415 - few experiments are shown in a notebook

        from .. import NOTEBOOK_RENDERER  # noqa: PLC0415

        renderer: Callable[[Experiment], str] = resolve_name(NOTEBOOK_RENDERER)
        return renderer(self)

    @property
    def size(self) -> str:
        """The size as text: ``4 metrics, 23 call paths, 8 locations``."""
        counts = ((self.metrics, "metric"), (self.call_paths, "call path"), (self.locations, "location"))
        return ", ".join(f"{len(all_)} {noun}{'' if len(all_) == 1 else 's'}" for all_, noun in counts)

    def check(self) -> None:
        """Check that the experiment is valid.

        The constructor makes the same checks, except that it does not search for infinite values, and does not check
        the shape of values that are not in memory.

        Raises:
            InputError: A parent does not come before its child, a metric's unit differs from its parent's, a name or a
                location appears twice, coordinates lie outside their topology, or severities have the wrong shape or
                are infinite.
        """
        self._check_structure()
        for metric in self.metrics:
            self._check_values(metric.name)

    def _check_structure(self) -> None:
        units: dict[str, str] = {}
        for metric in self.metrics:
            if metric.name in units:
                raise InputError(f"metric {metric.name!r} appears twice")
            if metric.parent is not None and units.get(metric.parent) != metric.unit:
                raise InputError(f"metric {metric.name!r}: expected a parent with unit {metric.unit!r} before it")
            units[metric.name] = metric.unit
        for index, path in enumerate(self.call_paths):
            if path.parent is not None and not 0 <= path.parent < index:
                raise InputError(f"call path {index}: expected a parent with a smaller number, found {path.parent}")
        if len(self.numbers) != len(self.call_paths) or len(set(self.numbers)) < len(self.numbers):
            raise InputError(f"expected one number per call path ({len(self.call_paths)}), found {self.numbers}")
        if len({(each.process, each.thread) for each in self.locations}) < len(self.locations):
            raise InputError("two locations have the same process and thread")
        nodes: dict[int, tuple[str, str]] = {}
        for each in self.locations:
            if nodes.setdefault(each.process, (each.machine, each.node)) != (each.machine, each.node):
                raise InputError(f"expected process {each.process} on one node, found this process on two nodes")
        if self._severities.keys() != units.keys():
            raise InputError(f"expected severities of {sorted(units)}, found those of {sorted(self._severities)}")
        places = {(each.process, each.thread) for each in self.locations} if self.topologies else set()
        for topology in self.topologies:
            topology.check()
            if strangers := topology.coordinates.keys() - places:
                raise InputError(
                    f"topology {topology.name!r}: expected locations of this experiment, found process and thread "
                    f"{min(strangers)}"
                )

    def _check_shape(self, name: str, severity: Severity) -> None:
        shape = (len(self.call_paths), len(self.locations))
        if severity.shape != shape:
            raise InputError(f"severity of {name!r}: expected shape {shape}, found {severity.shape}")

    def _check_values(self, name: str) -> None:
        severity = self._severities[name]
        self._check_shape(name, severity)
        if np.isinf(severity).any():
            raise InputError(f"severity of {name!r}: expected finite values, or NaN for missing ones, found infinity")

    def replaced(self, **parts: Any) -> Experiment:
        """Return a copy of the experiment in which the given constructor arguments are replaced."""
        own = {name: getattr(self, name) for name in ("metrics", "call_paths", "locations", "notes", "topologies")}
        if "call_paths" not in parts:
            own["numbers"] = self.numbers
        made = Experiment(**{**own, "severities": self._severities, **parts})
        made.is_part = self.is_part
        return made

    def __contains__(self, metric: str) -> bool:
        return metric in self._severities

    def __sub__(self, other: Experiment) -> Experiment:
        """Subtract another experiment; see ``algebra.difference``."""
        if not isinstance(other, Experiment):
            return NotImplemented
        from .algebra import difference  # noqa: PLC0415 - the algebra imports this module

        return difference(self, other)

    def __add__(self, other: Experiment) -> Experiment:
        """Add another experiment; see ``algebra.total``."""
        if not isinstance(other, Experiment):
            return NotImplemented
        from .algebra import total  # noqa: PLC0415

        return total(self, other)

    def metric(self, name: str) -> Metric:
        """Find a metric by its name.

        Raises:
            InputError: There is no such metric.
        """
        if name not in self._metrics:
            raise InputError(f"no metric {name!r} in this experiment; the metrics are {', '.join(self._metrics)}")
        return self._metrics[name]

    def parts(self, metric: str) -> tuple[str, ...]:
        """Return the names of a metric's child metrics, whose values it includes."""
        return tuple(self._parts.get(metric, ()))

    @cached_property
    def _parts(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for each in self.metrics:
            if each.parent is not None:
                found.setdefault(each.parent, []).append(each.name)
        return found

    def exclusive(self, metric: str) -> Severity:
        """Return a metric's exclusive values, ``float64[call path, location]``, in its unit; do not change them."""
        self.metric(metric)
        return self._severities[metric]

    def rows(self, metric: str, rows: Rows) -> Severity:
        """Return ``exclusive(metric)[rows]``; if possible, a large metric's other rows are not read from the file.

        Args:
            metric: The metric's name.
            rows: Indices of call paths.
        """
        part = self.alone(metric, rows)
        return self.exclusive(metric)[rows] if part is None else part

    def blocks(self, metric: str, *, backwards: bool = False) -> Iterator[tuple[Rows, Severity]]:
        """Yield a metric in blocks: ascending call-path indices, and exclusive values ``float64[row, location]``.

        Args:
            metric: The metric's name.
            backwards: Whether to begin with the last block.
        """
        size = max(1, _BLOCK // max(1, len(self.locations)))
        starts = range(0, len(self.call_paths), size)
        whole: Severity | None = None  # the whole metric, if its rows cannot be read separately
        for start in reversed(starts) if backwards else starts:
            rows = np.arange(start, min(start + size, len(self.call_paths)))
            part = self.alone(metric, rows) if whole is None else None
            if part is None:
                whole = self.exclusive(metric) if whole is None else whole
                part = whole[rows]
            yield rows, part

    def location_blocks(self) -> list[slice]:
        """Divide the locations into blocks of whole processes that are small enough for memory.

        Return a single block if locations are not sorted by process, if reading each block would read all data, or if
        the experiment is itself a part of another one.
        """
        size, end = max(1, _BLOCK // max(1, len(self.call_paths))), len(self.locations)
        if end <= size or self.is_part or not self._by_columns:
            return [slice(0, end)]
        processes = self._processes
        if (np.diff(processes) < 0).any():
            return [slice(0, end)]
        starts = np.flatnonzero(np.diff(processes, prepend=processes[0] - 1))
        cuts = np.unique(starts[np.searchsorted(starts, np.arange(0, end, size), side="right") - 1]).tolist()
        return [slice(start, stop) for start, stop in pairwise([*cuts, end])]

    @property
    def _by_columns(self) -> bool:
        return not isinstance(self._severities, LazySeverities) or self._severities.by_columns

    @cached_property
    def _processes(self) -> npt.NDArray[np.int64]:
        return np.fromiter((place.process for place in self.locations), np.int64, len(self.locations))

    def of_locations(self, columns: slice) -> Experiment:
        """Return an experiment with some consecutive locations; if possible, only their values are read from the file.

        Notes and topologies still describe all locations.
        """
        part = copy(self)
        part.is_part = True
        part.locations = self.locations[columns]
        part.__dict__.pop("_processes", None)
        part._severities = LazySeverities(self._metrics, lambda name: self._of_columns(name, columns), kept=Kept(_KEPT))
        return part

    def derived(self, names: Iterable[str], read: Callable[[Experiment, str], Severity]) -> LazySeverities:
        """Return severities that are computed from this experiment on demand.

        Args:
            names: Names of the metrics.
            read: Computes a metric from this experiment, or from a part of it that ``of_locations`` returned. The
                severities at a location must depend only on the values at this location.
        """

        def columns(name: str, columns: slice) -> Severity:
            return read(self.of_locations(columns), name)

        whole = partial(read, self)
        return LazySeverities(names, whole, columns=columns if self._by_columns else None)

    def _of_columns(self, metric: str, columns: slice) -> Severity:
        part = None
        if isinstance(self._severities, LazySeverities) and self._cells > _WHOLE:
            part = self._severities.of_columns(metric, columns)
        return self.exclusive(metric)[:, columns] if part is None else part

    def alone(self, metric: str, rows: Rows) -> Severity | None:
        """Return exclusive values of some call paths without reading others, ``float64[row, location]``.

        Return None if that is impossible, or if the metric is small or already cached.
        """
        self.metric(metric)
        if isinstance(self._severities, LazySeverities) and self._cells > _WHOLE:
            return self._severities.alone(metric, rows)
        return None

    @property
    def _cells(self) -> int:
        return len(self.call_paths) * len(self.locations)

    def inclusive(self, metric: str) -> Severity:
        """Return a metric's inclusive values, ``float64[call path, location]``; do not change the result.

        The values are aggregated as in ``summed_up``.
        """
        stored = self.stored_inclusive(metric)
        if stored is not None:
            return stored
        return self.summed_up(self.exclusive(metric), self._metrics[metric])

    def stored_inclusive(self, metric: str) -> Severity | None:
        """Return a metric's stored inclusive values, ``float64[call path, location]``; None if the file has none."""
        self.metric(metric)
        return self._severities.inclusive(metric) if isinstance(self._severities, LazySeverities) else None

    def summed_up(self, values: Severity, metric: Metric | None = None) -> Severity:
        """Aggregate each call path's values with those of its descendants; ``float64[call path, location]``.

        The input stays unchanged. The aggregate of minima or maxima is the smallest or largest value. If the metric is
        not additive, the values of call paths with descendants are missing.
        """
        parents = [path.parent for path in self.call_paths]
        return up_the_forest(metric.aggregation if metric else "sum", values, parents)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each call path, the indices of its children, in the order of their first entry."""
        lists: list[list[int]] = [[] for _ in self.call_paths]
        for index, path in enumerate(self.call_paths):
            if path.parent is not None:
                lists[path.parent].append(index)
        return tuple(tuple(each) for each in lists)

    @property
    def roots(self) -> tuple[int, ...]:
        """Indices of the call paths without a parent: one per executable."""
        return tuple(index for index, path in enumerate(self.call_paths) if path.parent is None)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """The depth of each call path; a root has depth 0."""
        found: list[int] = []
        for path in self.call_paths:
            found.append(0 if path.parent is None else found[path.parent] + 1)
        return tuple(found)

    def ancestors(self, path: int) -> Iterator[int]:
        """Yield a call path's ancestors, from its parent up to its root."""
        parent = self.call_paths[path].parent
        while parent is not None:
            yield parent
            parent = self.call_paths[parent].parent

    def walk(self, path: int) -> Iterator[int]:
        """Yield a call path and its descendants, parents first."""
        pending = [path]
        while pending:
            index = pending.pop()
            yield index
            pending.extend(reversed(self.children[index]))

    def path_name(self, path: int) -> str:
        """Return the names of the regions below the root, joined by ``/``; empty for a root."""
        return name_below_root(self.call_paths, path)
