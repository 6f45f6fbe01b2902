"""Divide the shards of a run among the processes of a gathering job: each is read by one process that sees it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..node_folder import node_folders

__all__ = ["HOME_FILE", "SeenShards", "is_home", "place_of"]

HOME_FILE: Final = "home"

_Place = tuple[str, int, int]


@dataclass(frozen=True)
class SeenShards:
    """The shards that one process has to read.

    Attributes:
        at_home: Whether the process sees the run's own folder.
        files: The shards.
        away: Those of ``files`` that are not in the run's own folder.
    """

    at_home: bool
    files: Sequence[Path]
    away: Sequence[Path]

    @classmethod
    def of(cls, communicator: Any, shards: Path, home: str) -> SeenShards:
        """Divide the shards of all nodes among the processes; collective.

        Args:
            communicator: A communicator of mpi4py.
            shards: The run's folder of shards, by its name on the launcher's node.
            home: The content of the file that identifies that folder.
        """
        rank = communicator.Get_rank()
        at_home = is_home(shards, home)
        homes = [number for number, seen in enumerate(communicator.allgather(at_home)) if seen]
        listed = sorted(file.name for file in shards.glob("*.shard")) if homes[:1] == [rank] else []
        names = communicator.bcast(listed, root=homes[0]) if homes else []
        mine = [shards / name for name in (_share(names, homes, rank) if at_home else ())]
        away = [*_away(communicator, [*([] if at_home else [shards]), *node_folders(shards)], {*names})]
        return cls(at_home, [*mine, *away], away)


def is_home(shards: Path, home: str) -> bool:
    """Return whether a folder of shards is the run's own."""
    with suppress(OSError):
        return (shards / HOME_FILE).read_text() == home
    return False


def place_of(folder: Path) -> _Place:
    """Return an identifier of a folder: equal for all processes of a node that see it, different on other nodes."""
    found = folder.stat()
    return os.uname().nodename, found.st_dev, found.st_ino


def _away(communicator: Any, folders: Sequence[Path], home: set[str]) -> Iterator[Path]:
    """Yield this process's share of the shards that are in folders of its node, but not in the run's folder."""
    rank = communicator.Get_rank()
    there = {place_of(folder): folder for folder in folders if folder.is_dir()}
    places: list[list[_Place]] = communicator.allgather([*there])
    for place, folder in there.items():
        seen_by = [number for number, listed in enumerate(places) if place in listed]
        names = sorted(file.name for file in folder.glob("*.shard") if file.name not in home)
        yield from (folder / name for name in _share(names, seen_by, rank))


def _share(names: Sequence[str], readers: Sequence[int], rank: int) -> Sequence[str]:
    """Return one reader's share of the files: adjacent names, because such files come from few nodes."""
    place, count = readers.index(rank), len(readers)
    return names[len(names) * place // count : len(names) * (place + 1) // count]
