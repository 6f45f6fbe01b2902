from pathlib import Path

import pytest

from .conftest import compiled, expectations, figures, recorded


@pytest.mark.parametrize("ranks", [1, 2, 5])
@pytest.mark.parametrize("source", ["mpi_point_to_point.c", "mpi_collectives.c", "mpi_one_sided.c"])
def test_calls_and_bytes_are_those_of_the_rules(source: str, ranks: int, mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, source, tmp_path)
    run = recorded([launcher, "-n", str(ranks), str(program)], tmp_path)
    assert sorted(shard.rank for shard in run.shards if shard.rank is not None) == list(range(ranks))
    for shard in run.shards:
        assert shard.rank is not None
        expected = expectations(tmp_path, shard.rank)
        assert len(expected) > 30
        assert figures(shard, "mpi_calls", "mpi_sent", "mpi_received") == expected


def test_receives_of_several_threads_are_not_mixed_up(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "mpi_threads.c", tmp_path)
    run = recorded([launcher, "-n", "1", str(program)], tmp_path)
    assert figures(run.shards[0], "mpi_calls", "mpi_sent", "mpi_received") == expectations(tmp_path, 0)


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_mpi_io_is_file_io(ranks: int, mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "mpi_file.c", tmp_path)
    run = recorded([launcher, "-n", str(ranks), str(program)], tmp_path)
    for shard in run.shards:
        assert shard.rank is not None
        expected = expectations(tmp_path, shard.rank)
        assert len(expected) > 50
        assert figures(shard, "io_calls", "io_read", "io_written") == expected
