"""The processes of a run: their ranks, and how many are expected."""

from __future__ import annotations

from collections.abc import Iterable

from .shard import Shard

__all__ = ["count_alone", "number_processes", "world_size"]


def number_processes(shards: Iterable[Shard]) -> dict[int, Shard]:
    """Map ranks to shards; processes without a rank, or with a rank already taken, get the next numbers.

    Ranks are those of the launcher's MPI_COMM_WORLD; spawned processes have a different one.
    """
    ordered = sorted(shards, key=_order)
    ranks: dict[int, Shard] = {}
    others = []
    with_mpi = any(shard.mpi_initialised is not None for shard in ordered)
    for shard in ordered:
        if shard.rank is None or shard.rank in ranks or shard.spawned or (with_mpi and shard.forked_from):
            others.append(shard)
        else:
            ranks[shard.rank] = shard
    first = max([world_size(ordered) or 0, *(rank + 1 for rank in ranks)])
    return ranks | dict(enumerate(others, start=first))


def world_size(shards: Iterable[Shard]) -> int | None:
    """Return the size of the launcher's MPI_COMM_WORLD; None if unknown."""
    return max((shard.size for shard in shards if shard.size and not shard.spawned), default=None)


def count_alone(shards: Iterable[Shard]) -> int:
    """Count processes alone in their MPI_COMM_WORLD; if there are several, the launcher belongs to a different MPI."""
    return sum(shard.mpi_initialised is not None and shard.size == 1 for shard in shards)


def _order(shard: Shard) -> tuple[bool, bool, bool, float, str, int]:
    """Return a sort key that puts ranks before helper programs, whose rank comes from the environment."""
    late = shard.spawned, shard.mpi_initialised is None, shard.forked_from is not None
    return *late, shard.start_realtime, shard.host, shard.pid
