"""Call paths of HPCToolkit with inclusive values by thread, from which own ones follow."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from .profile import Profile

__all__ = ["MPI", "CallTree", "Node", "Values"]

Values = npt.NDArray[np.float64]

MPI: Final = ("MPI_", "PMPI_")
_CLOCK: Final = re.compile(r"(CPUTIME|REALTIME|WALLCLOCK) \((usec|sec)\)")
_OURS: Final[Mapping[str, tuple[str, str]]] = {"CPUTIME": ("cpu_time", "mpi_cpu_time")}  # others are wall time
_WALL: Final = ("wall_time", "mpi_time")
_A_SECOND: Final[Mapping[str, float]] = {"usec": 1e6, "sec": 1.0}
_ROUNDING: Final = 1e-9  # of the largest value


class Node(NamedTuple):
    """A function or loop: its row of values, the node around it, its call path, and whether it is in MPI."""

    row: int
    above: int | None
    path: int
    in_mpi: bool


@dataclass
class CallTree:
    """Nodes, outer ones before those in them, and the columns of values that are metrics.

    Attributes:
        program: Its name.
        columns: Names of metrics.
        nodes: Functions and loops.
    """

    program: str = ""
    columns: dict[int, str] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)

    def node(self, row: int, above: int | None, path: int, name: str) -> int:
        """Add a function or loop; give its number."""
        in_mpi = (above is not None and self.nodes[above].in_mpi) or name.startswith(MPI)
        self.nodes.append(Node(row, above, path, in_mpi))
        return len(self.nodes) - 1

    def add(self, profile: Profile, location: int, values: Values) -> None:
        """Add the own values of a thread.

        Args:
            profile: Has the call paths of the nodes.
            location: The thread.
            values: Inclusive, ``float64[row, column]``.

        Raises:
            InputError: There are no nodes, or a value is not finite.
        """
        if not self.nodes:
            raise InputError("expected functions and loops, found none")
        rows = np.array([each.row for each in self.nodes], dtype=np.intp)
        inner = np.array([number for number, each in enumerate(self.nodes) if each.above is not None], dtype=np.intp)
        outer = np.array([each.above for each in self.nodes if each.above is not None], dtype=np.intp)
        for column, name in self.columns.items():
            whole = values[rows, column]
            if not np.isfinite(whole).all():
                raise InputError(f"expected finite values of {name}, found others")
            own = whole.copy()
            np.subtract.at(own, outer, whole[inner])
            own[(own < 0) & (own > -_ROUNDING * np.abs(whole).max())] = 0.0
            clock = _CLOCK.fullmatch(name)
            metric, inside = _OURS.get(clock[1], _WALL) if clock else (name, "")
            scale = _A_SECOND[clock[2]] if clock else 1.0
            metric, inside = (each and profile.metric(each, "occ") for each in (metric, inside))
            for number in np.flatnonzero(own):
                node = self.nodes[number]
                profile.add(metric, node.path, location, own[number] / scale)
                if inside and node.in_mpi:
                    profile.add(inside, node.path, location, own[number] / scale)
