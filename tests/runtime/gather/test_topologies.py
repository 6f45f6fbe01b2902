"""Which MPI topologies become topologies of the experiment."""

from __future__ import annotations

from dataclasses import replace

from autoanalyzer.runtime.gather.shard import Place, Shard
from autoanalyzer.runtime.gather.topologies import MOST_KEPT, mpi_topologies, said_of_topologies

from ..probe.conftest import Record, built_once, library, others, plain_program, preloaded  # noqa: F401 - fixtures

PAIR, LINE = ((2, False),), ((99, True),)


def standing(shard: Shard, *places: Place, spawned: bool = False) -> Shard:
    return replace(shard, places=places, spawned=spawned)


def test_places_are_of_one_topology_if_kind_shape_and_members_are_the_same(preloaded: Record) -> None:  # noqa: F811
    (shard,) = preloaded("+main -main")
    pair, other = Place("grid", 7, PAIR, (0,)), Place("grid", 8, PAIR, (0,))
    processes = {
        0: standing(shard, Place("graph", 7, PAIR, (1,)), pair, other),
        1: standing(shard, replace(other, coordinates=(1,))),
        2: standing(shard, replace(pair, coordinates=(1,))),
        3: standing(shard, pair, spawned=True),
    }
    found = [(each.name, dict(each.coordinates)) for each in mpi_topologies(processes)]
    assert found == [
        ("MPI_Cart_create", {(0, 0): (0,), (2, 0): (1,)}),
        ("MPI_Cart_create 2", {(0, 0): (0,), (1, 0): (1,)}),
        ("MPI_Cart_create 3", {(3, 0): (0,)}),
        ("nodes of MPI_Graph_create", {(0, 0): (1,)}),
    ]


def test_of_two_topologies_that_nothing_tells_apart_the_first_of_each_process_is_one(
    preloaded: Record,  # noqa: F811
) -> None:
    (shard,) = preloaded("+main -main")
    places = [Place("grid", 7, PAIR, (at,)) for at in range(2)]
    processes = {0: standing(shard, *places), 1: standing(shard, *reversed(places))}
    assert [dict(each.coordinates) for each in mpi_topologies(processes)] == [
        {(0, 0): (0,), (1, 0): (1,)},
        {(0, 0): (1,), (1, 0): (0,)},
    ]


def test_of_many_topologies_those_with_the_most_places_are_kept(preloaded: Record) -> None:  # noqa: F811
    (shard,) = preloaded("+main -main")
    processes = {
        rank: standing(shard, Place("grid", rank // 2, PAIR, (rank % 2,)), Place("grid", 99, LINE, (rank,)))
        for rank in range(2 * MOST_KEPT)
    }
    found = mpi_topologies(processes)
    assert [len(each.coordinates) for each in found] == [2, 2 * MOST_KEPT, *[2] * (MOST_KEPT - 2)]
    assert list(said_of_topologies(processes)) == ["left out 1 of 17 MPI topologies: those with the fewest processes"]
    few = {rank: processes[rank] for rank in range(2 * MOST_KEPT - 2)}
    assert list(said_of_topologies(few)) == []
