from pathlib import Path

import pytest

from autoanalyzer.runtime.mpi import Mpi

from .conftest import compiled, expectations, figures, recorded


@pytest.mark.parametrize("flags", [[], ["-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"]], ids=["plain", "fortified"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_bytes_of_regular_files_are_counted_once_and_nothing_else_is(
    compiler: str, flags: list[str], tmp_path: Path
) -> None:
    program = compiled(compiler, "io_bytes.c", tmp_path, "-w", *flags)
    run = recorded([str(program)], tmp_path, Mpi(None))
    assert figures(run.shards[0], "io_calls", "io_read", "io_written") == expectations(tmp_path, 0)


def test_what_mpi_itself_reads_and_writes_is_not_the_programs(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "mpi_collectives.c", tmp_path)
    run = recorded([launcher, "-n", "2", str(program)], tmp_path)
    for shard in run.shards:
        for tree in shard.threads:
            inside = [node for node in tree.nodes if node["region"] >= 0]
            assert sum(int(node["io_calls"]) for node in inside) == 0
