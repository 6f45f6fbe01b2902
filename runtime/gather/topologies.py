"""Build an experiment's topologies from the coordinates that MPI gave to processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from ...experiment import Topology
from .shard import Place, Shard
from .shard_layout import MOST_DIMENSIONS, MOST_TOPOLOGIES

__all__ = ["MOST_KEPT", "mpi_topologies", "said_of_topologies"]

MOST_KEPT: Final = 16

_TITLES: Final = {
    "grid": "MPI_Cart_create",
    "graph": "nodes of MPI_Graph_create",
    "distributed_graph": "nodes of MPI_Dist_graph_create",
}

_Key = tuple[str, bool, int, tuple[tuple[int, bool], ...], int]
_Coordinates = dict[tuple[int, int], tuple[int, ...]]


def mpi_topologies(processes: Mapping[int, Shard]) -> tuple[Topology, ...]:
    """Return MPI's topologies: grids first, each kind in order of creation.

    Each process recorded only its own coordinates. They belong to one topology if the processes recorded the same kind,
    shape and members; the first such topology of one process is matched with the first of the other processes, and so
    on. If there are too many topologies, those with the most processes are kept.

    Args:
        processes: Shards by process number.
    """
    places, _ = _places(processes)
    kept = set(sorted(places, key=lambda key: -len(places[key]))[:MOST_KEPT])
    titles = Counter[str]()
    found = []
    for key in sorted((key for key in places if key in kept), key=lambda key: list(_TITLES).index(key[0])):
        title = _TITLES[key[0]]
        titles[title] += 1
        name = f"{title} {titles[title]}" if titles[title] > 1 else title
        found.append(Topology(name, tuple(("", size, periodic) for size, periodic in key[3]), places[key]))
    return tuple(found)


def said_of_topologies(processes: Mapping[int, Shard]) -> Iterable[str]:
    """Yield warnings about topologies that were left out."""
    places, doubtful = _places(processes)
    for key, several in doubtful.items():
        yield (
            f"left out an MPI topology: {_TITLES[key[0]]} of {' × '.join(str(size) for size, _ in key[3])}, in which "
            f"{several} processes have the same coordinates, so their communicators cannot be distinguished"
        )
    count = len(places)
    if count > MOST_KEPT:
        yield f"left out {count - MOST_KEPT} of {count} MPI topologies: those with the fewest processes"
    more = sum(shard.topologies_left_out > 0 for shard in processes.values())
    if more:
        yield (
            f"processes that were in more than {MOST_TOPOLOGIES} MPI topologies, or in one with more than "
            f"{MOST_DIMENSIONS} dimensions, so that some of their coordinates were not recorded: {more}"
        )


def _places(processes: Mapping[int, Shard]) -> tuple[dict[_Key, _Coordinates], dict[_Key, int]]:
    """Return the coordinates in each topology, except in those that cannot be distinguished from another one.

    For topologies that cannot be distinguished, return the number of processes that have the same coordinates as
    another process.
    """
    places: dict[_Key, _Coordinates] = {}
    for process, shard in sorted(processes.items()):
        before = Counter[Place]()
        for place in shard.places:
            alike = Place(place.kind, place.members, place.dimensions, ())
            key = (place.kind, shard.spawned, place.members, place.dimensions, before[alike])
            before[alike] += 1
            places.setdefault(key, {})[process, 0] = place.coordinates
    shared = {key: _sharing(of_processes.values()) for key, of_processes in places.items()}
    return {key: places[key] for key in places if not shared[key]}, {key: n for key, n in shared.items() if n}


def _sharing(coordinates: Iterable[tuple[int, ...]]) -> int:
    """Count the processes that have the same coordinates as another process."""
    return sum(count for count in Counter(coordinates).values() if count > 1)
