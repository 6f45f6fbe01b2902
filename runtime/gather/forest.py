"""Merge the call paths of all processes of a run, and map each process's nodes to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ...experiment import CallPath, Region
from ...experiment.folding import in_order
from .head import Shape
from .sampled_nodes import CODE

__all__ = ["Forest", "Placed"]

_Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """The call paths of a shape's nodes.

    Attributes:
        root: The call path of the program.
        trees: Thread → the call path of each node.
    """

    root: int
    trees: tuple[_Places, ...]


@dataclass
class Forest:
    """The call paths of all processes in the order of first entry, process by process."""

    regions: Mapping[Region, Sequence[Region]]  # the regions that replace a region, such as a call known by its address
    sampled: set[int] = field(default_factory=set)  # call paths that are known only from samples
    _paths: list[CallPath] = field(default_factory=list)
    _index: dict[tuple[int | None, int], int] = field(default_factory=dict)
    _placed: dict[int, Placed] = field(default_factory=dict)
    _numbers: dict[Region, int] = field(default_factory=dict)
    # keyed by ``id`` of a region, because comparing regions is slow
    _known: dict[int, list[tuple[int, Region, bool]]] = field(default_factory=dict)

    def add(self, number: int, shape: Shape) -> None:
        """Add the call paths of a shape; most processes share a shape that was added before."""
        if number in self._placed:
            return
        root = self._path(None, self._number(shape.program), shape.program)
        regions = [self._regions(region) for region in shape.regions]
        program = self._number(shape.program)
        trees = tuple(self._tree(tree, regions, root, program) for tree in shape.trees)
        self._placed[number] = Placed(root, trees)

    def ordered(self) -> tuple[list[CallPath], dict[int, Placed]]:
        """Return the call paths in depth-first order, and the call paths of each shape's nodes."""
        paths, position = in_order(self._paths)
        self.sampled = {int(position[each]) for each in self.sampled}
        placed = {
            number: Placed(int(position[each.root]), tuple(position[tree] for tree in each.trees))
            for number, each in self._placed.items()
        }
        return paths, placed

    def _tree(
        self,
        tree: Sequence[npt.NDArray[np.int32]],
        regions: Sequence[Sequence[tuple[int, Region, bool]]],
        root: int,
        program: int,
    ) -> _Places:
        places: list[int] = []
        for parent, region in zip(*(column.tolist() for column in tree), strict=True):
            if parent < 0:
                places.append(root)
            elif region < 0 or (not parent and regions[region][-1][0] == program):
                places.append(places[parent])
            else:
                places.append(self._below(places[parent], regions[region]))
        return np.array(places, dtype=np.intp)

    def _below(self, place: int, chain: Sequence[tuple[int, Region, bool]]) -> int:
        for number, region, is_sampled in chain:
            known = len(self._paths)
            place = self._path(place, number, region)
            if is_sampled and place == known:
                self.sampled.add(place)
        return place

    def _path(self, parent: int | None, number: int, region: Region) -> int:
        place = self._index.setdefault((parent, number), len(self._paths))
        if place == len(self._paths):
            self._paths.append(CallPath(region, parent))
        return place

    def _regions(self, region: Region) -> list[tuple[int, Region, bool]]:
        found = self._known.get(id(region))
        if found is None:
            chain = self.regions.get(region, (region,))
            of_code = region.kind in (CODE, "mpi")
            found = [(self._number(each), each, of_code and each.kind != "mpi") for each in chain]
            self._known[id(region)] = found
        return found

    def _number(self, region: Region) -> int:
        return self._numbers.setdefault(region, len(self._numbers))
