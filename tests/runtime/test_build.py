import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from autoanalyzer.errors import BuildError
from autoanalyzer.runtime import build
from autoanalyzer.runtime.build import build_ahead, probe_library
from autoanalyzer.runtime.cache import cache_folder, kept
from autoanalyzer.runtime.mpi.compiler import mpi_compilers
from autoanalyzer.runtime.mpi.detection import Mpi, find_mpi
from autoanalyzer.runtime.mpi.library import MpiLibrary

from .conftest import compiled

BUILD = """
from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.mpi.detection import Mpi
print(probe_library(Mpi(None)))
"""

# Drop the capabilities with which root may write despite a folder's mode.
WITHOUT_PRIVILEGE = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


def without_code(folder: Path, before: str = "") -> Path:
    """Return a folder with a ``cc`` that produces empty output quickly, because the result is never loaded."""
    folder.mkdir()
    script = folder / "cc"
    words = 'out=-c; while [ $# != 0 ]; do case $1 in -o) out="-shared -o $2";; esac; shift; done'
    script.write_text(f"#!/bin/sh\n{before}\n{words}\nexec {shutil.which('cc')} -x c /dev/null $out\n")
    script.chmod(0o755)
    return folder


def with_tools(tools: Path, **more: str) -> dict[str, str]:
    """Return the environment for a build with the compiler in a folder."""
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", **more}


def needed(library: Path) -> str:
    return subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout


def test_the_library_is_linked_to_no_mpi(mpi: tuple[str, str]) -> None:
    assert "mpi" not in needed(probe_library(find_mpi([mpi[0]]))).replace("libaaprobe", "")


def test_each_mpi_has_a_library_of_its_own(tmp_path: Path) -> None:
    libraries = {probe_library(find_mpi([launcher])) for launcher in ("mpirun.openmpi", "mpirun.mpich")}
    assert len(libraries | {probe_library(Mpi(None))}) == 3


