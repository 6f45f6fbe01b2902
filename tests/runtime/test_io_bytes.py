import subprocess
from pathlib import Path

import pytest

from autoanalyzer.runtime.gather.run_notes import most_used_files
from autoanalyzer.runtime.mpi.detection import Mpi

from .conftest import PROGRAMS, compiled, expectations, figures, recorded, without_calls


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


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.by_day(compiler=["g++"])  # both compilers use the same library
def test_streams_of_cxx_count_where_they_are_moved(compiler: str, tmp_path: Path) -> None:
    program = tmp_path / "cxx_streams"
    source = PROGRAMS / "cxx_streams.cc"
    subprocess.run([compiler, "-O1", "-w", str(source), "-o", str(program), "-ldl"], check=True)
    run = recorded([str(program)], tmp_path, Mpi(None))
    found = figures(run.shards[0], "io_calls", "io_read", "io_written")
    assert without_calls(found) == without_calls(expectations(tmp_path, 0))


def test_each_file_is_known_by_its_name(tmp_path: Path) -> None:
    program = compiled("gcc", "io_bytes.c", tmp_path, "-w")
    (shard,) = recorded([str(program)], tmp_path, Mpi(None)).shards
    files = {Path(file.name).name: file for file in shard.files if file.calls}
    assert {"stream", "unbuffered", "lines", "thread0", "output"} <= set(files)
    assert "unrecorded" not in files
    assert files["thread1"].name == str(tmp_path / "thread1")
    assert (files["thread1"].calls, files["thread1"].bytes_written, files["thread1"].bytes_read) == (1000, 10000, 0)
    for field, name in (("io_read", "bytes_read"), ("io_written", "bytes_written")):
        total = sum(int(tree.nodes[field].sum()) for tree in shard.threads)
        assert sum(getattr(file, name) for file in shard.files) == total
    took = sum(file.seconds for file in shard.files)
    assert 0 < took <= sum(float(tree.nodes["io_wall"].sum()) for tree in shard.threads) * 1.000001


def test_files_of_mpi_io_are_known_by_name_and_those_of_mpi_itself_are_none(
    mpi: tuple[str, str], tmp_path: Path
) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "mpi_file.c", tmp_path)
    run = recorded([launcher, "-n", "2", str(program)], tmp_path)
    for shard in run.shards:
        files = {file.name: file for file in shard.files if file.calls}
        assert set(files) <= {str(tmp_path / "data"), str(tmp_path / f"expected.{shard.rank}")}
        data = files[str(tmp_path / "data")]
        for field, name in (("io_calls", "calls"), ("io_read", "bytes_read"), ("io_written", "bytes_written")):
            total = sum(int(tree.nodes[field].sum()) for tree in shard.threads)
            assert sum(getattr(file, name) for file in files.values()) == total
        assert data.seconds > 0


def test_more_files_than_there_is_room_for_count_together(tmp_path: Path) -> None:
    (tmp_path / "many.c").write_text(
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <fcntl.h>\n#include <stdio.h>\n#include <unistd.h>\n"
        'int main(void) { void (*enter)(const char *) = dlsym(RTLD_DEFAULT, "aa_probe_enter"); char name[32];'
        ' enter("aa1|user|many|||0|0|0");'
        ' for (int i = 0; i < 700; i++) { sprintf(name, "f%d", i); int fd = open(name, O_CREAT | O_WRONLY, 0600);'
        ' write(fd, "12345", 5); close(fd); } return 0; }\n'
    )
    subprocess.run(["gcc", "-w", "many.c", "-o", "many", "-ldl"], cwd=tmp_path, check=True)
    (shard,) = recorded([str(tmp_path / "many")], tmp_path, Mpi(None)).shards
    assert sum(file.bytes_written for file in shard.files) == 700 * 5
    (others,) = [file for file in shard.files if not file.name]
    assert others.calls == 700 - (len(shard.files) - 1)
    most = most_used_files([shard.files, shard.files])
    assert len(most) == 21
    assert most[0].processes == 2
    assert sum(file.bytes_written for file in most) == 2 * 700 * 5


def test_the_child_of_a_fork_has_files_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "forking.c").write_text(
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <fcntl.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
        'int main(void) { void (*enter)(const char *) = dlsym(RTLD_DEFAULT, "aa_probe_enter");'
        ' enter("aa1|user|forking|||0|0|0");'
        ' int first = open("first", O_CREAT | O_WRONLY, 0600), second = open("second", O_CREAT | O_WRONLY, 0600);'
        ' write(first, "1", 1); write(second, "22", 2);'
        ' if (fork() == 0) { enter("aa1|user|child|||0|0|0"); write(second, "333", 3); write(first, "4444", 4);'
        " return 0; } wait(0); return 0; }\n"
    )
    subprocess.run(["gcc", "-w", "forking.c", "-o", "forking", "-ldl"], cwd=tmp_path, check=True)
    shards = recorded([str(tmp_path / "forking")], tmp_path, Mpi(None)).shards
    written = [{Path(file.name).name: file.bytes_written for file in shard.files if file.name} for shard in shards]
    assert sorted(written, key=lambda files: files["first"]) == [{"first": 1, "second": 2}, {"first": 4, "second": 3}]
