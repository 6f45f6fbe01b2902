"""The system of a CUBE file: machines, nodes, processes and threads, and their coordinates in topologies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from ...errors import InputError
from ..experiment import Location
from ..topology import Dimension, Topology
from .item import Item

__all__ = ["CubeSystem"]

_PROCESSES: Final = frozenset({"process", "locationgroup"})
_THREADS: Final = frozenset({"thread", "location"})


@dataclass(slots=True)
class _Grid:
    cart: Item
    name: str
    wanted: int
    dimensions: list[Dimension] = field(default_factory=list)
    places: dict[int, tuple[int, ...]] = field(default_factory=dict)


class CubeSystem:
    """Collects the locations and topologies of a CUBE 3 or CUBE 4 file; in CUBE 4, any tree may be above processes."""

    def __init__(self) -> None:
        self._threads: list[tuple[int, Item, int | None]] = []  # number in the file, process, rank
        self._grids: list[_Grid] = []
        self.remarks: list[str] = []

    def take(self, item: Item, text: str) -> None:
        """Handle the end of an element."""
        if item.tag in _THREADS:
            if item.above is None or item.above.tag not in _PROCESSES:
                raise InputError(f"expected a process around each <{item.tag}>, found none")
            rank = item.text("rank")
            self._threads.append((item.number("Id"), item.above, int(rank) if rank else None))
        elif item.tag == "coord" and item.above:
            self._add_place(item, text)
        elif item.tag == "cart":
            grid = self._grid(item)
            if grid.wanted != len(grid.dimensions):
                found = len(grid.dimensions)
                raise InputError(f"expected a topology with {grid.wanted} dimensions, found one with {found}")

    def add_dimension(self, cart: Item, attributes: Mapping[str, str]) -> None:
        """Add a dimension of a topology."""
        dimension = (attributes.get("name", ""), int(attributes["size"]), attributes.get("periodic") == "true")
        self._grid(cart).dimensions.append(dimension)

    def locations(self, *, ours: bool) -> list[tuple[int, Location]]:
        """Return each location with its number in the file.

        Args:
            ours: Whether autoanalyzer wrote the file. If so, locations are in the order of their numbers. Otherwise,
                they are in the order of processes and threads, and threads that are numbered across all processes are
                renumbered within each process.

        Raises:
            InputError: There is no thread, or two threads have the same number.
        """
        if not self._threads:
            raise InputError("expected a system of processes, found none")
        ranks = self._process_ranks()
        threads = self._thread_ranks(renumber=not ours)
        names = _Names()
        found = [
            (number, Location(*names.of(process), ranks[id(process)], thread))
            for (number, process, _), thread in zip(self._threads, threads, strict=True)
        ]
        if len({number for number, _ in found}) < len(found):
            raise InputError("expected a different number for each thread, found the same number twice")
        return sorted(found, key=lambda each: each[0] if ours else (each[1].process, each[1].thread))

    def topologies(self, locations: Mapping[int, Location]) -> list[Topology]:
        """Return the topologies.

        Args:
            locations: The system's locations by their numbers in the file.

        Raises:
            InputError: A topology has coordinates of an unknown thread.
        """
        found = []
        for grid in self._grids:
            places = {}
            for number, place in grid.places.items():
                if number not in locations:
                    raise InputError(f"topology {grid.name!r}: found coordinates of the unknown thread {number}")
                places[locations[number].process, locations[number].thread] = place
            found.append(Topology(grid.name, tuple(grid.dimensions), places))
        return found

    def _grid(self, cart: Item) -> _Grid:
        if not self._grids or self._grids[-1].cart is not cart:
            self._grids.append(_Grid(cart, cart.attributes.get("name", ""), int(cart.attributes["ndims"])))
        return self._grids[-1]

    def _add_place(self, item: Item, text: str) -> None:
        number = item.attributes.get("thrdId", item.attributes.get("locId"))
        if item.above is None or number is None:
            self.remarks.append(f"topology coordinates without a thread were left out: {', '.join(item.attributes)}")
            return
        self._grid(item.above).places[int(number)] = tuple(map(int, text.split()))

    def _process_ranks(self) -> dict[int, int]:
        """Map each process to its rank. Processes without a rank, or with another process's rank, get the next numbers.

        Two processes have the same rank if the CUBE tools merged runs on different machines.
        """
        processes = {id(process): process for _, process, _ in self._threads}
        owners: dict[int, int] = {}
        again: list[int] = []
        for key, process in processes.items():
            if process.text("rank") and process.text("type") in {"", "process"}:
                owner = owners.setdefault(int(process.text("rank")), key)
                if owner != key:
                    again.append(key)
        ranks = {key: rank for rank, key in owners.items()}
        numbers = count(max(owners, default=-1) + 1)
        for key in again:
            ranks[key] = next(numbers)
        if again:
            first, last = ranks[again[0]], ranks[again[-1]]
            which = f"processes {first} to {last} have" if last > first else f"process {first} has"
            self.remarks.append(f"{which} the same rank as another process in the file")
        for key, process in processes.items():
            if key not in ranks:
                ranks[key] = next(numbers)
                self.remarks.append(
                    f"{process.text('name') or 'a group'} has no rank and is read as process {ranks[key]}"
                )
        return ranks

    def _thread_ranks(self, *, renumber: bool) -> list[int]:
        """Return each thread's number within its process, derived from the numbers in the file."""
        stated = [rank for *_, rank in self._threads]
        by_process: dict[int, list[int]] = {}
        for place, (_, process, _) in enumerate(self._threads):
            by_process.setdefault(id(process), []).append(place)
        through = len(by_process) > 1 and len(set(stated)) == len(stated)
        ranks = [-1 if rank is None else rank for rank in stated]
        for places in by_process.values():
            unclear = None in {stated[each] for each in places} or len({ranks[each] for each in places}) < len(places)
            if unclear or (renumber and through):
                for rank, place in enumerate(sorted(places, key=lambda each: ranks[each])):
                    ranks[place] = rank
        return ranks


class _Names:
    """Finds the machine and the node of processes: the names of the outermost and the innermost element around them."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[str, str] | None] = {}

    def of(self, process: Item) -> tuple[str, str]:
        """Return the machine and the node of a process; empty names if there are none."""
        unknown = []
        above = process.above
        while above is not None and id(above) not in self._known:
            unknown.append(above)
            above = above.above
        names = None if above is None else self._known[id(above)]
        for item in reversed(unknown):
            if item.tag not in _PROCESSES:
                name = item.text("name")
                names = (name if names is None else names[0], name)
            self._known[id(item)] = names
        return names or ("", "")
