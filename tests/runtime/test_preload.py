import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.mpi.detection import find_mpi

from .conftest import compiled, for_mpi4py, recorded

HELLO = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int size = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("%d of %s\\n", size, argv[1]);
    return MPI_Finalize();
}
"""

C_LIBRARY = next(
    word for word in Path("/proc/self/maps").read_text().split() if re.fullmatch(r"/.*/libc(\.so\.6|-2\.\d+\.so)", word)
)

LATE = """
from mpi4py import MPI
assert MPI.COMM_WORLD.allreduce(1) == MPI.COMM_WORLD.size
MPI.COMM_WORLD.Barrier()
buffer = bytearray(100)
if MPI.COMM_WORLD.size > 1:
    other = 1 - MPI.COMM_WORLD.rank
    MPI.COMM_WORLD.Sendrecv(bytes(50), other, recvbuf=buffer, source=other)
"""


@pytest.mark.parametrize(
    "command",
    [
        ["sh", "-c", "echo a | cat; (echo b); ls -d /; exec echo c"],
        ["ls", "-d", "/"],
        ["perl", "-e", "print 1; exit 3"],
        [sys.executable, "-c", "import subprocess; print(subprocess.run(['echo', 'a']).returncode)"],
        [C_LIBRARY],  # executing it prints its version
    ],
)
def test_programs_without_mpi_behave_as_ever(command: list[str], mpi: tuple[str, str], tmp_path: Path) -> None:
    library = probe_library(find_mpi([mpi[0]]))
    plain = subprocess.run(command, capture_output=True, check=False)
    environment = {**os.environ, "LD_PRELOAD": str(library), "LD_BIND_NOW": "1", "AUTOANALYZER_SHARDS": str(tmp_path)}
    preloaded = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert preloaded.args == plain.args
    assert (preloaded.returncode, preloaded.stdout, preloaded.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    assert not list(tmp_path.iterdir())


def test_a_program_of_another_mpi_runs_unmeasured_with_one_warning(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, _ = mpi
    other = {"mpirun.openmpi": "mpich", "mpirun.mpich": "openmpi"}[launcher]
    source = tmp_path / "hello.c"
    source.write_text(HELLO)
    program = tmp_path / "hello"
    subprocess.run([f"mpicc.{other}", str(source), "-o", str(program)], check=True)
    library = probe_library(find_mpi([launcher]))
    environment = {**os.environ, "LD_PRELOAD": f"{library}", "AUTOANALYZER_SHARDS": str(tmp_path)}
    run = subprocess.run([program, "a b"], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout == "1 of a b\n"
    (said,) = (line for line in run.stderr.splitlines() if "autoanalyzer" in line)
    # MPICH's library has two names for one file.
    names = {"mpirun.openmpi": "libmpi.so.[0-9]+", "mpirun.mpich": "(libmpich|libmpi).so.12"}[launcher]
    expected = (
        f"autoanalyzer: hello: linked to an MPI library other than {names}, for which the probe library was built"
    )
    assert re.fullmatch(f"{expected}; nothing is measured", said)
    assert not list(tmp_path.glob("*.shard"))


def test_python_that_loads_mpi_late_is_measured(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, _ = mpi
    variables = for_mpi4py(launcher, tmp_path)
    command = [launcher, "-n", "2", sys.executable, "-c", LATE]
    run = recorded(command, tmp_path, find_mpi(command, {**os.environ, **variables}), **variables)
    assert sorted(shard.rank or 0 for shard in run.shards) == [0, 1]
    for shard in run.shards:
        nodes = shard.threads[0].nodes
        calls = {shard.regions[node["region"]].name: node for node in nodes if node["region"] >= 0}
        assert calls["MPI_Barrier"]["mpi_calls"] == 1
        assert calls["MPI_Sendrecv"]["mpi_sent"] == calls["MPI_Sendrecv"]["mpi_received"] == 50
        assert nodes[0]["mpi_calls"] == 0


def test_a_program_that_forks_and_executes_keeps_its_own_data(mpi: tuple[str, str], tmp_path: Path) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "mpi_threads.c", tmp_path)
    run = recorded([launcher, "-n", "1", "sh", "-c", f"true; ls / > list; {program}; cat list"], tmp_path)
    assert [shard.rank for shard in run.shards] == [0]
