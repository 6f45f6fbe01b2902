"""Compute exclusive values from HPCToolkit's call paths and inclusive values per thread."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ..cube.reader import MAX_VALUES
from .profile import Profile
from .rounding import rounding

__all__ = ["MPI", "CallTree", "Node", "Values"]

Values = Mapping[int, npt.NDArray[np.float64]]
_Places = npt.NDArray[np.intp]

MPI: Final = ("MPI_", "PMPI_")
_CLOCK: Final = re.compile(r"(CPUTIME|REALTIME|WALLCLOCK) \((usec|sec)\)")
# HPCToolkit's name of a time → our metrics, for the time and for its part in MPI; all other times are wall times.
_OURS: Final[Mapping[str, tuple[str, str]]] = {"CPUTIME": ("cpu_time", "mpi_cpu_time")}
_WALL: Final = ("wall_time", "mpi_time")
_A_SECOND: Final[Mapping[str, float]] = {"usec": 1e6, "sec": 1.0}


class Node(NamedTuple):
    """A function or loop: its row of values, parent node and call path, and whether it is inside MPI."""

    row: int
    above: int | None
    path: int
    in_mpi: bool


class _Metric(NamedTuple):
    """A metric's name, the name of its part inside MPI, and the divisor that converts values to our unit."""

    name: str
    in_mpi: str
    scale: float


@dataclass
class CallTree:
    """The nodes of a call tree, and the metrics in the columns of their values.

    Attributes:
        program: The program's name.
        columns: Column → the name of its metric.
        nodes: The functions and loops, parents before children.
    """

    program: str = ""
    columns: dict[int, str] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    _metrics: dict[int, _Metric] = field(default_factory=dict)
    _added: int = 0
    _least: dict[str, float] = field(default_factory=dict)

    def node(self, row: int, above: int | None, path: int, name: str) -> int:
        """Add a function or loop, and return its number."""
        in_mpi = (above is not None and self.nodes[above].in_mpi) or name.startswith(MPI)
        self.nodes.append(Node(row, above, path, in_mpi))
        return len(self.nodes) - 1

    def add(self, profile: Profile, location: int, values: Values) -> None:
        """Add the exclusive values of a thread.

        Args:
            profile: The profile with the call paths of the nodes.
            location: The thread.
            values: Column → inclusive values, ``float64[row]``; a missing column counts as 0.

        Raises:
            InputError: There are no nodes, there are more values than fit in memory, or a value is not finite.
        """
        if not self.nodes:
            raise InputError("expected functions and loops, found none")
        self._added += len(self.nodes) * len(values)
        if self._added > MAX_VALUES:  # even in a small file, because nodes and threads may share data
            raise InputError(f"expected at most {MAX_VALUES} values of functions, loops and threads, found more")
        if not self._metrics:
            self._metrics = {column: _metric(profile, name) for column, name in self.columns.items()}
        rows, inner, outer = self._places
        for column, of_rows in values.items():
            metric, inside, scale = self._metrics[column]
            whole = of_rows[rows]
            if not np.isfinite(whole).all():
                raise InputError(f"expected finite values of {self.columns[column]}, found other values")
            own = whole.copy()
            np.subtract.at(own, outer, whole[inner])
            own[np.abs(own) <= rounding(whole, len(self.nodes))] = 0.0
            found = own[own > 0] / scale
            if len(found):
                self._least[metric] = min(float(found.min()), self._least.get(metric, np.inf))
            for number in np.flatnonzero(own):
                node = self.nodes[number]
                profile.add(metric, node.path, location, own[number] / scale)
                if inside and node.in_mpi:
                    profile.add(inside, node.path, location, own[number] / scale)

    @property
    def samples(self) -> dict[str, float]:
        """The smallest positive value of each metric, an upper bound for one sample's value, which no file contains."""
        return self._least

    @cached_property
    def _places(self) -> tuple[_Places, _Places, _Places]:
        """The rows of all nodes, the nodes that have a parent, and these parents."""
        inner = [number for number, each in enumerate(self.nodes) if each.above is not None]
        outer = [each.above for each in self.nodes if each.above is not None]
        found = [each.row for each in self.nodes], inner, outer
        rows, inside, around = (np.array(each, dtype=np.intp) for each in found)
        return rows, inside, around


def _metric(profile: Profile, name: str) -> _Metric:
    clock = _CLOCK.fullmatch(name)
    metric, inside = _OURS.get(clock[1], _WALL) if clock else (name, "")
    scale = _A_SECOND[clock[2]] if clock else 1.0
    return _Metric(profile.metric(metric, "occ"), inside and profile.metric(inside, "occ"), scale)
