"""The coordinates of ranks on a grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import InputError

__all__ = ["Dimension", "Topology"]

Dimension = tuple[str, int, bool]


@dataclass(frozen=True)
class Topology:
    """A Cartesian grid with coordinates of processes or threads (Song et al. 2004, section 2).

    Attributes:
        name: The name of the grid; may be empty.
        dimensions: For each dimension, its name (may be empty), its size, and whether it is periodic.
        coordinates: (process, thread) → its coordinates, one per dimension; not all threads need to have coordinates.
    """

    name: str
    dimensions: tuple[Dimension, ...]
    coordinates: Mapping[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)

    def check(self) -> None:
        """Check that a topology is valid.

        Raises:
            InputError: The number of coordinates differs from the number of dimensions, or coordinates lie outside the
                grid.
        """
        sizes = [size for _, size, _ in self.dimensions]
        for (process, thread), place in self.coordinates.items():
            if len(place) != len(sizes) or not all(0 <= at < size for at, size in zip(place, sizes, strict=True)):
                raise InputError(
                    f"topology {self.name!r}: expected coordinates within {sizes}, found {list(place)} of process "
                    f"{process}, thread {thread}"
                )
