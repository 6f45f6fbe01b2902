"""Locate the members of each cluster on the process grid (Ahn and Vetter, section 4.7)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from ..analyze.run.arrays import Flags, Indices
from ..errors import UsageError
from ..experiment import Experiment
from .hierarchy import Hierarchy

__all__ = ["Grid", "Membership", "grid_of", "membership"]

_ALIKE: Final = 0.9  # minimum intersection of a cluster and a named part of the grid, divided by their union
_FEW: Final = 0.02  # if "rows 3 to 5" names a cluster: the share of its points that may be before row 3, or after row 5
_AXES: Final = ("row", "column", "layer")


@dataclass(frozen=True)
class Grid:
    """Coordinates of processes, and of threads if they have their own.

    Attributes:
        sizes: The size of each dimension.
        source: Origin of the grid: ``topology``, ``given``, or ``guess``.
        name: Name of the topology; empty for another source.
        coordinates: (process, thread) → coordinates; a thread without its own coordinates has those of its process.
    """

    sizes: tuple[int, ...]
    source: Literal["topology", "given", "guess"]
    name: str
    coordinates: dict[tuple[int, int], tuple[int, ...]]

    def place(self, process: int, thread: int) -> tuple[int, ...] | None:
        """Return the coordinates of a thread; None if it has no coordinates."""
        return self.coordinates.get((process, thread), self.coordinates.get((process, 0)))


@dataclass(frozen=True)
class Membership:
    """Clusters on a grid.

    Attributes:
        hierarchy: The clusters.
        grid: The grid.
        places: ``int[point, dimension]``; -1 for a point without coordinates.
        words: The name of each cluster's part of the grid; None if it has no name.
    """

    hierarchy: Hierarchy
    grid: Grid
    places: Indices
    words: tuple[str | None, ...]


def grid_of(
    experiment: Experiment, wanted: Sequence[int] | None = None, *, shown: Collection[int] | None = None
) -> Grid:
    """Find the grid of the processes.

    Args:
        experiment: The experiment. Its first topology with coordinates for all shown processes is used. If there is
            none, the grid is assumed to be as close to a square as possible.
        shown: The processes that are analysed; all if None.
        wanted: The number of processes in each dimension of the grid; None to use the recorded topology. As in MPI,
            consecutive ranks differ in the last dimension.

    Raises:
        UsageError: The given grid does not have one position per process.
    """
    processes = sorted({place.process for place in experiment.locations})
    if wanted is not None:
        if math.prod(wanted) != len(processes):
            size = "x".join(map(str, wanted))
            near = "x".join(map(str, _square(len(processes))))
            raise UsageError(
                f"grid {size}: expected {len(processes)} positions, one per rank, found {math.prod(wanted)}; try {near}"
            )
        return Grid(tuple(wanted), "given", "", _row_by_row(processes, wanted))
    for topology in experiment.topologies:
        there = {process for process, _ in topology.coordinates}
        if there.issuperset(processes if shown is None else shown):
            sizes = tuple(size for _, size, _ in topology.dimensions)
            places = dict(topology.coordinates)
            for (process, _), place in topology.coordinates.items():
                places.setdefault((process, 0), place)
            return Grid(sizes, "topology", topology.name, places)
    sizes = _square(len(processes))
    return Grid(sizes, "guess", "", _row_by_row(processes, sizes))


def membership(hierarchy: Hierarchy, grid: Grid) -> Membership:
    """Place clusters on a grid, and name the part of the grid that each covers, such as corners, edges or a side."""
    found = [grid.place(point.process, point.thread) for point in hierarchy.space.points]
    nowhere = (-1,) * len(grid.sizes)
    places = np.array([nowhere if place is None else place for place in found], dtype=np.intp)
    labels = hierarchy.partition.labels
    words = tuple(_part(places, labels == each, grid.sizes) for each in range(hierarchy.partition.count))
    return Membership(hierarchy, grid, places, words)


def _square(count: int) -> tuple[int, int]:
    """Return the two factors of a number that are closest to each other, the smaller first."""
    first = next(each for each in range(math.isqrt(count), 0, -1) if count % each == 0)
    return first, count // first


def _row_by_row(processes: Sequence[int], sizes: Sequence[int]) -> dict[tuple[int, int], tuple[int, ...]]:
    places = np.stack(np.unravel_index(np.arange(len(processes)), tuple(sizes)), axis=1).tolist()
    return {(process, 0): tuple(place) for process, place in zip(processes, places, strict=True)}


def _part(places: Indices, inside: Flags, sizes: Sequence[int]) -> str | None:
    """Return the name of the part of the grid that matches a cluster; None if no part matches.

    A part of the grid matches if its intersection with the cluster is at least nine tenths of their union.
    """
    if inside.all():
        return "the whole grid"
    found = [(_alike(inside, part), name) for name, part in _parts(places, inside, sizes)]
    best = max((alike for alike, _ in found), default=0.0)
    return next(name for alike, name in found if alike == best) if best >= _ALIKE else None


def _alike(one: Flags, other: Flags) -> float:
    either = int((one | other).sum())
    return int((one & other).sum()) / either if either else 0.0


def _parts(places: Indices, inside: Flags, sizes: Sequence[int]) -> Iterator[tuple[str, Flags]]:
    """Yield the name of each part of a grid, and the points in it, ``bool[point]``; the simplest part first."""
    wide = [axis for axis, size in enumerate(sizes) if size > 1]
    rims = sum(
        ((places[:, axis] == 0) | (places[:, axis] == sizes[axis] - 1) for axis in wide),
        np.zeros(len(places), dtype=np.intp),
    )
    placed = places.min(axis=1, initial=0) >= 0
    if len(wide) > 1:
        yield "the corners", rims == len(wide)
        yield "the edges without the corners", (rims > 0) & (rims < len(wide))
        yield "the inside and the edges", placed & (rims < len(wide))
    if wide:
        yield ("the rim" if len(wide) > 1 else "both ends"), rims > 0
        yield "the inside", placed & (rims == 0)
    for axis in wide:
        along = places[:, axis]
        low, high = np.quantile(along[inside], [_FEW, 1 - _FEW], method="nearest").astype(int).tolist()
        title = _AXES[axis] if axis < len(_AXES) else f"coordinate {axis + 1}"
        yield (f"{title} {low}" if low == high else f"{title}s {low} to {high}"), (along >= low) & (along <= high)
