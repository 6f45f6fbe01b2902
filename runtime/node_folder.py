"""Folders for shards on nodes that cannot access the run's folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

__all__ = ["NODE_VARIABLE", "node_folders"]

NODE_VARIABLE: Final = "AUTOANALYZER_NODE"  # the same as in runtime/probe/shard_folder.c
_USUAL: Final = "/tmp"
_START: Final = 0xCBF29CE484222325
_FACTOR: Final = 0x100000001B3


def node_folders(shards: Path) -> list[Path]:
    """Return the folders that may hold a run's shards on this node if the node cannot access the run's folder.

    Args:
        shards: The absolute path of the run's folder of shards, as the probe library received it.
    """
    places = dict.fromkeys([os.environ.get("TMPDIR", ""), _USUAL])
    own = f"autoanalyzer-{os.geteuid()}"
    return [Path(place, own, f"{key_of(shards):016x}") for place in places if place.startswith("/")]


def key_of(path: Path) -> int:
    """Return the number in the name of the probe library's folder for a path (FNV-1a, 64 bits)."""
    key = _START
    for byte in os.fsencode(path):
        key = (key ^ byte) * _FACTOR % 2**64
    return key
