import os
import subprocess
import sys
from pathlib import Path

import pytest

from autoanalyzer.runtime.mpi.detection import find_mpi

from ..conftest import compiled


def sonames(launcher: str) -> set[str]:
    """Return the names of the library; Debian's name for MPICH's differs from the original."""
    return {"mpirun.openmpi": {"libmpi.so.40"}, "mpirun.mpich": {"libmpich.so.12", "libmpi.so.12"}}[launcher]


@pytest.fixture
def program(mpi: tuple[str, str], tmp_path: Path) -> Path:
    return compiled(mpi[1], "mpi_threads.c", tmp_path)


def test_the_program_decides_whatever_stands_before_it(mpi: tuple[str, str], program: Path) -> None:
    for command in (
        [str(program)],
        ["mpirun", "-n", "4", str(program), "argument"],
        ["mpirun", "-n", "2", "--map-by", "node", "env", "A=1", str(program)],
        ["mpirun", "-n", "1", "hostname", ":", "-n", "1", str(program)],
        ["mpirun", "-n", "2", "sh", "-c", f"ulimit -s unlimited; exec {program} --fast"],
        ["srun", "-n", "4", str(program)],
    ):
        found = find_mpi(command)
        assert found.library is not None
        assert found.library.soname in sonames(mpi[0])
        assert found.launcher == (command[0] if command[0] in ("mpirun", "srun") else "")


def test_a_program_in_the_current_folder_or_on_the_path_is_found(
    mpi: tuple[str, str], program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(program.parent)
    for command, path in ((f"./{program.name}", ""), (program.name, ""), (program.name, str(program.parent))):
        found = find_mpi(["mpirun", "-n", "2", command], {**os.environ, "PATH": f"{path}:{os.environ['PATH']}"})
        assert found.library is not None
        assert found.library.soname in sonames(mpi[0])


def test_the_launcher_decides_for_what_tells_nothing(mpi: tuple[str, str]) -> None:
    found = find_mpi([mpi[0], "-n", "2", "perl", "script.pl"])
    assert found.library is not None
    assert found.library.soname in sonames(mpi[0])
    assert found.library.is_open_mpi == (mpi[0] == "mpirun.openmpi")


@pytest.mark.parametrize("way", ["environment", "command"])
def test_python_is_asked_what_it_would_load(mpi: tuple[str, str], way: str, tmp_path: Path) -> None:
    assert find_mpi([mpi[0], "-n", "2", sys.executable, "script.py"]).library == find_mpi(["mpirun.openmpi"]).library
    library = find_mpi([mpi[0]]).library
    assert library is not None
    abi = "openmpi" if library.is_open_mpi else "mpich"
    (tmp_path / "libmpi.so.12").symlink_to(library.path)  # mpi4py's name for MPICH's library
    variables = {"LD_LIBRARY_PATH": str(tmp_path), "MPI4PY_MPIABI": abi}
    told = [f"{name}={value}" for name, value in variables.items()] if way == "command" else []
    environment = {**os.environ, **(variables if way == "environment" else {})}
    found = find_mpi([mpi[0], "-n", "2", "env", *told, sys.executable, "script.py"], environment)
    assert found.library is not None
    assert found.library.path == library.path


def test_without_launcher_and_compilers_there_is_no_mpi() -> None:
    assert find_mpi(["/bin/true"], {"PATH": ""}).library is None


def test_the_program_is_not_executed(mpi: tuple[str, str], program: Path) -> None:
    before = set(program.parent.iterdir())
    find_mpi([mpi[0], str(program)])
    assert set(program.parent.iterdir()) == before


def test_a_missing_library_does_not_hide_mpi(tmp_path: Path) -> None:
    subprocess.run(["gcc", "-shared", "-o", "libmissing.so", "-x", "c", "/dev/null"], cwd=tmp_path, check=True)
    program = compiled("mpicc", "mpi_threads.c", tmp_path, f"-L{tmp_path}", "-Wl,--no-as-needed,-lmissing")
    expected = find_mpi([str(program)], {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}).library
    (tmp_path / "libmissing.so").unlink()
    assert expected is not None
    assert find_mpi([str(program)], {**os.environ, "PATH": "/usr/bin:/bin"}).library == expected


def test_an_unfinished_quotation_is_no_error() -> None:
    assert find_mpi(["mpirun", "sh", "-c", "echo 'open"]) == find_mpi(["mpirun", "sh", "-c", "echo open"])


def test_files_that_are_no_programs_are_passed_over(tmp_path: Path, program: Path, mpi: tuple[str, str]) -> None:
    odd = tmp_path / "odd"
    odd.write_bytes(b"\x7fELF garbage")
    odd.chmod(0o755)
    found = find_mpi(["mpirun", str(odd), str(tmp_path), str(program)])
    assert found.library is not None
    assert found.library.soname in sonames(mpi[0])


def test_a_compiler_named_by_the_user_comes_first(mpi: tuple[str, str]) -> None:
    found = find_mpi(["/bin/true"], {**os.environ, "AUTOANALYZER_CC": mpi[1]})
    assert found.library is not None
    assert found.library.soname in sonames(mpi[0])


def test_the_probe_needs_no_python_package_beyond_the_standard_library() -> None:
    script = "import autoanalyzer.runtime.build, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert "autoanalyzer.runtime.build" in modules
    assert not {"numpy", "lxml", "rich"} & modules
