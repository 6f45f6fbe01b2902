"""Files that Fortran programs read and write through their run-time library."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from autoanalyzer.runtime.mpi.detection import Mpi

from .conftest import FORTRAN_IO, FORTRAN_MPI, compiled_fortran, expectations, figures, recorded, without_calls

SOURCES = [FORTRAN_MPI / "cases.f90", FORTRAN_IO / "every_file.f90"]


@pytest.fixture(scope="module")
def every_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the program without MPI, which several tests run."""
    return compiled_fortran("gfortran", tmp_path_factory.mktemp("every_file"), *SOURCES)


@pytest.mark.parametrize("compiler", ["gfortran", "mpifort.openmpi", "mpifort.mpich"])
@pytest.mark.by_day(compiler=["gfortran", "mpifort.openmpi"])
def test_bytes_are_the_sizes_of_the_files(compiler: str, tmp_path: Path) -> None:
    program = compiled_fortran(compiler, tmp_path, *SOURCES)
    run = recorded([str(program)], tmp_path, Mpi(None) if compiler == "gfortran" else None)
    found = without_calls(figures(run.shards[0], "io_calls", "io_read", "io_written"))
    assert found == without_calls(expectations(tmp_path, 0))
    assert len(found) > 15


def test_formatting_is_time_of_files_and_what_a_statement_evaluates_is_not(every_file: Path, tmp_path: Path) -> None:
    (shard,) = recorded([str(every_file)], tmp_path, Mpi(None)).shards
    nodes = {shard.regions[node["region"]].name: node for node in shard.threads[0].nodes if node["region"] >= 0}
    for name in ("formatted write", "formatted read", "lines written"):
        assert nodes[name]["io_cpu"] > 0.5 * nodes[name]["cpu"]
    for name in ("internal units", "standard output, no file", "computed"):
        assert nodes[name]["io_wall"] == 0
        assert nodes[name]["wall"] > 0


def test_a_statement_is_over_where_its_functions_are_inlined(tmp_path: Path) -> None:
    program = compiled_fortran("gfortran", tmp_path, *SOURCES, flags=["-O2"])
    (shard,) = recorded([str(program)], tmp_path, Mpi(None)).shards
    nodes = {shard.regions[node["region"]].name: node for node in shard.threads[0].nodes if node["region"] >= 0}
    inlined = nodes["a function that is inlined"]
    assert 0 < inlined["io_cpu"] < 0.5 * inlined["cpu"]


LOADING = """
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
int main(int count, char **files) {
    for (int i = 1; i < count; i++) {
        void *library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
        if (!library)
            return puts(dlerror());
        ((void (*)(void))dlsym(library, "work"))();
        dlclose(library);
        mmap(NULL, 64 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* where the library was */
    }
    return 0;
}
"""


def test_libraries_with_run_time_libraries_of_their_own_write_to_their_own_files(tmp_path: Path) -> None:
    """Python's wheels bring renamed copies of the library; here, they are closed and loaded again elsewhere."""
    (tmp_path / "main.c").write_text(LOADING)
    subprocess.run(["gcc", "main.c", "-o", "main", "-ldl"], cwd=tmp_path, check=True)
    name, other = b"libgfortran.so.5", b"libgfortrbn.so.5"
    for file in ("a", "b"):
        source = tmp_path / f"{file}.f90"
        source.write_text(
            f"subroutine work() bind(c)\nopen (10, file='{file}.txt', position='append')\n"
            f"write (10, '(a)') 'from {file}'\nclose (10)\nend subroutine\n"
        )
        words = ["gfortran", "-shared", "-fPIC", source.name, "-o", f"{file}.so", "-Wl,-rpath,$ORIGIN"]
        subprocess.run(words, cwd=tmp_path, check=True)
    words = ["gfortran", f"-print-file-name={name.decode()}"]
    run_time = Path(subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip())
    (tmp_path / other.decode()).write_bytes(run_time.read_bytes().replace(name, other))
    (tmp_path / "b.so").write_bytes((tmp_path / "b.so").read_bytes().replace(name, other))
    command = [str(tmp_path / "main"), "./a.so", "./b.so", "./a.so", "./b.so"]
    recorded(command, tmp_path, Mpi(None))
    assert [(tmp_path / f"{file}.txt").read_text() for file in "ab"] == ["from a\n" * 2, "from b\n" * 2]


def test_what_is_written_when_the_program_is_over_counts_outside_of_its_regions(
    every_file: Path, tmp_path: Path
) -> None:
    (shard,) = recorded([str(every_file), "late"], tmp_path, Mpi(None)).shards
    sizes = sum((tmp_path / name).stat().st_size for name in ("expected.0", "late.txt"))
    assert sizes > 20
    assert int(shard.threads[0].nodes["io_written"][0]) == sizes


def test_the_program_says_the_same_without_the_library(every_file: Path, tmp_path: Path) -> None:
    plain = subprocess.run([every_file], cwd=tmp_path, capture_output=True, text=True, check=True)
    files = {path.name: path.read_bytes() for path in tmp_path.glob("*.txt")}
    (tmp_path / "notes.txt").unlink()
    assert recorded([str(every_file)], tmp_path, Mpi(None)).output == plain.stdout
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*.txt")} == files
