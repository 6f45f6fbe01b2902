"""The shards of a run's folder: those that can be read, and what is wrong with the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError
from ..folder import RunFolder
from .node_store import NodeStore
from .processes import count_alone
from .shard import Shard
from .shard_reader import read_shard

__all__ = ["FolderShards", "Told", "read_folder"]

Told = Callable[[int, int], object]
"""Takes how much is done, and of how much."""


@dataclass(frozen=True)
class FolderShards:
    """What was read.

    Attributes:
        files: All shards' files.
        shards: Those that can be read.
        broken: What is wrong with the others.
    """

    files: list[Path]
    shards: list[Shard]
    broken: list[str]

    @property
    def lacks_ranks(self) -> bool:
        """Whether a rank's shard is not among them."""
        if count_alone(self.shards) > 1:
            return False
        launched = [shard for shard in self.shards if not shard.spawned]
        ranks = {shard.rank for shard in launched if not shard.forked_from}
        return any(rank not in ranks for rank in range(max((shard.size or 0 for shard in launched), default=0)))

    @property
    def latest(self) -> list[Shard]:
        """The shards without those of ranks that had ended before another process of the same rank began.

        They are of an earlier run: that happens where ``autoanalyzer exec`` is used twice and nothing was gathered in
        between. Of processes that were spawned one may well begin after another has ended.
        """
        starts: dict[int | None, float] = {}
        for shard in self.shards:
            if shard.mpi_initialised is not None and not shard.spawned:
                starts[shard.rank] = max(starts.get(shard.rank, 0.0), shard.start_realtime)
        return [
            shard
            for shard in self.shards
            if shard.mpi_initialised is None
            or shard.spawned
            or shard.start_realtime + shard.last >= starts.get(shard.rank, 0.0)
        ]


def read_folder(folder: RunFolder, told: Told | None = None) -> FolderShards:
    """Read the shards of a folder.

    Args:
        folder: The run's folder.
        told: Takes how many shards were read, and how many there are.
    """
    files = folder.shard_files()
    store = NodeStore()
    broken: list[str] = []
    for number, file in enumerate(files):
        if told:
            told(number, len(files))
        try:
            shard = read_shard(file)
        except InputError as error:
            broken.append(f"{error}; left out")
        else:
            store.take(shard)
    return FolderShards(files, store.shards(), broken)