def test_another_way_to_compile_any_part_of_it_is_another_library(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {build._key(None)}
    for flags in ("_FLAGS", "_LINKING", "ALLOCATION_FLAGS"):
        with monkeypatch.context() as changed:
            changed.setattr(build, flags, (*getattr(build, flags), "-pipe"))
            keys.add(build._key(None))
    assert len(keys) == 4


def test_two_processes_that_ask_at_once_build_once(tmp_path: Path) -> None:
    """The first compiler call ends when the other process waits for the lock, or has also called the compiler."""
    calls, cache = tmp_path / "calls", tmp_path / "cache"
    waits = f'grep -q -- "-> .*:$(stat -c %i {cache}/lock) " /proc/locks'
    before = f"echo call >> {calls}\nuntil [ $(wc -l < {calls}) != 1 ] || {waits}; do sleep 0.1; done"
    environment = with_tools(without_code(tmp_path / "tools", before), AUTOANALYZER_CACHE=str(cache))

    def ask(_: int) -> str:
        return subprocess.run(
            [sys.executable, "-c", BUILD], env=environment, capture_output=True, text=True, check=True
        ).stdout

    with ThreadPoolExecutor() as pool:
        answers = set(pool.map(ask, range(2)))
    assert len(answers) == 1
    assert calls.read_text().splitlines() == 3 * ["call"]


def test_a_library_in_the_cache_needs_no_compiler(mpi: tuple[str, str]) -> None:
    choice = find_mpi([mpi[0]])
    assert probe_library(choice) == probe_library(choice, {**os.environ, "PATH": ""})


def test_a_failing_compiler_is_named_and_what_it_says_is_kept(tmp_path: Path) -> None:
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\necho no room left >&2\nexit 1\n")
    broken.chmod(0o755)
    cache = tmp_path / "cache"
    with pytest.raises(BuildError, match=rf"{broken} cannot build the probe library; see {cache}/.*\.log"):
        probe_library(Mpi(None), {"PATH": str(tmp_path), "AUTOANALYZER_CACHE": str(cache)})
    (log,) = cache.glob("*.log")
    assert "no room left" in log.read_text()
    assert not list(cache.glob("*/*"))


def test_no_compiler_at_all_is_said(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="no C compiler on PATH to build the probe library; install gcc"):
        probe_library(Mpi(None), {"PATH": "", "AUTOANALYZER_CACHE": str(tmp_path)})
    with pytest.raises(
        BuildError, match="AUTOANALYZER_CC: expected a compiler and its flags, found No closing quotation"
    ):
        probe_library(Mpi(None), {"AUTOANALYZER_CC": "'gcc", "AUTOANALYZER_CACHE": str(tmp_path)})


def test_a_compiler_of_another_mpi_is_not_taken(mpi: tuple[str, str], tmp_path: Path) -> None:
    library = find_mpi([mpi[0]]).library
    assert library is not None
    unknown = tmp_path / library.path.name
    shutil.copy(library.path, unknown)
    environment = {**os.environ, "AUTOANALYZER_CACHE": str(tmp_path / "cache")}
    message = rf"the MPI compiler that links {unknown}, found .*mpicc.*; set AUTOANALYZER_CC to the"
    with pytest.raises(BuildError, match=message):
        probe_library(Mpi(MpiLibrary(unknown, library.soname), mpi[0]), environment)


@pytest.mark.parametrize("place", ["/proc/none", "/dev/null/cache"])
def test_a_cache_that_cannot_be_made_is_refused(place: str) -> None:
    with pytest.raises(BuildError, match=rf"AUTOANALYZER_CACHE={place} cannot be created; choose another folder"):
        cache_folder({"AUTOANALYZER_CACHE": place})


def test_a_cache_that_takes_nothing_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(BuildError, match=rf"{tmp_path}: .*; set AUTOANALYZER_CACHE to a folder with enough space"):
        probe_library(Mpi(None), {**os.environ, "AUTOANALYZER_CACHE": str(tmp_path)})


def test_the_first_cache_that_can_be_written_takes_what_is_built(tmp_path: Path) -> None:
    named = f"/proc/self:{tmp_path}/new:{tmp_path}"
    assert cache_folder({"AUTOANALYZER_CACHE": named, "HOME": "/proc"}) == tmp_path / "new"
    assert not kept("lock", {"AUTOANALYZER_CACHE": named})


def test_a_shared_cache_is_read_and_ones_own_behind_it_takes_what_it_lacks(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o555)
    named = with_tools(without_code(tmp_path / "tools"), AUTOANALYZER_CACHE=str(shared))

    def ask(home: str) -> Path:
        environment = {**named, "XDG_CACHE_HOME": str(tmp_path / home)}
        command = [*WITHOUT_PRIVILEGE, sys.executable, "-c", BUILD]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return Path(done.stdout.strip())

    built = ask("first")
    assert built.parents[1] == tmp_path / "first" / "autoanalyzer"
    assert not list(shared.iterdir())
    built.parents[1].chmod(0o555)
    shared.rmdir()
    shared.symlink_to(built.parents[1])
    assert ask("second") == shared / built.relative_to(built.parents[1])
    assert not (tmp_path / "second").exists()


def test_what_everybody_could_write_is_not_loaded(tmp_path: Path) -> None:
    environment = with_tools(without_code(tmp_path / "tools"), AUTOANALYZER_CACHE=str(tmp_path))
    command = ["sh", "-c", 'umask 0; exec "$0" -c "$1"', sys.executable, BUILD]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    library = Path(done.stdout.strip())
    assert library.parents[1] == tmp_path
    library.parent.chmod(0o777)
    with pytest.raises(
        BuildError, match=rf"{library}: can be written by every user, so it is not loaded; remove this file"
    ):
        probe_library(Mpi(None), environment)
    own = {"AUTOANALYZER_CACHE": f"{tmp_path}:{tmp_path}/own"}
    name = str(library.relative_to(tmp_path))
    (tmp_path / "own" / library.parent.name).mkdir(parents=True)
    shutil.copy(library, tmp_path / "own" / name)
    assert kept(name, own) == tmp_path / "own" / name


def test_a_cache_of_somebody_else_that_is_open_to_everybody_takes_nothing(tmp_path: Path) -> None:
    theirs = Path("/tmp")
    if os.geteuid() == 0:
        theirs = tmp_path / "theirs"
        theirs.mkdir()
        theirs.chmod(0o777)
        os.chown(theirs, 12345, -1)
    assert cache_folder({"AUTOANALYZER_CACHE": f"{theirs}:{tmp_path}/own"}) == tmp_path / "own"


def test_without_a_home_a_private_folder_is_taken_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.warns(UserWarning, match="other nodes may not see"):
        folder = cache_folder({"HOME": "/proc/none"})
    assert folder.parent == tmp_path
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    with pytest.raises(BuildError, match="set AUTOANALYZER_CACHE"):
        cache_folder({"HOME": "/proc/none"})


def test_the_cache_follows_the_users_own() -> None:
    assert cache_folder({"XDG_CACHE_HOME": "/tmp", "HOME": "/proc"}) == Path("/tmp/autoanalyzer")


def test_it_is_built_ahead_for_a_program_just_linked(
    mpi: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher, compiler = mpi
    program = compiled(compiler, "mpi_threads.c", tmp_path)
    library = build_ahead([compiler], program)
    assert library == probe_library(find_mpi([launcher, str(program)]))
    assert build_ahead(["/bin/false"], program, {"PATH": "", "AUTOANALYZER_CACHE": str(tmp_path)}) is None


def test_after_a_fortran_compiler_that_of_c_is_called(mpi: tuple[str, str], tmp_path: Path) -> None:
    """Each compiler here logs its call, and compiles nothing."""
    _, compiler = mpi
    fortran = compiler.replace("mpicc", "mpifort")
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in (compiler, fortran):
        script = tools / name
        noted = f'case "$*" in *" -c "*) echo {name} >> {tools}/calls; exit 1;; esac'
        script.write_text(f'#!/bin/sh\n{noted}\nexec {shutil.which(name)} "$@"\n')
        script.chmod(0o755)
    program = compiled(compiler, "mpi_threads.c", tmp_path)
    environment = {**os.environ, "AUTOANALYZER_CACHE": str(tmp_path / "cache")}
    said: list[str] = []
    for _ in range(2):  # a failed build is not tried again
        assert build_ahead([str(tools / fortran)], program, environment, say=said.append) is None
    assert [sentence.startswith("building the probe library for /") for sentence in said] == [True]
    assert set((tools / "calls").read_text().split()) == {compiler}


def test_after_a_cxx_compiler_that_of_c_builds_it(tmp_path: Path) -> None:
    for cxx, c in (("mpicxx.mpich", "mpicc.mpich"), ("mpic++", "mpicc"), ("mpiicpx", "mpiicx"), ("CC", "cc")):
        for name, real in ((cxx, "mpicxx.mpich"), (c, "mpicc.mpich")):
            (tmp_path / name).unlink(missing_ok=True)
            (tmp_path / name).symlink_to(shutil.which(real) or pytest.skip(f"{real} is not installed"))
        first = next(mpi_compilers({**os.environ, "AUTOANALYZER_CC": str(tmp_path / cxx)}))
        assert first.command == (str(tmp_path / c),)


def test_a_fortran_compiler_that_understands_c_is_the_last_resort(mpi: tuple[str, str], tmp_path: Path) -> None:
    fortran = tmp_path / "mpifort"
    fortran.symlink_to(shutil.which(mpi[1].replace("mpicc", "mpifort")) or "")
    commands = [found.command for found in mpi_compilers({**os.environ, "AUTOANALYZER_CC": str(fortran)})]
    assert len(commands) > 1
    assert commands[-1] == (str(fortran),)
