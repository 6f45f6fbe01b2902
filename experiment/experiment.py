"""An experiment: severities over metric, call path and location (paper 002, section 2)."""

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

_WHOLE: Final = 1 << 22  # values of a metric that is rather read whole, and kept, than in parts again and again
_BLOCK: Final = 1 << 20  # values of a block: its copies take some MiB
_KEPT: Final = 256 << 20  # bytes of metrics of some locations


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A thread of a process of a node of a machine."""

    machine: str
    node: str
    process: int
    thread: int = 0


class Experiment:
    """Severities: exclusive along the call-path axis; a metric holds what the metrics below it hold, too.

    That is how CUBE 3 files store them, so that nothing is rounded on the way. Call paths stand in the order of
    their first entry, parents before children. NaN is a missing value, 0 is not.

    Args:
        metrics: The metric forest, parents before children.
        call_paths: The call forest, parents before children.
        locations: One per column, one per process and thread.
        severities: Metric name to ``float64[call path, location]``, of each call path alone. ``LazySeverities`` are
            looked into when a metric is asked for.
        notes: What must be said beside the numbers.
        topologies: Places of processes and threads on grids.
        numbers: What the call paths are called in the file that they were read from; else they are numbered in order.

    Attributes:
        is_part: Whether it is what ``of_locations`` gave of another one.

    Raises:
        InputError: The parts contradict each other; see ``check``.
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
        """Return HTML for a notebook, by the renderer that the package names."""
        from pkgutil import resolve_name  # noqa: PLC0415 - few experiments are shown in a notebook

        from .. import NOTEBOOK_RENDERER  # noqa: PLC0415

        renderer: Callable[[Experiment], str] = resolve_name(NOTEBOOK_RENDERER)
        return renderer(self)

    @property
    def size(self) -> str:
        """How much is in it: ``4 metrics, 23 call paths, 8 locations``."""
        counts = ((self.metrics, "metric"), (self.call_paths, "call path"), (self.locations, "location"))
        return ", ".join(f"{len(all_)} {noun}{'' if len(all_) == 1 else 's'}" for all_, noun in counts)

    def check(self) -> None:
        """State what makes an experiment valid. The constructor states it but for values that are not in memory.

        Raises:
            InputError: A tree is not a forest in order, a metric's unit differs from its parent's, a name or a
                location appears twice, a place lies outside its topology, or a severity has another shape or is
                infinite.
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
                raise InputError(f"metric {metric.name!r}: expected a parent of unit {metric.unit!r} before it")
            units[metric.name] = metric.unit
        for index, path in enumerate(self.call_paths):
            if path.parent is not None and not 0 <= path.parent < index:
                raise InputError(f"call path {index}: expected a parent before it, found {path.parent}")
        if len(self.numbers) != len(self.call_paths) or len(set(self.numbers)) < len(self.numbers):
            raise InputError(f"expected {len(self.call_paths)} different numbers of call paths, found {self.numbers}")
        if len({(each.process, each.thread) for each in self.locations}) < len(self.locations):
            raise InputError("two locations have the same process and thread")
        nodes: dict[int, tuple[str, str]] = {}
        for each in self.locations:
            if nodes.setdefault(each.process, (each.machine, each.node)) != (each.machine, each.node):
                raise InputError(f"expected process {each.process} on one node, found it on two")
        if self._severities.keys() != units.keys():
            raise InputError(f"expected severities of {sorted(units)}, found {sorted(self._severities)}")
        places = {(each.process, each.thread) for each in self.locations} if self.topologies else set()
        for topology in self.topologies:
            topology.check()
            if strangers := topology.coordinates.keys() - places:
                raise InputError(
                    f"topology {topology.name!r}: no process and thread {min(strangers)} in this experiment"
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
        """Give the same experiment but for the parts that are given, named as the constructor names them."""
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
        from .algebra import difference  # noqa: PLC0415 - the algebra is made of experiments

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
            raise InputError(f"no metric {name!r} in this experiment; it has {', '.join(self._metrics)}")
        return self._metrics[name]

    def parts(self, metric: str) -> tuple[str, ...]:
        """Name the metrics right below a metric, which it includes."""
        return tuple(self._parts.get(metric, ()))

    @cached_property
    def _parts(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for each in self.metrics:
            if each.parent is not None:
                found.setdefault(each.parent, []).append(each.name)
        return found

    def exclusive(self, metric: str) -> Severity:
        """Give ``float64[call path, location]`` of each call path alone, in the metric's unit; not to be changed."""
        self.metric(metric)
        return self._severities[metric]

    def rows(self, metric: str, rows: Rows) -> Severity:
        """Give ``exclusive(metric)[rows]``; of a large metric in a file, only these rows are read, if that is possible.

        Args:
            metric: Its name.
            rows: Indices of call paths.
        """
        part = self.alone(metric, rows)
        return self.exclusive(metric)[rows] if part is None else part

    def blocks(self, metric: str, *, backwards: bool = False) -> Iterator[tuple[Rows, Severity]]:
        """Walk a metric in blocks of rows: ascending indices of call paths, and their values.

        Args:
            metric: Its name.
            backwards: Whether the last block comes first.
        """
        size = max(1, _BLOCK // max(1, len(self.locations)))
        starts = range(0, len(self.call_paths), size)
        whole: Severity | None = None  # for the walk, where rows cannot be read alone
        for start in reversed(starts) if backwards else starts:
            rows = np.arange(start, min(start + size, len(self.call_paths)))
            part = self.alone(metric, rows) if whole is None else None
            if part is None:
                whole = self.exclusive(metric) if whole is None else whole
                part = whole[rows]
            yield rows, part

    def location_blocks(self) -> list[slice]:
        """Cut the locations into blocks of whole processes, by the number of values alone.

        One block where processes do not stand one after the other, or where all that is read would be read again for
        each block; and a part is no more cut.
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
        """Give consecutive locations alone; of large metrics in a file only these are read, if that is possible.

        The notes and the topologies stay those of all.
        """
        part = copy(self)
        part.is_part = True
        part.locations = self.locations[columns]
        part.__dict__.pop("_processes", None)
        part._severities = LazySeverities(self._metrics, lambda name: self._of_columns(name, columns), kept=Kept(_KEPT))
        return part

    def derived(self, names: Iterable[str], read: Callable[[Experiment, str], Severity]) -> LazySeverities:
        """Give severities that are made of these when they are asked for, those of a location of its own alone.

        Args:
            names: Of the metrics.
            read: Gives one of them, made of this experiment, or of what ``of_locations`` gives of it.
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
        """Give rows of a large metric, read without the others; None where that is not possible, or not worth it."""
        self.metric(metric)
        if isinstance(self._severities, LazySeverities) and self._cells > _WHOLE:
            return self._severities.alone(metric, rows)
        return None

    @property
    def _cells(self) -> int:
        return len(self.call_paths) * len(self.locations)

    def inclusive(self, metric: str) -> Severity:
        """Give the metric of each call path and all below it, as ``summed_up`` does; not to be changed."""
        stored = self.stored_inclusive(metric)
        if stored is not None:
            return stored
        return self.summed_up(self.exclusive(metric), self._metrics[metric])

    def stored_inclusive(self, metric: str) -> Severity | None:
        """Give the inclusive values if the file holds those; None where it holds the exclusive ones."""
        self.metric(metric)
        return self._severities.inclusive(metric) if isinstance(self._severities, LazySeverities) else None

    def summed_up(self, values: Severity, metric: Metric | None = None) -> Severity:
        """Add to each call path's values those of all below it; ``float64[call path, location]``, not changed.

        Of a metric that is a minimum or a maximum the least or the greatest is taken; of one that does not add up,
        call paths with others below them have no value.
        """
        parents = [path.parent for path in self.call_paths]
        return up_the_forest(metric.aggregation if metric else "sum", values, parents)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Indices of the call paths right under each one, in the order of first entry."""
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
        """Steps from each call path up to its root, which has depth 0."""
        found: list[int] = []
        for path in self.call_paths:
            found.append(0 if path.parent is None else found[path.parent] + 1)
        return tuple(found)

    def ancestors(self, path: int) -> Iterator[int]:
        """Walk from a call path's parent up to its root."""
        parent = self.call_paths[path].parent
        while parent is not None:
            yield parent
            parent = self.call_paths[parent].parent

    def walk(self, path: int) -> Iterator[int]:
        """Walk a call path and all below it, parents first."""
        pending = [path]
        while pending:
            index = pending.pop()
            yield index
            pending.extend(reversed(self.children[index]))

    def path_name(self, path: int) -> str:
        """Join the names of the regions below the root by ``/``; empty for a root."""
        return name_below_root(self.call_paths, path)
