"""The places that MPI gave processes → the topologies of an experiment."""

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


def mpi_topologies(processes: Mapping[int, Shard]) -> tuple[Topology, ...]:
    """Give the topologies that MPI made: grids first, each kind in the order in which it was made.

    A process knows its own place alone. Places are of one topology if processes say the same of its kind, shape and
    members; of several such topologies the first of one process is that of the others. Of many, those with the most
    places are kept.

    Args:
        processes: By the number that each has in the experiment.
    """
    places = _places(processes)
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
    """Say what topologies are left out."""
    count = len(_places(processes))
    if count > MOST_KEPT:
        yield f"topologies of MPI that were left out: {count - MOST_KEPT} of {count}, those with the fewest places"
    more = sum(shard.topologies_left_out > 0 for shard in processes.values())
    if more:
        yield (
            f"processes with places in further topologies of MPI, beyond the first {MOST_TOPOLOGIES} or with more than"
            f" {MOST_DIMENSIONS} dimensions: {more}"
        )


def _places(processes: Mapping[int, Shard]) -> dict[_Key, dict[tuple[int, int], tuple[int, ...]]]:
    places: dict[_Key, dict[tuple[int, int], tuple[int, ...]]] = {}
    for process, shard in sorted(processes.items()):
        before = Counter[Place]()
        for place in shard.places:
            alike = Place(place.kind, place.members, place.dimensions, ())
            key = (place.kind, shard.spawned, place.members, place.dimensions, before[alike])
            before[alike] += 1
            places.setdefault(key, {})[process, 0] = place.coordinates
    return places
