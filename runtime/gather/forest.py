"""Merge the call paths of all processes of a run, and map each process's nodes to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ...experiment import CallPath, Region
from ...experiment.folding import in_order
from .head import Shape

__all__ = ["Forest", "Placed"]

_Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Where the nodes of a shape belong.

    Attributes:
        root: The call path of the program.
        trees: Thread → the call path of each node.
    """

    root: int
    trees: tuple[_Places, ...]


@dataclass
class Forest:
    """Call paths in the order of first entry, of processes in the order of their numbers."""

    regions: Mapping[Region, Region]  # renames regions, for example calls known by an address only
    _paths: list[CallPath] = field(default_factory=list)
    _index: dict[tuple[int | None, int], int] = field(default_factory=dict)
    _placed: dict[int, Placed] = field(default_factory=dict)
    _numbers: dict[Region, int] = field(default_factory=dict)
    # by the objects' identity, because comparing regions is slow
    _known: dict[int, tuple[int, Region]] = field(default_factory=dict)

    def add(self, number: int, shape: Shape) -> None:
        """Add the call paths of a shape; most processes share one that was added before."""
        if number in self._placed:
            return
        root = self._path(None, *self._region(shape.program))
        regions = [self._region(region) for region in shape.regions]
        program = self._number(shape.program)
        trees = tuple(self._tree(tree, regions, root, program) for tree in shape.trees)
        self._placed[number] = Placed(root, trees)

    def ordered(self) -> tuple[list[CallPath], dict[int, Placed]]:
        """Return the call paths depth first, and where the nodes of each shape belong."""
        paths, position = in_order(self._paths)
        placed = {
            number: Placed(int(position[each.root]), tuple(position[tree] for tree in each.trees))
            for number, each in self._placed.items()
        }
        return paths, placed

    def _tree(
        self, tree: Sequence[npt.NDArray[np.int32]], regions: Sequence[tuple[int, Region]], root: int, program: int
    ) -> _Places:
        places: list[int] = []
        for parent, region in zip(*(column.tolist() for column in tree), strict=True):
            if parent < 0:
                places.append(root)
            elif region < 0 or (not parent and regions[region][0] == program):
                places.append(places[parent])
            else:
                places.append(self._path(places[parent], *regions[region]))
        return np.array(places, dtype=np.intp)

    def _path(self, parent: int | None, number: int, region: Region) -> int:
        place = self._index.setdefault((parent, number), len(self._paths))
        if place == len(self._paths):
            self._paths.append(CallPath(region, parent))
        return place

    def _region(self, region: Region) -> tuple[int, Region]:
        found = self._known.get(id(region))
        if found is None:
            called = self.regions.get(region, region)
            found = self._known[id(region)] = self._number(called), called
        return found

    def _number(self, region: Region) -> int:
        return self._numbers.setdefault(region, len(self._numbers))
