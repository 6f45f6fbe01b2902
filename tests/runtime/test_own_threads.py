"""Threads that programs create themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoanalyzer.runtime.gather.shard import Shard
from autoanalyzer.runtime.mpi.detection import Mpi

from .conftest import compiled, recorded


def paths(shard: Shard) -> set[str]:
    found = set()
    for tree in shard.threads:
        names = [""]
        for node in tree.nodes[1:]:
            name = shard.regions[node["region"]].name if node["region"] >= 0 else ""
            names.append("/".join(filter(None, (names[node["parent"]], name))))
        found |= set(names)
    return found


@pytest.mark.parametrize("kind", ["posix", "c11"])
def test_a_thread_goes_on_from_where_it_was_created(kind: str, tmp_path: Path) -> None:
    program = compiled("gcc", "own_threads.c", tmp_path)
    (shard,) = recorded([str(program)], tmp_path, Mpi(None)).shards
    assert f"main/{kind}" in paths(shard)
