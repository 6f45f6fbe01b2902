"""Where ranks stand on a grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import InputError

__all__ = ["Dimension", "Topology"]

Dimension = tuple[str, int, bool]


@dataclass(frozen=True)
class Topology:
    """A Cartesian grid on which processes or threads have places (paper 002, section 2).

    Attributes:
        name: May be empty.
        dimensions: Name (may be empty), size, and whether it is periodic.
        coordinates: A place for some of the processes and threads.
    """

    name: str
    dimensions: tuple[Dimension, ...]
    coordinates: Mapping[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)

    def check(self) -> None:
        """State what makes a topology valid.

        Raises:
            InputError: A place has another number of coordinates than there are dimensions, or lies outside.
        """
        sizes = [size for _, size, _ in self.dimensions]
        for (process, thread), place in self.coordinates.items():
            if len(place) != len(sizes) or not all(0 <= at < size for at, size in zip(place, sizes, strict=True)):
                raise InputError(
                    f"topology {self.name!r}: expected a place within {sizes}, found {list(place)} "
                    f"of process {process}, thread {thread}"
                )
