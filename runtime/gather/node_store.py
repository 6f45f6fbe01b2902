"""The nodes of many shards, beside which an experiment is to find room in memory."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from io import BytesIO
from typing import IO, Final

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from .shard import NODE, Shard

__all__ = ["NodeStore"]

_IN_MEMORY: Final = 256 << 20
_NONE: Final = np.zeros(0, NODE)


class NodeStore:
    """Takes the nodes of shards one by one; what is more than a quarter of a gigabyte goes to a file without a name."""

    def __init__(self, limit: int = _IN_MEMORY) -> None:
        self._limit = limit
        self._stream: IO[bytes] = BytesIO()
        self._shards: list[Shard] = []
        self._lengths: list[list[int]] = []

    def take(self, shard: Shard) -> None:
        """Take a shard.

        Raises:
            InputError: The folder of temporary files is full.
        """
        try:
            for tree in shard.threads:
                self._stream.write(tree.nodes.tobytes())
            if isinstance(self._stream, BytesIO) and self._stream.tell() > self._limit:
                file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the last array on it
                file.write(self._stream.getbuffer())
                self._stream = file
        except OSError as error:
            raise InputError(
                f"{tempfile.gettempdir()}: cannot hold the data of {len(self._shards) + 1} processes: {error.strerror};"
                " set TMPDIR to a folder with room"
            ) from None
        self._lengths.append([len(tree.nodes) for tree in shard.threads])
        self._shards.append(replace(shard, threads=tuple(replace(tree, nodes=_NONE) for tree in shard.threads)))

    def shards(self) -> list[Shard]:
        """Give the shards that were taken, their nodes where they now are."""
        self._stream.flush()
        nodes = self._nodes()
        found, start = [], 0
        for shard, lengths in zip(self._shards, self._lengths, strict=True):
            threads = []
            for tree, length in zip(shard.threads, lengths, strict=True):
                threads.append(replace(tree, nodes=nodes[start : start + length]))
                start += length
            found.append(replace(shard, threads=tuple(threads)))
        return found

    def _nodes(self) -> npt.NDArray[np.void]:
        if isinstance(self._stream, BytesIO):
            return np.frombuffer(self._stream.getbuffer(), NODE)
        return np.memmap(self._stream, NODE, "r")
