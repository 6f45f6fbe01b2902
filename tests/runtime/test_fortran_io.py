"""Files that Fortran programs write and read through their run-time library."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from autoanalyzer.runtime.mpi import Mpi

from .conftest import FORTRAN_IO, FORTRAN_MPI, compiled_fortran, expectations, figures, recorded

SOURCES = [FORTRAN_MPI / "cases.f90", FORTRAN_IO / "every_file.f90"]


def read_and_written(regions: Mapping[str, Counter[str]]) -> dict[str, tuple[int, int]]:
    """Bytes without calls, which are the run-time library's own affair."""
    return {name: (counts["out"], counts["in"]) for name, counts in regions.items()}


@pytest.mark.parametrize("compiler", ["gfortran", "mpifort.openmpi", "mpifort.mpich"])
def test_bytes_are_the_sizes_of_the_files(compiler: str, tmp_path: Path) -> None:
    program = compiled_fortran(compiler, tmp_path, *SOURCES)
    run = recorded([str(program)], tmp_path, Mpi(None) if compiler == "gfortran" else None)
    found = read_and_written(figures(run.shards[0], "io_calls", "io_read", "io_written"))
    assert found == read_and_written(expectations(tmp_path, 0))
    assert len(found) > 15


def test_formatting_is_time_of_files_and_what_a_statement_evaluates_is_not(tmp_path: Path) -> None:
    program = compiled_fortran("gfortran", tmp_path, *SOURCES)
    (shard,) = recorded([str(program)], tmp_path, Mpi(None)).shards
    nodes = {shard.regions[node["region"]].name: node for node in shard.threads[0].nodes if node["region"] >= 0}
    for name in ("formatted write", "formatted read"):
        assert nodes[name]["io_wall"] > 0.5 * nodes[name]["wall"]
    for name in ("internal units", "standard output, no file", "computed"):
        assert nodes[name]["io_wall"] == 0
        assert nodes[name]["wall"] > 0


def test_what_is_written_when_the_program_is_over_counts_outside_of_its_regions(tmp_path: Path) -> None:
    program = compiled_fortran("gfortran", tmp_path, *SOURCES)
    (shard,) = recorded([str(program), "late"], tmp_path, Mpi(None)).shards
    sizes = sum((tmp_path / name).stat().st_size for name in ("expected.0", "late.txt"))
    assert sizes > 20
    assert int(shard.threads[0].nodes["io_written"][0]) == sizes


def test_the_program_says_the_same_without_the_library(tmp_path: Path) -> None:
    program = compiled_fortran("gfortran", tmp_path, *SOURCES)
    plain = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, check=True)
    files = {path.name: path.read_bytes() for path in tmp_path.glob("*.txt")}
    (tmp_path / "notes.txt").unlink()
    assert recorded([str(program)], tmp_path, Mpi(None)).output == plain.stdout
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*.txt")} == files
