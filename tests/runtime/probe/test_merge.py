"""Which region in a process's trees becomes the root of the experiment."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from autoanalyzer.experiment import Region
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather.merge import merge_shards
from autoanalyzer.runtime.gather.shard import PlaceWait, Shard

from ..conftest import assert_parts_add_up
from .conftest import Record


def paths(shard: Shard) -> list[tuple[str, int | None]]:
    experiment = merge_shards([shard], RunFacts())
    return [(path.region.name, path.parent) for path in experiment.call_paths]


@pytest.mark.parametrize("program", ["aa1|function|main|x.c|main|0|1|9", "aa1|program|rays|x.f90|rays|0|1|9"])
def test_the_program_is_the_root_in_every_language(record: Record, program: str) -> None:
    (shard,) = record(f"+early -early +|{program} +f -f -|{program} +late -late")
    assert paths(shard)[0] == (program.split("|")[2], None)
    assert sorted(paths(shard)[1:]) == [("early", 0), ("f", 0), ("late", 0)]


def test_without_a_program_the_executable_is_the_root(record: Record) -> None:
    (shard,) = record("+f +|aa1|loop|main|x.c|main|0|1|9 -f")
    assert paths(shard) == [("events", None), ("f", 0), ("main", 1)]


def test_the_parts_of_the_time_in_mpi_are_all_of_it_where_regions_are_folded(linked: Record) -> None:
    words = "+main kind 1 mpi{ sleep 1 }mpi kind 6 times 20000 +f +g -g mpi{ }mpi -f ; -main"
    (shard,) = linked(words, AUTOANALYZER_MAX_OVERHEAD="0.001%")
    assert shard.threads[0].throttled
    experiment = merge_shards([shard], RunFacts())
    assert_parts_add_up(experiment)
    barriers, exchanges, sends = (
        experiment.exclusive(f"mpi_{kind}_time").sum() for kind in ("barrier", "point_to_point", "send")
    )
    assert min(barriers, exchanges) > sends == 0
    assert barriers + exchanges == pytest.approx(experiment.exclusive("mpi_time").sum())


def test_what_one_process_throttled_is_folded_and_what_it_entered_lifted_in_all(record: Record) -> None:
    called = "+f +g -g +h spin 1 -h -f"
    words = f"+main fork times 3 {called} ; ; times 20000 +f +g -g -f ; times 3 {called} ; -main"
    shards = record(words, AUTOANALYZER_MAX_OVERHEAD="0.001%")
    assert sorted(len(shard.threads[0].throttled) > 0 for shard in shards) == [False, True]
    experiment = merge_shards(shards, RunFacts())
    assert {experiment.path_name(place) for place in range(len(experiment.call_paths))} == {"", "f", "g", "h"}
    of = {
        path.region.name: (sorted(visits), times.tolist())
        for path, visits, times in zip(
            experiment.call_paths, experiment.exclusive("visits"), experiment.exclusive("wall_time"), strict=True
        )
    }
    assert of["f"] == of["g"] == ([3, 20003], [0, 0])
    assert of["h"][0] == [3, 3]
    assert min(of["h"][1]) > 0


def test_addresses_of_calls_and_of_waits_are_looked_up_together(
    preloaded: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "addr2line"
    tool.write_text(
        f"#!/bin/sh\necho >>{tmp_path}/asked\nwhile read -r at; do echo 0x$at; echo solve; echo a.c:$((0x$at)); done\n"
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (shard,) = preloaded("+main +|aa1|mpi|MPI_Send||./app+7|0|0|0 -main")
    wait = PlaceWait(0, None, Region("wait", "barrier", "", "./app+5"), 3, 0, 0.5, 0.0)
    found = merge_shards([replace(shard, waits=(wait,))], RunFacts())
    send = found.call_paths[1].region
    assert (send.name, send.function, send.ordinal, send.first_line) == ("MPI_Send@7", "solve", 0, 7)
    assert [(each.kind, each.file, each.line) for each in found.notes.thread_waits] == [("barrier", "a.c", 5)]
    assert (tmp_path / "asked").read_text() == "\n"
