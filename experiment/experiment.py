"""An experiment: severities over metric, call path and location (paper 002, section 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from .metric import Metric
from .notes import Notes
from .region import Region

__all__ = ["CallPath", "Experiment", "Location", "Severity"]

Severity = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CallPath:
    """A region reached through its parent's call path; ``parent`` is an index, None for a root."""

    region: Region
    parent: int | None = None


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
        severities: Metric name to ``float64[call path, location]``, of each call path alone.
        notes: What must be said beside the numbers.

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
    ) -> None:
        self.metrics = tuple(metrics)
        self.call_paths = tuple(call_paths)
        self.locations = tuple(locations)
        self.notes = notes or Notes()
        self._severities = dict(severities)
        self.check()

    def check(self) -> None:
        """State what makes an experiment valid.

        Raises:
            InputError: A tree is not a forest in order, a metric's unit differs from its parent's, a name or a
                location stands twice, or a severity has another shape.
        """
        units: dict[str, str] = {}
        for metric in self.metrics:
            if metric.name in units:
                raise InputError(f"metric {metric.name!r} stands twice")
            if metric.parent is not None and units.get(metric.parent) != metric.unit:
                raise InputError(f"metric {metric.name!r}: a parent of unit {metric.unit!r} before it wanted")
            units[metric.name] = metric.unit
        for index, path in enumerate(self.call_paths):
            if path.parent is not None and not 0 <= path.parent < index:
                raise InputError(f"call path {index}: a parent before it wanted, found {path.parent}")
        if len({(each.process, each.thread) for each in self.locations}) < len(self.locations):
            raise InputError("a process and thread stands twice among the locations")
        shape = (len(self.call_paths), len(self.locations))
        if set(self._severities) != set(units):
            raise InputError(f"severities of {sorted(units)} wanted, found {sorted(self._severities)}")
        for name, severity in self._severities.items():
            if severity.shape != shape:
                raise InputError(f"severity of {name!r}: shape {shape} wanted, found {severity.shape}")

    def __contains__(self, metric: str) -> bool:
        return metric in self._severities

    def metric(self, name: str) -> Metric:
        """Find a metric by its name.

        Raises:
            InputError: There is no such metric.
        """
        for each in self.metrics:
            if each.name == name:
                return each
        raise InputError(f"no metric {name!r} in this experiment; it has {', '.join(m.name for m in self.metrics)}")

    def exclusive(self, metric: str) -> Severity:
        """Give ``float64[call path, location]`` of each call path alone, in the metric's unit; not to be changed."""
        self.metric(metric)
        return self._severities[metric]

    def inclusive(self, metric: str) -> Severity:
        """Give the metric of each call path and all below it; same shape as ``exclusive``."""
        return self.summed_up(self.exclusive(metric))

    def summed_up(self, values: Severity) -> Severity:
        """Add to each call path's values those of all below it; ``float64[call path, location]``, not changed."""
        total = values.copy()
        for index in range(len(self.call_paths) - 1, -1, -1):
            parent = self.call_paths[index].parent
            if parent is not None:
                total[parent] += total[index]
        return total

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

    def depth(self, path: int) -> int:
        """Count the steps from the root, which has depth 0."""
        return sum(1 for _ in self.ancestors(path))

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
        steps = [path, *self.ancestors(path)][:-1]
        return "/".join(self.call_paths[each].region.name for each in reversed(steps))
